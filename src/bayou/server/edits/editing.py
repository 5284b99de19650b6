"""A list of edits and the network that follows from them, made by a worker process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from bayou.models.network import Network
from bayou.server.edits.forms import AnyEdit
from bayou.server.messages import Message
from bayou.server.operations.operation import Operation
from bayou.server.operations.request_bodies import decoded
from bayou.server.problems import Problem, problem_of, told_problem
from bayou.server.revisions import FILE, Revision, Revisions
from bayou.server.stored_models import StoredModel, stored
from bayou.server.workers.pool import WorkerPool

MOST_EDITS = 10_000


class EditsRequest(Message):
    """Edits that are made one after the other: all of them, or none."""

    edits: Annotated[list[AnyEdit], Meta(max_length=MOST_EDITS)]


class EditsAnswer(Message):
    """The revision that has the edits; the one before stays as it is."""

    revision: str


class EditTask(Message):
    """What a worker is told: the body of the request, and where the network that follows is wanted."""

    save_to: str
    request: bytes


class EditTaskDone(Message):
    """The network is where it was wanted; what the server must know of it."""

    stored: StoredModel


def edit(net: Network, task: EditTask) -> EditTaskDone:
    """Save a copy of the network with the edits; the first that is refused is named by its place."""
    request = decoded(task.request, EditsRequest)
    changed = net.copy()
    for place, one in enumerate(request.edits):
        try:
            one.apply(changed)
        except Exception as error:
            problem = problem_of(error)
            problem.more["edit"] = place
            raise problem from error
    return EditTaskDone(stored(changed, task.save_to))


EDIT = Operation("edit", "Edit a network", EditTask, EditTaskDone, edit)
"""An operation for worker processes only: ``POST …/edits`` is its address."""


async def edited(pool: WorkerPool, revisions: Revisions, revision: Revision, body: bytes) -> Revision:
    """Keep the network that follows from a revision by the edits in the body of a request."""
    with tempfile.TemporaryDirectory(prefix="bayou-edit-") as folder:
        saved = Path(folder, FILE)
        task = msgspec.json.encode(EditTask(str(saved), body))
        status, answer = await pool.run(EDIT.name, str(revision.file), task)
        if status != 200:
            raise told_problem(answer)
        done = msgspec.json.decode(answer, type=EditTaskDone)
        return await revisions.take(saved, done.stored, revision.remarks)


def require_editing(allowed: bool) -> None:
    """Raise unless this server makes new revisions."""
    if not allowed:
        detail = "This server only answers questions: start it with `--allow edits` to open or edit models."
        raise Problem(403, "read-only", detail)
