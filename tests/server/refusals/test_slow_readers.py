"""Clients that ask and read nothing are cut off, slow ones are not; those that go make no noise."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import pytest
import uvicorn
from tests.patience import PATIENCE
from tests.server.raw_requests import head
from uvicorn.server import ServerState

import bayou
from bayou.server.access import connection_limits, slow_readers
from bayou.server.access.connection_limits import TimedProtocol, bounded_protocol
from bayou.server.app import make_app
from bayou.server.service import Service
from bayou.server.settings import Settings

DESCRIPTION = head("/openapi.json", "GET")
ALIVE = head("/healthz", "GET", Connection="close")


@dataclass
class Listening:
    """A server in this process: its address, its connections, what went wrong in its loop."""

    port: int
    connections: set[Any]
    tasks: set[Any]
    problems: list[dict[str, Any]] = field(default_factory=list)

    async def until(self, is_so: Callable[[], bool]) -> None:
        async def wait() -> None:
            while not is_so():
                await asyncio.sleep(0.02)

        await asyncio.wait_for(wait(), PATIENCE)

    def connect(self) -> socket.socket:
        """A connection that holds little of what it is sent."""
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", self.port))
        raw.setblocking(False)
        return raw


Serve = Callable[[Callable[[Listening], Awaitable[None]]], Listening]


@pytest.fixture(params=["plain", "fast"])
def serve(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Runs a function beside a server with one of the two readers of HTTP."""
    if request.param == "fast" and not (find_spec("httptools") and find_spec("uvloop")):
        pytest.skip("this reader needs httptools and uvloop (the extra 'serve')")
    monkeypatch.setattr(slow_readers, "READING_SECONDS", 0.5)
    service = Service(Settings())
    service.publish("asia", bayou.examples.asia())
    protocol: Any = TimedProtocol if request.param == "plain" else bounded_protocol()
    config = uvicorn.Config(
        make_app(service), http=protocol, lifespan="off", log_config=None, access_log=False
    )

    async def run(work: Callable[[Listening], Awaitable[None]]) -> Listening:
        loop, state = asyncio.get_running_loop(), ServerState()
        server = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
        found = Listening(server.sockets[0].getsockname()[1], state.connections, state.tasks)
        loop.set_exception_handler(lambda _, context: found.problems.append(context))
        await work(found)
        await found.until(lambda: not state.tasks)
        server.close()
        return found

    def runner(work: Callable[[Listening], Awaitable[None]]) -> Listening:
        if request.param == "plain":
            return asyncio.run(run(work))
        import uvloop

        loop = uvloop.new_event_loop()
        try:
            return loop.run_until_complete(run(work))
        finally:
            loop.close()

    yield runner
    service.revisions.close()
    service.tables.close()


def test_a_client_that_reads_nothing_is_cut_off(serve: Serve) -> None:
    async def work(server: Listening) -> None:
        with server.connect() as raw:
            raw.send(DESCRIPTION * 100)
            await server.until(lambda: any(each.is_stalled for each in server.connections))
            await server.until(lambda: not server.connections)

    assert not serve(work).problems


def test_what_is_behind_a_closed_connection_is_not_kept(serve: Serve) -> None:
    """An answer that fits the buffers, so that nothing waits for the client but the end of the connection."""

    async def work(server: Listening) -> None:
        with server.connect() as raw:
            raw.send(DESCRIPTION * 99 + head("/openapi.json", "GET", Connection="close"))
            await server.until(lambda: bool(server.connections))
            await server.until(lambda: not server.connections)

    assert not serve(work).problems


def test_what_counts_is_what_the_client_reads(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what the system takes for it, in steps of megabytes."""
    monkeypatch.setattr(slow_readers, "READING_SECONDS", PATIENCE)

    async def work(server: Listening) -> None:
        loop = asyncio.get_running_loop()
        with server.connect() as raw:
            raw.send(DESCRIPTION * 100)
            await server.until(lambda: any(each.is_stalled for each in server.connections))
            (connection,) = server.connections
            for _ in range(3):
                before = connection.transport.taken
                while connection.transport.taken < before + slow_readers.LEAST_BYTES:
                    await asyncio.wait_for(loop.sock_recv(raw, 2**15), PATIENCE)
                connection._look.cancel()
                connection._require_progress(before)
                assert connection.is_stalled
            connection._look.cancel()
            connection._require_progress(connection.transport.taken)
            await server.until(lambda: not server.connections)

    serve(work)


def test_those_who_read_nothing_make_room(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_readers, "READING_SECONDS", PATIENCE)
    monkeypatch.setattr(connection_limits, "MOST_CONNECTIONS", 3)

    async def work(server: Listening) -> None:
        loop = asyncio.get_running_loop()
        stalled = [server.connect() for _ in range(3)]
        for raw in stalled:
            raw.send(DESCRIPTION * 100)
        await server.until(lambda: sum(each.is_stalled for each in server.connections) == 3)
        with server.connect() as raw:
            raw.send(ALIVE)
            assert (await asyncio.wait_for(loop.sock_recv(raw, 100), PATIENCE)).startswith(b"HTTP/1.1 200 OK")
        for raw in stalled:
            raw.close()
        await server.until(lambda: not server.connections)

    serve(work)


def test_clients_that_hang_up_make_no_noise(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    async def work(server: Listening) -> None:
        for number in (1, 3, 30, 100):
            raw = server.connect()
            raw.send(DESCRIPTION * number)
            await asyncio.sleep(0.01)
            raw.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
            )  # a reset, no orderly end
            raw.close()
        await server.until(lambda: not server.connections)
        await asyncio.sleep(0.1)

    assert not serve(work).problems
    assert not caplog.records


def test_a_question_ends_when_its_client_hangs_up_with_others_behind_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def for_ever(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Service, "long_answer", for_ever)

    async def work(server: Listening) -> None:
        raw = server.connect()
        question = b'{"findings": []}'
        length = str(len(question))
        raw.send(head("/v1/models/asia/most-probable", Content_Length=length) + question + ALIVE * 3)
        await server.until(lambda: bool(server.tasks))
        await asyncio.sleep(0.05)
        raw.close()
        await server.until(lambda: not server.tasks)

    assert not serve(work).problems
