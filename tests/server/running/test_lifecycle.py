"""A server from its start to its end: loading, ready, models replaced, stopping."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.patience import PATIENCE, until
from tests.server.running_server import Running, running

import bayou

ASIA = bayou.examples.asia()
OTHER = bayou.examples.asia().set_row("lung", [0.5, 0.5], {"smoke": "yes"})
QUERY = {"targets": ["lung"], "findings": [{"variable": "smoke", "state": "yes"}]}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A server that need not be ready, and whose process ends with the block."""
    port = free_port()
    command = [sys.executable, "-m", "bayou", "serve", *arguments, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, verify=False) as client:
            yield process, client
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def status(client: httpx.Client, path: str) -> int:
    try:
        return client.get(path).status_code
    except httpx.TransportError:
        return 0


def chance(client: httpx.Client) -> float:
    answer = client.post("/v1/models/asia/query", json=QUERY)
    assert answer.status_code == 200, answer.text
    return float(answer.json()["probabilities"][0]["p"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_alive_but_not_ready_while_loading(tmp_path: Path) -> None:
    """The model comes through a pipe, which keeps the server waiting as long as the test wants."""
    ASIA.save(tmp_path / "source.bif")
    pipe = tmp_path / "asia.bif"
    os.mkfifo(pipe)
    with started(str(pipe)) as (_, client):
        until(lambda: status(client, "/healthz") == 200, "the server does not live")
        answer = client.get("/readyz")
        assert (answer.status_code, answer.text) == (503, "loading\n")
        asked = client.post("/v1/models/asia/query", json=QUERY)
        assert (asked.status_code, asked.json()["type"]) == (503, "loading")
        assert asked.headers["retry-after"] == "1"
        pipe.write_bytes((tmp_path / "source.bif").read_bytes())
        until(lambda: status(client, "/readyz") == 200, "the server does not get ready")
        assert chance(client) == ASIA.query("lung", {"smoke": "yes"})[ASIA.states("lung")[0]]


def test_a_file_that_cannot_be_read_ends_the_server(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bif"
    broken.write_text("network nothing {")
    with started(str(broken)) as (process, _):
        assert process.wait(timeout=PATIENCE) != 0
        assert process.stderr is not None
        told = process.stderr.read()
        assert "broken.bif" in told
        assert "Traceback" not in told


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, Running, httpx.Client]]:
    file = tmp_path / "asia.bif"
    ASIA.save(file)
    with running("serve", str(file), "--port", "0") as server, server.client() as client:
        yield file, server, client


def test_models_are_replaced_without_a_lost_request(served: tuple[Path, Running, httpx.Client]) -> None:
    file, server, client = served
    first = ASIA.states("lung")[0]
    old, new = (net.query("lung", {"smoke": "yes"})[first] for net in (ASIA, OTHER))
    before = client.get("/v1/models/asia").json()["revision"]
    found: list[float] = []
    failed: list[BaseException] = []
    stop = threading.Event()

    def keep_asking() -> None:
        try:
            with server.client() as own:
                while not stop.is_set():
                    found.append(chance(own))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=keep_asking) for _ in range(3)]
    for thread in threads:
        thread.start()
    OTHER.save(file)
    server.process.send_signal(signal.SIGHUP)
    until(lambda: chance(client) == new, "the model is not replaced")
    stop.set()
    for thread in threads:
        thread.join()
    assert not failed
    assert set(found) <= {old, new}
    assert client.get("/v1/models/asia").json()["revision"] != before
    assert client.post(f"/v1/models/{before}/query", json=QUERY).json()["probabilities"][0]["p"] == old


def test_a_damaged_file_leaves_the_model_as_it_was(served: tuple[Path, Running, httpx.Client]) -> None:
    file, server, client = served
    before = chance(client)
    file.write_text("nonsense")
    server.process.send_signal(signal.SIGHUP)
    assert server.process.stderr is not None
    assert server.process.stderr.readline().startswith("asia stays as it was: ")
    assert chance(client) == before
    ASIA.save(file)
    server.process.send_signal(signal.SIGHUP)
    assert server.process.stderr.readline() == "asia has not changed.\n"


def test_a_stopping_server_says_so_and_goes_on_answering(tmp_path: Path) -> None:
    file = tmp_path / "asia.bif"
    ASIA.save(file)
    with started(str(file), "--drain", "30") as (process, client):
        until(lambda: status(client, "/readyz") == 200, "the server does not get ready")
        process.send_signal(signal.SIGTERM)
        until(lambda: status(client, "/readyz") == 503, "the server does not say that it stops")
        assert client.get("/readyz").text == "stopping\n"
        assert client.get("/healthz").status_code == 200
        chance(client)
        with httpx.Client(base_url=client.base_url, timeout=PATIENCE, verify=False) as newcomer:
            chance(newcomer)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE)


def test_streams_of_events_do_not_keep_a_server_alive(tmp_path: Path) -> None:
    from tests.server.learning.test_jobs import wide_table
    from tests.server.learning.test_tables import send

    file = tmp_path / "asia.bif"
    ASIA.save(file)
    with started(str(file), "--allow", "learn") as (process, client):
        until(lambda: status(client, "/readyz") == 200, "the server does not get ready")
        table = send(client, wide_table()).json()["table"]
        body = {"table": table, "learn": "structure", "options": {"method": "order"}}
        address = client.post("/v1/jobs", json=body).headers["location"]
        with client.stream("GET", f"{address}/events", timeout=PATIENCE) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: job"
            process.send_signal(signal.SIGTERM)
            for _ in lines:  # until the server ends the stream
                pass
        process.wait(timeout=PATIENCE)


def test_questions_that_are_being_answered_are_finished(tmp_path: Path) -> None:
    file = tmp_path / "asia.bif"
    ASIA.save(file)
    with started(str(file)) as (process, client):
        until(lambda: status(client, "/readyz") == 200, "the server does not get ready")
        body = {"target": "lung", "findings": QUERY["findings"]}
        assert client.post("/v1/models/asia/explain", json=body).status_code == 200
        answers: list[httpx.Response] = []
        ask = threading.Thread(
            target=lambda: answers.append(client.post("/v1/models/asia/explain", json=body))
        )
        ask.start()
        until(lambda: "bayou_questions_running 1" in _numbers(client) or answers, "the question is not asked")
        process.send_signal(signal.SIGTERM)
        ask.join()
        assert [answer.status_code for answer in answers] == [200]
        process.wait(timeout=PATIENCE)


def _numbers(client: httpx.Client) -> str:
    try:
        return httpx.get(f"{client.base_url}/metrics", timeout=PATIENCE, verify=False).text
    except httpx.TransportError:
        return ""
