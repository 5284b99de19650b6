"""A file that stores the progress of learning a linear Gaussian system."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.fitting.checkpoint import Checkpoint, CheckpointKey, State
from bayou.fitting.checkpoint_parts import state_checksum
from bayou.learning.em.trace import Run, Settings
from bayou.statistics import Statistics
from bayou.temporal.kalman.linear_system import PARTS, LinearSystem
from bayou.temporal.kalman.stored_series import AnySeries
from bayou.temporal.kalman.system_problem import SystemProblem


class SystemCheckpoint(Checkpoint):
    """Stores the matrices of all starts, and the statistics that they come from."""

    same = "the numbers of states, columns or inputs"

    def _state_of(self, network: Any, statistics: Statistics | None) -> State:
        return system_state(network, statistics)

    def _decoded(self, state: State) -> tuple[Any, Statistics | None]:
        return system_from_state(state)

    def _has_other_prior(self, run: State | None) -> bool:
        return False

    def _fits(self, run: Run) -> bool:
        theirs: Any = run.network
        ours: LinearSystem = self._problem.reference
        return all(getattr(theirs, part).shape == getattr(ours, part).shape for part in PARTS)

    def _require_sound(self, run: Run, finished_by_now: bool) -> None:
        if finished_by_now and (run.statistics is None or not run.objectives):
            raise BadFile("a start that has ended has no statistics.")
        pairs: list[tuple[Any, Statistics | None]] = [(run.network, run.statistics)]
        for _, statistics in [*pairs, *([] if run.previous is None else [run.previous])]:
            if statistics is not None and set(statistics) != set(self._problem.countable):
                raise BadFile("the statistics of a start are those of another model.")


def system_state(system: LinearSystem, statistics: Statistics | None) -> State:
    """The matrices of a system and its statistics, as plain values."""
    parts = {part: getattr(system, part) for part in PARTS}
    return {"parts": parts, "learned": None if statistics is None else statistics.state()}


def system_from_state(state: Mapping[str, Any]) -> tuple[LinearSystem, Statistics | None]:
    """Read :func:`system_state`; raise BadFile unless the matrices fit together and are finite."""
    parts = {part: np.ascontiguousarray(state["parts"][part], dtype=np.float64) for part in PARTS}
    if not all(np.isfinite(one).all() for one in parts.values()) or parts["control"].ndim != 2:
        raise BadFile("the matrices of a system are damaged.")
    system = LinearSystem(**parts)
    n, k, m = system.sizes
    shapes = ((n, n), (n, k), (n, n), (m, n), (m, k), (m, m), (n,), (n, n))
    if [one.shape for one in system.arrays] != list(shapes):
        raise BadFile("the matrices of a system do not fit together.")
    learned = state["learned"]
    return system, None if learned is None else Statistics.from_state(learned)


def system_to_be_learned(
    problem: SystemProblem,
    series: AnySeries,
    given: LinearSystem,
    settings: Settings,
    model_state: Callable[[LinearSystem], State] | None,
) -> CheckpointKey:
    """What a checkpoint of this fit is about."""

    def whole_state(network: Any, statistics: Statistics | None) -> State:
        assert model_state is not None
        return model_state(network)

    choices = {
        "present matrices": f"{state_checksum(given.arrays):08x}",
        "keep": f"{state_checksum({part: np.array(free) for part, free in problem.free.items()}):08x}",
        "shapes": str(dict(problem.shapes)),
    }
    return CheckpointKey(
        problem, lambda: _fingerprint(series), settings, None, choices, "kalman", whole_state
    )


def _fingerprint(series: AnySeries) -> str:
    """A text that identifies series: how many there are, and a checksum of all numbers."""
    check = 0
    for part in series.parts():
        weights = np.ones(0) if part.weights is None else part.weights
        for array in (np.diff(part.starts), part.values, part.inputs, weights):
            check = zlib.crc32(np.ascontiguousarray(array).tobytes(), check)
    return f"{series.count} {series.rows} {check:08x}"
