"""A question of a minute disturbs nobody: small ones are answered meanwhile, and it ends when it should.

How fast small ones are meanwhile is measured by ``benchmarks/serving.py``.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.patience import PATIENCE
from tests.server.processes import children, processor_seconds, wait_for_rest, wait_for_work
from tests.server.raw_requests import answers_of, head
from tests.server.running_server import Running, running
from tests.server.wide_network import grid

import bayou

SIZE = 22
"""The question takes a minute or more."""
AT_REST = 20.0
TRIES = 3
LONG = json.dumps({"targets": [f"{SIZE - 1} {SIZE - 1}"], "findings": [{"variable": "3 3", "state": "no"}]})
ASIA = bayou.examples.asia()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("isolated")
    ASIA.save(folder / "asia.bif")
    grid(SIZE).save(folder / "wide.bayou")
    with running("serve", str(folder / "asia.bif"), str(folder / "wide.bayou"), "--port", "0") as found:
        yield found


def ask_long(server: Running) -> tuple[socket.socket, int]:
    """Ask the long question; return the connection, and the process that works on it."""
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    body = LONG.encode()
    before = {process: processor_seconds(process) for process in children(server.process.pid)}
    raw.sendall(head("/v1/models/wide/query", Content_Length=str(len(body)), Connection="close") + body)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(0.2)
        busy = httpx.get(f"{server.address}/metrics", timeout=PATIENCE, verify=False).text
        for process in children(server.process.pid):
            # A worker that has just been started takes a second or two before it has the question.
            if processor_seconds(process) - before.get(process, 2.0) > 1 and "_running 1\n" in busy:
                return raw, process
    raw.close()
    raise AssertionError("no process works on the question")


def late_ones(server: Running) -> float:
    """The seconds after which 99 of 100 small questions are answered; the answers are right."""
    expected = {
        (smoke, xray): ASIA.query("lung", {"smoke": smoke, "xray": xray})["yes"]
        for smoke in ("yes", "no")
        for xray in ("yes", "no")
    }
    seconds = []
    with server.client() as client:
        for place in range(1000):
            given = ("yes", "no")[place % 2], ("yes", "no")[place // 2 % 2]
            findings = [
                {"variable": name, "state": state}
                for name, state in zip(("smoke", "xray"), given, strict=True)
            ]
            begun = time.perf_counter()
            answer = client.post("/v1/models/asia/query", json={"targets": ["lung"], "findings": findings})
            seconds.append(time.perf_counter() - begun)
            assert answer.status_code == 200
            assert answer.json()["probabilities"][0]["p"] == pytest.approx(expected[given], rel=1e-12)
    return sorted(seconds)[990]


def is_running(server: Running, raw: socket.socket) -> bool:
    """Whether the long question is being worked on, and nothing of its answer has come."""
    raw.setblocking(False)
    try:
        raw.recv(1)
        return False
    except BlockingIOError:
        return "bayou_questions_running 1\n" in httpx.get(f"{server.address}/metrics", verify=False).text


def test_small_questions_do_not_wait_for_a_long_one(server: Running) -> None:
    """1,000 of them end before it does; the late ones take hardly longer than without it.

    How long they take without it tells how busy this machine is; if it gets busier meanwhile, there are two
    more tries.
    """
    for _ in range(TRIES):
        alone = late_ones(server)
        raw, process = ask_long(server)
        beside = late_ones(server)
        assert is_running(server, raw)
        raw.close()
        wait_for_rest([process, *children(server.process.pid)])
        if beside < 0.02 + 3 * alone:
            return
    raise AssertionError(f"late ones took {beside:.3f} s beside a long question, {alone:.3f} s without it")


def test_a_process_rests_when_its_client_has_gone(server: Running) -> None:
    raw, process = ask_long(server)
    wait_for_work(process)
    raw.close()
    begun = time.monotonic()
    wait_for_rest([process])
    assert time.monotonic() - begun < AT_REST  # long before the question would have ended
    with server.client() as client:
        numbers = client.get("/metrics").text
        assert "bayou_questions_running 0\n" in numbers
        body = {"findings": []}
        assert client.post("/v1/models/asia/most-probable", json=body).status_code == 200


def test_a_killed_process_costs_its_question_only(server: Running) -> None:
    """As the system kills the largest process when memory runs out."""
    raw, process = ask_long(server)
    os.kill(process, signal.SIGKILL)
    (answer,) = answers_of(raw)
    raw.close()
    assert (answer.status, json.loads(answer.body)["type"]) == (507, "out-of-memory")
    with server.client() as client:
        body = {"findings": []}
        assert client.post("/v1/models/asia/most-probable", json=body).status_code == 200


def test_the_server_ends_while_a_question_runs(tmp_path: Path) -> None:
    """Ctrl-C waits for some seconds, and leaves no process behind."""
    grid(SIZE).save(tmp_path / "wide.bayou")
    with running("serve", str(tmp_path / "wide.bayou"), "--port", "0") as server:
        raw, process = ask_long(server)
    answers = answers_of(raw)
    raw.close()
    assert all(answer.status >= 499 for answer in answers)
    wait_for_rest([process])


def test_no_process_outlives_a_server_that_is_killed(tmp_path: Path) -> None:
    grid(SIZE).save(tmp_path / "wide.bayou")
    with running("serve", str(tmp_path / "wide.bayou"), "--port", "0") as server:
        raw, process = ask_long(server)
        server.process.kill()
        server.process.wait()
        raw.close()
        try:
            wait_for_rest([process])
        except AssertionError:
            os.kill(process, signal.SIGKILL)
            raise
