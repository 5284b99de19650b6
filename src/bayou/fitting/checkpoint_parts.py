"""Parts of checkpoints: finished starts, last steps, and what identifies models and rows."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.declared_types import with_declared_fields
from bayou.errors import BadFile
from bayou.learning.em.acceleration import StepHistory
from bayou.learning.em.trace import Outcome
from bayou.learning.em.training_rows import TrainingRows, checksum

if TYPE_CHECKING:
    from bayou.fitting.checkpoint import State


def outcomes_of(entries: list[list[Any]], worth: list[float]) -> tuple[Outcome, ...]:
    """The finished starts, whose numbers are 0, 1, …"""
    pairs = zip(entries, worth, strict=True)
    finished = tuple(
        with_declared_fields(Outcome(number, iterations, value, verdict, problem))
        for (number, iterations, verdict, problem), value in pairs
    )
    if [one.number for one in finished] != list(range(len(finished))):
        raise BadFile("the finished starts are not numbered one after the other.")
    return finished


def steps_state(steps: StepHistory) -> State:
    size = len(steps.present)
    inputs, outputs = (np.array(part).reshape(-1, size) for part in (steps.inputs, steps.outputs))
    return {"present": steps.present, "inputs": inputs, "outputs": outputs}


def steps_of(state: State) -> StepHistory:
    present, inputs, outputs = (state[key] for key in ("present", "inputs", "outputs"))
    shaped = present.ndim == 1 and inputs.shape == outputs.shape == (len(inputs), len(present))
    if not shaped or not all(np.isfinite(part).all() for part in (present, inputs, outputs)):
        raise BadFile("the last steps of a start are damaged.")
    return StepHistory(present, tuple(inputs), tuple(outputs))


def state_checksum(value: object, check: int = 0) -> int:
    """A checksum of a network's state as it would be in a file."""
    if isinstance(value, np.ndarray):
        return zlib.crc32(np.ascontiguousarray(value).tobytes(), check)
    if isinstance(value, dict):
        value = list(value.items())
    if not isinstance(value, list | tuple):
        return zlib.crc32(repr(value).encode(), check)
    for one in value:
        check = state_checksum(one, check)
    return check


def fingerprint(rows: TrainingRows) -> str:
    """A text that identifies the data: rows, weight, missing values, and a checksum of the rows."""
    census = rows.census
    gaps = sorted((str(name), count) for name, count in census.gaps.items() if count)
    return f"{census.rows} {census.weight!r} {gaps} {rows.map(checksum):08x}"
