"""A worker process: answers one question after another, and can be killed at any time.

Started as ``python -m bayou.server.workers.worker MEMORY`` with pipes for input and output. Each
message to it is ``[operation, path of the model, body, path of a table]``, each message from it ``[status,
body]``, or before that ``["progress", task, steps done]``.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import OrderedDict
from typing import Any, BinaryIO

import msgspec

from bayou.errors import ImpossibleEvidence
from bayou.loading import load
from bayou.memory import limits
from bayou.progress import show_progress
from bayou.server.drawing import DRAWING
from bayou.server.edits.editing import EDIT
from bayou.server.faults import tell_fault
from bayou.server.files.exports import EXPORT, LOSSES, WRITE
from bayou.server.files.uploads import READ_UPLOAD
from bayou.server.jobs.learning import LEARN, WARM_UP
from bayou.server.models.descriptions import DESCRIPTION
from bayou.server.operations.operation import Operation, read_request
from bayou.server.operations.registry import OPERATIONS
from bayou.server.problems import problem_of
from bayou.server.rows.answering import ANSWER_ROWS
from bayou.server.stated_findings import releases
from bayou.server.tables.reading import DESCRIBE_TABLE, READ_TABLE, TABLE_ROWS
from bayou.server.tables.table_file import TableFile
from bayou.server.workers.frames import PROGRESS, packed, read_frame
from bayou.server.workers.stopping import Stopped, Stopping

_MOST_MODELS = 8
_BETWEEN_REPORTS = 0.1
SERVER = "BAYOU_SERVER_PROCESS"
"""The variable that has the number of the server's process, which may have ended before this one asks."""
NICENESS = 10
"""Workers leave the processor to the server, which answers small questions itself, and at once."""
_GLANCE = 1.0
"""The seconds between two looks whether the server still runs."""
_WITHOUT_ADDRESS = (
    READ_UPLOAD,
    DRAWING,
    DESCRIPTION,
    EXPORT,
    LOSSES,
    WRITE,
    EDIT,
    READ_TABLE,
    DESCRIBE_TABLE,
    TABLE_ROWS,
    LEARN,
    WARM_UP,
    ANSWER_ROWS,
)
_KNOWN = {**OPERATIONS, **{each.name: each for each in _WITHOUT_ADDRESS}}
_models: OrderedDict[str, Any] = OrderedDict()


def answer(operation: str, path: str, body: bytes, table: str = "") -> tuple[int, bytes]:
    """Answer a question about the model in a file, and a table: the status and the body of the answer."""
    chosen = _KNOWN[operation]
    request: Any = None
    try:
        request = read_request(chosen, body)
        more = (TableFile(table),) if chosen.takes_table else ()
        return 200, msgspec.json.encode(chosen.answer(_opened(chosen, path), *more, request))
    except Exception as error:
        problem = problem_of(error)
        if isinstance(error, ImpossibleEvidence):
            problem.more["release"] = releases(_opened(chosen, path), getattr(request, "findings", []))
        if problem.status >= 500:
            tell_fault(operation, error)
        return problem.status, msgspec.json.encode(problem.document())


def _opened(operation: Operation, path: str) -> Any:
    """The model, or whatever else the operation is about; models are kept for the next question."""
    if operation.opens is not load:
        return operation.opens(path)
    if path not in _models:
        _models[path] = load(path)
        if len(_models) > _MOST_MODELS:
            _models.popitem(last=False)
    _models.move_to_end(path)
    return _models[path]


class TellingWorker:
    """Tells the server of progress, but not more often than somebody can read."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink, self._next = sink, 0.0

    def advance(self, task: str, done: int) -> None:
        """Tell how many steps are done."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _BETWEEN_REPORTS
            self._sink.write(packed([PROGRESS, task, done]))
            self._sink.flush()

    def finish(self, task: str) -> None:
        """Nothing: the answer is the end."""


def bound_memory(most: int) -> None:
    """Let the system refuse this process more than ``most`` bytes of memory, where it can."""
    try:
        import resource
    except ImportError:  # another system
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def end_with_server() -> None:
    """End this process soon after the server's has ended, also in the middle of a question."""
    server = int(os.environ.get(SERVER, os.getppid()))

    def watch() -> None:
        while os.getppid() == server:
            time.sleep(_GLANCE)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main(most: int) -> None:
    """Answer until the pipe is closed. What the library prints goes to standard error."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    source: BinaryIO = os.fdopen(os.dup(0), "rb")
    sink: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    end_with_server()
    bound_memory(most)
    stopping = Stopping()
    with limits(memory=most / 2), show_progress(TellingWorker(sink)):
        while True:
            try:
                question = read_frame(source)
            except EOFError:
                return
            try:
                with stopping.working():
                    answered = answer(*question)
            except Stopped:
                _models.clear()  # it may have been in the middle of a change
                answered = 499, b""
            sink.write(packed(answered))
            sink.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
