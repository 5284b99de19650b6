"""The address of many rows: bodies go to a file, a worker answers to another one, sent while it grows."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from bayou.errors import listed
from bayou.server.addresses.request_parts import JSON, MakeRoute, require_type, type_of
from bayou.server.models.kinds import with_article
from bayou.server.problems import Problem, told_problem
from bayou.server.revisions import Revision
from bayou.server.rows.answering import ANSWER_ROWS, Format, RowsTask, RowsTaskDone
from bayou.server.rows.growing_answers import notes_beside
from bayou.server.service import Service, unless_gone
from bayou.server.tables.table_routes import TABLE_TYPES

CSV = "text/csv"
ARROW = "application/vnd.apache.arrow.stream"
ANSWER_TYPES: dict[str, Format] = {JSON: "json", CSV: "csv", ARROW: "arrow"}
NOTES = "Bayou-Notes"
"""The header of answers that are not JSON, with the notes: sentences, percent-encoded, one line each."""
LATER = "This answer began before the last row was read: ask with notes=wait for the notes on all rows."
_BLOCK = 1 << 16
_GLANCE = 0.05
"""The seconds between two looks at a file that grows."""
_MOST_NOTES = 4000
RowsWork = asyncio.Future[tuple[int, bytes]]
"""What a worker is doing: the status and the body of its answer."""


class RowRoutes:
    """The handler of many rows."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def all(self, route: MakeRoute) -> list[BaseRoute]:
        """The address, with its method."""
        return [route("/v1/models/{model}/rows", "POST", self._rows)]

    async def _rows(self, request: Request) -> Response:
        require_type(request, JSON, *TABLE_TYPES)
        revision = self._service.find(request.path_params["model"])
        _require_rows(revision)
        kind = answer_type(request.headers.get("accept", ""), type_of(request))
        may_grow = _may_grow(request)
        folder = tempfile.TemporaryDirectory(prefix="bayou-rows-")
        work: RowsWork | None = None
        try:
            task = await self._task(request, Path(folder.name), ANSWER_TYPES[kind])
            place = Path(task.save_to)
            work = asyncio.ensure_future(
                self._service.rows_pool.run(ANSWER_ROWS.name, str(revision.file), msgspec.json.encode(task))
            )
            await unless_gone(_begun(work, place if may_grow else None), request.receive)
            notes = _notes(work, place)
        except BaseException:
            await _given_up(work, folder)
            raise
        told = quote("\n".join(notes), safe=" ,.'")
        headers = {NOTES: told[:_MOST_NOTES]} if told and kind != JSON else {}
        return GrowingResponse(work, place, folder, kind, headers)

    async def _task(self, request: Request, folder: Path, answer: Format) -> RowsTask:
        is_json = type_of(request) == JSON
        arrived = folder / "arrived"
        most = self._service.settings.most_body if is_json else self._service.settings.most_table
        await _write(arrived, request.stream(), most)
        unknown = request.query_params.get("unknown", "missing")
        if unknown not in ("missing", "error"):
            raise Problem(422, "bad-request", "unknown= is 'missing' or 'error'.")
        return RowsTask(
            str(arrived),
            is_json,
            list(request.query_params.getlist("target")),
            "error" if unknown == "error" else "missing",
            str(folder / f"answers.{answer}"),
            answer,
            most,
        )


def _require_rows(revision: Revision) -> None:
    if revision.kind not in ANSWER_ROWS.kinds:
        raise Problem(
            422,
            "wrong-kind",
            f"This is {with_article(revision.kind)}; posteriors of rows have {listed(ANSWER_ROWS.kinds)}. "
            "Ask sequences for filter, smooth, decode, forecast or score.",
        )


def answer_type(accepted: str, sent: str) -> str:
    """The content type of the answer: the first that the client accepts, else as it was sent, else CSV.

    >>> answer_type("*/*", "text/csv"), answer_type("application/json, text/csv", "text/csv")
    ('text/csv', 'application/json')
    """
    wanted = [part.partition(";")[0].strip().lower() for part in accepted.split(",") if part.strip()]
    for kind in wanted:
        if kind in ANSWER_TYPES:
            return kind
    if wanted and not any(kind in ("*/*", "text/*", "application/*") for kind in wanted):
        raise Problem(406, "not-acceptable", f"Accept one of {', '.join(ANSWER_TYPES)}.")
    return sent if sent in ANSWER_TYPES else CSV


async def _write(place: Path, body: AsyncIterator[bytes], most: int) -> None:
    size = 0
    with place.open("wb") as file:
        async for part in body:
            size += len(part)
            if size > most:
                raise Problem(413, "too-large", f"Rows in JSON have at most {most // 2**20} MB: send CSV.")
            file.write(part)


def _may_grow(request: Request) -> bool:
    """Whether the answer may begin before the last row is answered."""
    notes = request.query_params.get("notes", "begin")
    if notes not in ("begin", "wait"):
        raise Problem(422, "bad-request", "notes= is 'begin' or 'wait'.")
    return notes == "begin"


async def _begun(work: RowsWork, place: Path | None) -> None:
    """Wait until a file of answers is in its place, or until all is done."""
    while not work.done() and not (place is not None and place.exists()):
        await asyncio.wait((work,), timeout=_GLANCE)


def _notes(work: RowsWork, place: Path) -> list[str]:
    """The notes on the rows, or what is known of them so far; the problem if there is no answer."""
    if not work.done():
        return [*msgspec.json.decode(notes_beside(place).read_bytes(), type=list[str]), LATER]
    status, answer = work.result()
    if status != 200:
        raise told_problem(answer)
    return msgspec.json.decode(answer, type=RowsTaskDone).notes


async def _given_up(work: RowsWork | None, folder: tempfile.TemporaryDirectory[str]) -> None:
    """End the work, if it goes on, and delete its files."""
    try:
        if work is not None:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
    finally:
        folder.cleanup()


class GrowingResponse(Response):
    """An answer that is sent while it is made: a file that grows until the work ends; then it is deleted.

    If the work fails then, the answer is cut off: its end, which every client waits for, does not come.
    """

    def __init__(
        self,
        work: RowsWork,
        place: Path,
        folder: tempfile.TemporaryDirectory[str],
        kind: str,
        headers: dict[str, str],
    ) -> None:
        self.status_code, self.media_type, self.background = 200, kind, None
        self.init_headers(headers)
        self._work, self._place, self._folder = work, place, folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file until the end, or until the client has gone."""
        try:
            await unless_gone(self._sent(send), receive)
        finally:
            await _given_up(self._work, self._folder)

    async def _sent(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        with self._place.open("rb") as file:
            is_whole = False
            while not is_whole:
                is_whole = self._work.done()  # before it is read: then all is read
                while block := await asyncio.to_thread(file.read, _BLOCK):
                    await send({"type": "http.response.body", "body": block, "more_body": True})
                if not is_whole:
                    await asyncio.wait((self._work,), timeout=_GLANCE)
        _notes(self._work, self._place)
        self._folder.cleanup()  # who has read the end finds nothing left
        await send({"type": "http.response.body", "body": b"", "more_body": False})
