"""Networks in uploaded bytes: read by a worker process, never by the server's own."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from bayou.errors import BadFile
from bayou.loading import load
from bayou.models.network import Network
from bayou.server.messages import Message
from bayou.server.operations.operation import Operation
from bayou.server.pool import WorkerPool
from bayou.server.problems import Problem, told_problem


class ReadRequest(Message):
    """Where the network is written in bayou's own format, which the server reads."""

    save_to: str


class ReadAnswer(Message):
    """What the reader of the format had to remark."""

    remarks: list[str]


def read_upload(model: Any, request: ReadRequest) -> ReadAnswer:
    """Save a network that was read from uploaded bytes."""
    if not isinstance(model, Network):
        raise BadFile(f"The file holds a {type(model).__name__}, not a network.")
    model.save(request.save_to)
    return ReadAnswer(list(model.unread))


READ_UPLOAD = Operation("read-upload", "Read uploaded bytes", ReadRequest, ReadAnswer, read_upload)
"""An operation for worker processes only: it has no address."""


async def network_of_upload(pool: WorkerPool, content: bytes) -> tuple[Network, tuple[str, ...]]:
    """Return the network in the bytes of a file of any known format, and remarks of its reader."""
    with tempfile.TemporaryDirectory(prefix="bayou-upload-") as folder:
        uploaded, saved = Path(folder, "uploaded"), Path(folder, "saved.bayou")
        uploaded.write_bytes(content)
        body = msgspec.json.encode(ReadRequest(str(saved)))
        status, answer = await pool.run(READ_UPLOAD.name, str(uploaded), body)
        if status != 200:
            problem = told_problem(answer)
            raise Problem(status, problem.kind, problem.detail.replace(str(uploaded), "The file"))
        network: Network = await asyncio.to_thread(load, saved)
        return network, tuple(msgspec.json.decode(answer, type=ReadAnswer).remarks)
