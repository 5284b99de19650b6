"""Models in uploaded bytes: read by a worker process, never by the server's own."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from bayou.loading import load
from bayou.server.messages import Message
from bayou.server.operations.operation import Operation
from bayou.server.problems import Problem, told_problem
from bayou.server.revisions import FILE, Revision, Revisions
from bayou.server.stored_models import StoredModel, stored
from bayou.server.workers.pool import WorkerPool


class ReadRequest(Message):
    """Where the model is written in bayou's own format, which the server reads."""

    save_to: str


class ReadAnswer(Message):
    """What the reader of the format had to remark, and what the server must know of the model."""

    remarks: list[str]
    stored: StoredModel


def read_upload(model: Any, request: ReadRequest) -> ReadAnswer:
    """Save a model that was read from uploaded bytes."""
    return ReadAnswer(list(getattr(model, "unread", ())), stored(model, request.save_to))


def fresh(path: str) -> Any:
    """The model that a file has now: a worker does not keep it."""
    return load(path)


READ_UPLOAD = Operation(
    "read-upload", "Read uploaded bytes", ReadRequest, ReadAnswer, read_upload, opens=fresh
)
"""An operation for worker processes only: it has no address."""


async def revision_of_file(pool: WorkerPool, revisions: Revisions, path: str) -> tuple[Revision, list[str]]:
    """Keep the model in a file of any known format, which a worker reads; also the remarks of its reader."""
    with tempfile.TemporaryDirectory(prefix="bayou-read-") as folder:
        saved = Path(folder, FILE)
        body = msgspec.json.encode(ReadRequest(str(saved)))
        status, answer = await pool.run(READ_UPLOAD.name, path, body)
        if status != 200:
            raise told_problem(answer)
        read = msgspec.json.decode(answer, type=ReadAnswer)
        return await revisions.take(saved, read.stored, tuple(read.remarks)), read.remarks


async def revision_of_upload(
    pool: WorkerPool, revisions: Revisions, content: bytes
) -> tuple[Revision, list[str]]:
    """Keep the model in the bytes of a file of any known format; also the remarks of its reader."""
    with tempfile.TemporaryDirectory(prefix="bayou-upload-") as folder:
        uploaded = Path(folder, "uploaded")
        await asyncio.to_thread(uploaded.write_bytes, content)
        try:
            return await revision_of_file(pool, revisions, str(uploaded))
        except Problem as problem:
            detail = problem.detail.replace(str(uploaded), "The file")
            raise Problem(problem.status, problem.kind, detail, headers=problem.headers) from None
