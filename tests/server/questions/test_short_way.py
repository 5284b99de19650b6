"""The short way of small questions: the same answers, the same refusals, and nothing is answered twice."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from math import log
from typing import Any

import httpx
import pytest
import uvicorn
from tests.patience import PATIENCE
from tests.server.raw_requests import answers_of, head
from tests.server.running_server import Running, running
from uvicorn.server import ServerState

import bayou
from bayou.server.access import gate
from bayou.server.access.connection_limits import bounded_protocol
from bayou.server.access.gate import Gate
from bayou.server.app import make_app
from bayou.server.metrics import Metrics
from bayou.server.service import Service
from bayou.server.settings import Settings

ASIA = bayou.examples.asia()
QUERY = "/v1/models/asia/query"
BODY = json.dumps({"targets": ["lung"], "findings": [{"variable": "smoke", "state": "yes"}]}).encode()
NOT_SMALL = json.dumps(
    {"targets": ["lung"], "findings": [{"variable": "smoke", "weights": [0.5, 0.1]}]}
).encode()


@pytest.fixture
def service() -> Iterator[Service]:
    found = Service(Settings())
    found.publish("asia", ASIA)
    yield found
    found.revisions.close()
    found.tables.close()


def scope_of(path: str = QUERY, **headers: str) -> dict[str, Any]:
    given = {"host": "localhost", "content-type": "application/json", **headers}
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()]
    return {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": raw}


class FakeTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def request(body: bytes, **headers: str) -> bytes:
    return head(QUERY, Content_Length=str(len(body)), **headers) + body


def connected(app: Any) -> tuple[Any, FakeTransport]:
    """A connection to an application, in the loop that runs."""
    pytest.importorskip("httptools")
    transport = FakeTransport()
    config = uvicorn.Config(app, log_config=None, lifespan="off", proxy_headers=False)
    protocol: Any = bounded_protocol()
    made = protocol(config=config, server_state=ServerState(), app_state={})
    made.connection_made(transport)
    return made, transport


def test_a_small_question_is_answered_in_the_turn_in_which_it_comes(service: Service) -> None:
    async def work() -> tuple[bytes, int]:
        made, transport = connected(make_app(service))
        sent = request(BODY)
        made.data_received(sent[:-10])
        assert not transport.written
        tasks = len(made.tasks)
        made.data_received(sent[-10:])
        await asyncio.sleep(0.1)
        assert tasks == 1  # its body was late: the usual way
        transport.written = b""
        made.data_received(sent)
        written, tasks = transport.written, len(made.tasks)
        made.connection_lost(None)
        return written, tasks

    written, tasks = asyncio.run(work())
    assert tasks == 0
    answer = json.loads(written.partition(b"\r\n\r\n")[2])
    assert answer["probabilities"][0]["p"] == pytest.approx(
        ASIA.query("lung", {"smoke": "yes"})["yes"], rel=1e-12
    )


def test_both_ways_give_the_same_answer(client: httpx.Client) -> None:
    """A connection that is to be closed takes the usual way."""
    headers = {"Content-Type": "application/json"}
    short = client.post(QUERY, content=BODY, headers=headers)
    usual = client.post(QUERY, content=BODY, headers={**headers, "Connection": "close"})
    assert short.status_code == usual.status_code == 200
    one, other = short.json(), usual.json()
    # A question that took long is answered by a worker, whose plan may round the last digit otherwise.
    for document in (one, other):
        chances = [each.pop("p") for each in document["probabilities"]]
        assert [*chances, document.pop("log_probability")] == pytest.approx([0.1, 0.9, log(0.5)], abs=1e-12)
    assert one == other
    own = {"connection", "content-length"}
    headers = [{n: v for n, v in each.headers.items() if n not in own} for each in (short, usual)]
    assert headers[0] == headers[1]


def test_requests_behind_each_other_are_answered_in_order(server: Running) -> None:
    many = [
        json.dumps({"targets": [target], "findings": []}).encode()
        for target in ("lung", "bronc", "dysp", "tub")
    ]
    many[2:2] = [NOT_SMALL, b"{"]
    sent = b"".join(request(body) for body in many[:-1]) + request(many[-1], Connection="close")
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw:
        raw.sendall(sent)
        answers = answers_of(raw)
    assert [answer.status for answer in answers] == [200, 200, 200, 400, 200, 200]
    targets = [json.loads(answer.body).get("targets") for answer in answers]
    assert targets == [["lung"], ["bronc"], ["lung"], None, ["dysp"], ["tub"]]


def test_each_question_is_counted_once(models: list[str]) -> None:
    headers = {"Content-Type": "application/json"}
    with running("serve", *models, "--port", "0") as server, server.client() as client:
        for body in (BODY, BODY, NOT_SMALL, b"{"):
            client.post(QUERY, content=body, headers=headers)
        numbers = client.get("/metrics").text
    route = 'bayou_requests_total{route="POST /v1/models/{model}/query"'
    assert f'{route},status="200"}} 3\n' in numbers
    assert f'{route},status="400"}} 1\n' in numbers


def test_what_is_refused_is_not_answered_here(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    app: Any = make_app(service)
    assert app.answer_now(scope_of(), BODY).startswith(b"HTTP/1.1 200 OK\r\n")
    for headers in (
        {"host": "evil.example"},
        {"origin": "https://evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"content_type": "text/plain", "content-type": "text/plain"},
    ):
        assert app.answer_now(scope_of(**headers), BODY) is None
    for path in ("/v1/models/nobody/query", "/v1/models/asia/rows", "/v1/models//query", "/v1/models", "/x"):
        assert app.answer_now(scope_of(path), BODY) is None
    for body in (b"{", b'{"targets": ["nobody"]}', NOT_SMALL):
        assert app.answer_now(scope_of(), body) is None
    monkeypatch.setattr(gate, "MOST_AT_ONCE", 0)
    assert app.answer_now(scope_of(), BODY) is None


def test_tokens_and_prefixes_hold_here_too() -> None:
    settings = Settings(tokens={"ward": "s3cret"}, prefix="/models")
    asked: list[str] = []

    def answer_now(scope: Any, path: str, body: bytes) -> bytes:
        asked.append(path)
        return b"{}"

    async def none(*_: object) -> None: ...

    app = Gate(none, settings, answer_now)
    token = {"authorization": "Bearer s3cret"}
    assert app.answer_now(scope_of(f"/models{QUERY}"), BODY) is None
    assert app.answer_now(scope_of(f"/models{QUERY}", authorization="Bearer guess"), BODY) is None
    assert app.answer_now(scope_of(QUERY, **token), BODY) is None
    assert not asked
    found = app.answer_now(scope_of(f"/models{QUERY}", **token), BODY)
    assert found is not None
    assert found.endswith(b"content-length: 2\r\n\r\n{}")
    assert asked == [QUERY]


def test_a_question_that_is_not_small_is_not_tried_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayou.server.addresses.questions import Questions

    tried: list[bytes] = []

    def quick(operation: Any, revision: Any, body: bytes) -> None:
        tried.append(body)

    async def long(operation: Any, revision: Any, body: bytes) -> tuple[int, bytes]:
        return 200, b"long"

    async def none(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(service, "quick_answer", quick)
    monkeypatch.setattr(service, "long_answer", long)
    questions = Questions(service, Metrics(), none)
    app, scope, sent = Gate(questions, Settings(), questions.answer_now), scope_of(), []

    async def receive() -> Any:
        if sent:
            await asyncio.sleep(60)
        sent.append("asked")
        return {"type": "http.request", "body": BODY}

    async def send(message: Any) -> None:
        sent.append(message)

    assert app.answer_now(scope, BODY) is None
    asyncio.run(app(scope, receive, send))
    assert tried == [BODY]
    assert sent[-1]["body"] == b"long"
