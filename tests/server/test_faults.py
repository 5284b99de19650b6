"""What goes wrong inside the server is told as a place in the code: no value of a request is logged."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

import pytest

from bayou.server.access.answer_headers import SAFE_HEADERS
from bayou.server.access.gate import Gate
from bayou.server.addresses import questions
from bayou.server.addresses.questions import Questions
from bayou.server.faults import PlacesOnly
from bayou.server.metrics import Metrics
from bayou.server.operations.operation import Operation
from bayou.server.operations.questions import QueryAnswer, QueryRequest
from bayou.server.service import Service
from bayou.server.settings import Settings
from bayou.server.workers import worker

MARK = "a finding of a patient"


def fail(*_: object) -> Any:
    raise ValueError(MARK)


def answered(app: Any, path: str) -> tuple[int, bytes]:
    """The status and the body of the answer of an application to a question."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b'{"targets": ["lung"]}'}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    asyncio.run(app(scope, receive, send))
    names = {name for name, _ in sent[0]["headers"]}
    assert {name.lower().encode() for name in SAFE_HEADERS} <= names
    return sent[0]["status"], sent[1]["body"]


def test_an_error_behind_the_gate(capsys: pytest.CaptureFixture[str]) -> None:
    async def app(*_: object) -> None:
        fail()

    status, body = answered(Gate(app, Settings()), "/v1/x")
    told = capsys.readouterr().err
    assert status == 500
    assert "ValueError in test_faults.py:" in told
    assert MARK not in told + body.decode()


def test_an_error_in_a_question(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import bayou

    failing = Operation("query", "", QueryRequest, QueryAnswer, fail, fail)
    monkeypatch.setattr(questions, "operation_for", lambda name, kind: failing)

    async def none(*_: object) -> None:
        raise AssertionError

    service = Service(Settings())
    service.publish("asia", bayou.examples.asia())
    app = Gate(Questions(service, Metrics(), none), Settings())
    status, body = answered(app, "/v1/models/asia/query")
    service.revisions.close()
    told = capsys.readouterr().err
    assert (status, told.count("ValueError in test_faults.py:")) == (500, 1)
    assert MARK not in told + body.decode()


def test_an_error_in_a_worker(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    failing = Operation("query", "", QueryRequest, QueryAnswer, fail)
    monkeypatch.setitem(worker._KNOWN, "query", failing)
    monkeypatch.setattr(worker, "_opened", lambda operation, path: None)
    status, body = worker.answer("query", "", b'{"targets": ["lung"]}')
    told = capsys.readouterr().err
    assert (status, told.count("query: ValueError in test_faults.py:")) == (500, 1)
    assert MARK not in told + body.decode()


def test_what_other_packages_log_loses_its_values() -> None:
    try:
        fail()
    except ValueError:
        record = logging.LogRecord("asyncio", 40, "", 0, f"Task failed\n{MARK}", (), sys.exc_info())
    line = PlacesOnly().format(record)
    assert line.startswith("asyncio: Task failed ValueError in test_faults.py:")
    assert MARK not in line
