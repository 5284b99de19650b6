"""The most probable path of unknown states that switch numbers, with the numbers integrated out.

Each path has a density of its own, and there are too many to compare them all, unless few states are unknown.
Then paths are drawn given the whole sequence, and the best of them is improved by changes of one state, as
long as one makes it better; changes that help by themselves are made together, if that helps more. That is
the best path found, not the best one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayou.errors import ImpossibleEvidence
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.switching_particles import SwitchingSettings, drawn_paths
from bayou.temporal.gaussian_templates.weighted_paths import (
    Paths,
    different_paths,
    every_path,
    has_few_paths,
    open_cells,
    path_logs,
)
from bayou.typing import FloatArray

_ROWS = 2**21
"""Changes of one state are tried as long as the paths that were compared have at most so many rows."""
_ROWS_AT_ONCE = 2**16
"""Paths with about so many rows are compared at once, so that memory does not grow with the square of them.
"""


@dataclass(frozen=True, eq=False)
class BestPath:
    """States [row, variable] and numbers [row, number] of one sequence, the numbers given the states."""

    states: Paths
    numbers: FloatArray
    log_density: float
    compared: int | None
    """How many paths were compared; None if these are all."""


def best_path(
    model: MixedModel, evidence: MixedEvidence, sequence: int, settings: SwitchingSettings
) -> BestPath:
    """The best path of one of the sequences that is found, and its numbers."""
    one = evidence.of(sequence)
    compared = None
    if has_few_paths(one):
        states = every_path(one)
        logs = path_logs(model, one, states)
        best, log = states[int(np.argmax(logs))], float(logs.max())
    else:
        states, _ = different_paths(drawn_paths(model, evidence, sequence, settings).states)
        best, log, compared = _improved(model, one, states)
    if log == -np.inf:
        raise ImpossibleEvidence(
            f"Sequence {one.number_of(0)} is impossible under this model: a table gives its states the "
            "probability 0. Look at this sequence, or use tables without zeros."
        )
    _, means, _ = model.smoothed(one.along(best[None]))
    return BestPath(best, means, log, compared)


_Change = tuple[slice, int, int]
"""The rows and the column of states that change, and their new code."""


def _improved(model: MixedModel, one: MixedEvidence, states: Paths) -> tuple[Paths, float, int]:
    """(the best of these paths after changes of one state, its log density, how many were compared)."""
    logs = path_logs(model, one, states)
    best, log, compared = states[int(np.argmax(logs))], float(logs.max()), len(states)
    every = list(_changes(one))
    together = max(1, _ROWS_AT_ONCE // max(one.rows, 1))
    rising = True
    while rising:
        rising = False
        for first in range(0, len(every), together):
            part = [change for change in every[first : first + together] if _differs(best, change)]
            if (compared + len(part) + 1) * one.rows > _ROWS:
                return best, log, compared
            if part:
                before = log
                best, log, tried = _changed(model, one, best, log, part)
                compared, rising = compared + tried, rising or log > before
    return best, log, compared


def _changes(one: MixedEvidence) -> Iterator[_Change]:
    """All changes of one of the unknown states."""
    for name, row in open_cells(one):
        column = one.layout.states.index(name)
        rows = slice(None) if one.layout.template.outside(name) else slice(row, row + 1)
        for code in range(one.layout.variables[name].cardinality):
            yield rows, column, code


def _differs(path: Paths, change: _Change) -> bool:
    rows, column, code = change
    return bool((path[rows, column] != code).any())


def _changed(
    model: MixedModel, one: MixedEvidence, path: Paths, log: float, changes: list[_Change]
) -> tuple[Paths, float, int]:
    """(a path after all of these changes that improve it, or after the best of them, its log density, how
    many paths were compared).
    """
    tried = np.repeat(path[None], len(changes), axis=0)
    for other, (rows, column, code) in zip(tried, changes, strict=True):
        other[rows, column] = code
    logs = path_logs(model, one, tried)
    better = np.flatnonzero(logs > log)
    if not len(better):
        return path, log, len(changes)
    together = path.copy()
    # The best change of a state comes last, and stays.
    for k in better[np.argsort(logs[better], kind="stable")].tolist():
        rows, column, code = changes[k]
        together[rows, column] = code
    own, top = float(path_logs(model, one, together[None])[0]), int(np.argmax(logs))
    found, log = (together, own) if own >= logs[top] else (tried[top], float(logs[top]))
    return found, log, len(changes) + 1
