"""Answers for many rows are sent while they are made; a late problem cuts them off; nothing is left."""

from __future__ import annotations

import asyncio
import contextlib
import urllib.parse
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.patience import PATIENCE

import bayou
from bayou.server.app import make_app
from bayou.server.problems import Problem
from bayou.server.rows.answering import RowsTask, RowsTaskDone
from bayou.server.rows.growing_answers import GrowingAnswers, csv_columns, notes_beside
from bayou.server.rows.row_routes import LATER
from bayou.server.service import Service
from bayou.server.settings import Settings

DONE = 200, msgspec.json.encode(RowsTaskDone(["the last note"]))
Work = Callable[[RowsTask], Awaitable[tuple[int, bytes]]]


def test_a_file_appears_with_its_second_part(tmp_path: Path) -> None:
    place, notes = tmp_path / "answers.csv", ["first"]
    file = GrowingAnswers(place, notes)
    seen: list[bytes | None] = []

    def parts() -> Iterator[list[Any]]:
        for number in range(3):
            seen.append(place.read_bytes() if place.exists() else None)
            yield [np.array([number + 0.5, np.nan]), np.array(["a,b", None], dtype=object)]
            notes.append("later")

    with csv_columns(file.hidden, ["p", "P"], ["DOUBLE", "VARCHAR"]) as columns:
        file.write_all(columns, parts())
    file.show()
    lines = [f'{number}.5,"a,b"\n,\n'.encode() for number in range(3)]
    assert seen == [None, None, b"p,P\n" + lines[0] + lines[1]]
    assert place.read_bytes() == b"p,P\n" + b"".join(lines)
    assert msgspec.json.decode(notes_beside(place).read_bytes()) == ["first", "later"]


class Asked:
    """A request for many rows, whose client reads message by message."""

    def __init__(
        self, service: Service, work: Work, monkeypatch: pytest.MonkeyPatch, query: bytes = b""
    ) -> None:
        async def run(operation: str, path: str, body: bytes) -> tuple[int, bytes]:
            return await work(msgspec.json.decode(body, type=RowsTask))

        monkeypatch.setattr(service.rows_pool, "run", run)
        self.messages: asyncio.Queue[Any] = asyncio.Queue()
        self.leaves = asyncio.Event()
        self._has_sent = False
        headers = [(b"host", b"localhost"), (b"content-type", b"text/csv")]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/models/asia/rows",
            "query_string": b"target=lung" + query,
            "headers": headers,
            "http_version": "1.1",
            "root_path": "",
        }
        self.task = asyncio.ensure_future(make_app(service)(scope, self._receive, self.messages.put))

    async def _receive(self) -> Any:
        if self._has_sent:
            await self.leaves.wait()
            return {"type": "http.disconnect"}
        self._has_sent = True
        return {"type": "http.request", "body": b"smoke\nyes\n", "more_body": False}

    async def next(self) -> Any:
        return await asyncio.wait_for(self.messages.get(), PATIENCE)

    async def notes(self) -> list[str]:
        """The notes in the head of the answer, which comes next."""
        begun = await self.next()
        assert begun["status"] == 200
        headers = {name.decode(): value.decode() for name, value in begun["headers"]}
        return urllib.parse.unquote(headers.get("bayou-notes", "")).split("\n")


@pytest.fixture
def service() -> Iterator[Service]:
    found = Service(Settings())
    found.publish("asia", bayou.examples.asia())
    yield found
    found.revisions.close()
    found.tables.close()


def shown(task: RowsTask, content: bytes) -> Path:
    """The file of answers, with a first part in its place."""
    file = GrowingAnswers(Path(task.save_to), ["the first note"])
    file.hidden.write_bytes(content)
    file.show()
    return Path(task.save_to)


def test_the_answer_begins_before_the_work_ends(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        goes_on, folders = asyncio.Event(), []

        async def work(task: RowsTask) -> tuple[int, bytes]:
            place = shown(task, b"first,")
            folders.append(place.parent)
            await goes_on.wait()
            with place.open("ab") as file:
                file.write(b"second")
            return DONE

        asked = Asked(service, work, monkeypatch)
        assert await asked.notes() == ["the first note", LATER]
        assert await asked.next() == {"type": "http.response.body", "body": b"first,", "more_body": True}
        goes_on.set()
        assert (await asked.next())["body"] == b"second"
        assert await asked.next() == {"type": "http.response.body", "body": b"", "more_body": False}
        assert not folders[0].exists()
        await asked.task

    asyncio.run(play())


def test_who_waits_gets_all_notes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        async def work(task: RowsTask) -> tuple[int, bytes]:
            shown(task, b"all")
            await asyncio.sleep(0.3)
            return DONE

        asked = Asked(service, work, monkeypatch, b"&notes=wait")
        assert await asked.notes() == ["the last note"]
        await asked.task

    asyncio.run(play())


def test_a_late_problem_cuts_the_answer_off(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        goes_on = asyncio.Event()

        async def work(task: RowsTask) -> tuple[int, bytes]:
            shown(task, b"first")
            await goes_on.wait()
            raise Problem(504, "too-long", "It took too long.")

        asked = Asked(service, work, monkeypatch)
        await asked.notes()
        assert (await asked.next())["body"] == b"first"
        goes_on.set()
        await asked.task
        assert asked.messages.empty()  # neither an end nor a second head: uvicorn closes the connection

    asyncio.run(play())


@pytest.mark.parametrize("has_begun", [False, True])
def test_the_work_ends_when_the_client_goes(
    service: Service, monkeypatch: pytest.MonkeyPatch, has_begun: bool
) -> None:
    async def play() -> None:
        ended, begun, folders = asyncio.Event(), asyncio.Event(), []

        async def work(task: RowsTask) -> tuple[int, bytes]:
            folders.append(Path(task.save_to).parent)
            if has_begun:
                shown(task, b"first")
            begun.set()
            try:
                await asyncio.sleep(600)
            finally:
                ended.set()
            raise AssertionError

        asked = Asked(service, work, monkeypatch)
        await begun.wait()
        if has_begun:
            await asked.notes()
        asked.leaves.set()
        with contextlib.suppress(Problem):
            await asyncio.wait_for(asked.task, PATIENCE)
        assert ended.is_set()
        assert not folders[0].exists()

    asyncio.run(play())
