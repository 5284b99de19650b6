"""A worker process: answers one question after another, and can be killed at any time.

Started as ``python -m bayou.server.worker MEMORY`` with pipes for input and output. Each message to it is
``[operation, path of the model, body]``, each message from it ``[status, body]``.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections import OrderedDict
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from bayou.errors import ImpossibleEvidence
from bayou.loading import load
from bayou.memory import limits
from bayou.server.drawing import DRAWING
from bayou.server.exports import EXPORT, LOSSES
from bayou.server.frames import packed, read_frame
from bayou.server.operations.operation import read_request
from bayou.server.operations.registry import OPERATIONS
from bayou.server.problems import problem_of
from bayou.server.stated_findings import releases
from bayou.server.uploads import READ_UPLOAD

_MOST_MODELS = 8
_WITHOUT_ADDRESS = (READ_UPLOAD, DRAWING, EXPORT, LOSSES)
_KNOWN = {**OPERATIONS, **{each.name: each for each in _WITHOUT_ADDRESS}}
_models: OrderedDict[str, Any] = OrderedDict()


def answer(operation: str, path: str, body: bytes) -> tuple[int, bytes]:
    """Answer a question about the model in a file: the status and the body of the answer."""
    chosen = _KNOWN[operation]
    request: Any = None
    try:
        request = read_request(chosen, body)
        return 200, msgspec.json.encode(chosen.answer(_model(path), request))
    except Exception as error:
        problem = problem_of(error)
        if isinstance(error, ImpossibleEvidence):
            problem.more["release"] = releases(_model(path), getattr(request, "findings", []))
        if problem.status >= 500:
            print_place(operation, error)
        return problem.status, msgspec.json.encode(problem.document())


def print_place(operation: str, error: Exception) -> None:
    """Tell the log where an error came from; its message may have findings in it, and is not told."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    sys.stderr.write(f"{operation}: {type(error).__name__} in {Path(place.filename).name}:{place.lineno}\n")


def _model(path: str) -> Any:
    if path not in _models:
        _models[path] = load(path)
        if len(_models) > _MOST_MODELS:
            _models.popitem(last=False)
    _models.move_to_end(path)
    return _models[path]


def bound_memory(most: int) -> None:
    """Let the system refuse this process more than ``most`` bytes of memory, where it can."""
    try:
        import resource
    except ImportError:  # another system
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main(most: int) -> None:
    """Answer until the pipe is closed. What the library prints goes to standard error."""
    source: BinaryIO = os.fdopen(os.dup(0), "rb")
    sink: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    bound_memory(most)
    with limits(memory=most / 2):
        while True:
            try:
                operation, path, body = read_frame(source)
            except EOFError:
                return
            sink.write(packed(answer(operation, path, body)))
            sink.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
