"""Paths of the unknown states of a sequence, with their probabilities given everything known of it.

Where there are few paths, these are all of them, and what is computed from them is exact. Otherwise they are
drawn backwards through Rao-Blackwellised particles.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou.errors import ImpossibleEvidence
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.switching_particles import SwitchingSettings, drawn_paths
from bayou.typing import FloatArray, Name

MOST_PATHS = 256
"""A sequence with at most so many paths of its unknown states is answered by all of them, exactly."""
_CELLS = 2**22
"""About so many numbers of paths are computed at once."""

Paths = npt.NDArray[np.uint32]
"""States [path, row, variable]."""


@dataclass(frozen=True, eq=False)
class WeightedPaths:
    """Different paths of one sequence, and their shares, which sum to 1. ``exact`` says whether these are all
    paths; otherwise ``log_likelihood`` is an estimate.
    """

    states: Paths
    shares: FloatArray
    log_likelihood: float
    exact: bool


def has_few_paths(one: MixedEvidence) -> bool:
    """Whether all paths of the unknown states of a sequence can be listed."""
    count = 1
    for name, _ in open_cells(one):
        count *= one.layout.variables[name].cardinality
        if count > MOST_PATHS or count * max(one.rows, 1) > _CELLS:
            return False
    return True


def every_path(one: MixedEvidence) -> Paths:
    """All paths of the states of a sequence, which has few."""
    cells = list(open_cells(one))
    choices = [range(one.layout.variables[name].cardinality) for name, _ in cells]
    found = np.repeat(one.codes[None], int(np.prod([len(own) for own in choices])), axis=0)
    for path, picked in zip(found, itertools.product(*choices), strict=True):
        for (name, row), code in zip(cells, picked, strict=True):
            # A variable outside time has its value in every row.
            rows = slice(None) if one.layout.template.outside(name) else row
            path[rows, one.layout.states.index(name)] = code
    return found


def open_cells(one: MixedEvidence) -> Iterator[tuple[Name, int]]:
    """The states that are not known: variable and row."""
    for name in one.layout.states:
        begins = one.rows_where_it_begins(name)
        for row in begins[~one.known(name)[begins]].tolist():
            yield name, row


def path_logs(model: MixedModel, one: MixedEvidence, paths: Paths) -> FloatArray:
    """log P(path, what is known) of each path, with the unknown numbers integrated out."""
    together = max(1, _CELLS // max(1, one.rows * len(model.layout.numbers)))
    parts = [
        model.log_likelihoods(one.along(paths[first : first + together]))
        for first in range(0, len(paths), together)
    ]
    found = np.concatenate(parts)
    for name, values in one.likelihoods.items():
        begins = one.rows_where_it_begins(name)
        begins = begins[~one.was_set(name)[begins]]
        states = paths[:, begins, one.layout.states.index(name)]
        with np.errstate(divide="ignore"):
            found = found + np.log(values[begins, states]).sum(axis=1)
    return found if one.scales is None else found + one.scales.sum()


def weighted_paths(
    model: MixedModel, evidence: MixedEvidence, sequence: int, settings: SwitchingSettings
) -> WeightedPaths:
    """The paths of one of the sequences."""
    one = evidence.of(sequence)
    if not has_few_paths(one):
        drawn = drawn_paths(model, evidence, sequence, settings)
        states, counts = different_paths(drawn.states)
        return WeightedPaths(states, counts / counts.sum(), drawn.log_likelihood, exact=False)
    states = every_path(one)
    logs = path_logs(model, one, states)
    total = float(np.logaddexp.reduce(logs))
    if total == -np.inf:
        raise ImpossibleEvidence(
            f"Sequence {one.number_of(0)} is impossible under this model: a table gives every path of its "
            "states the probability 0. Learn with a prior above 0, or look at this sequence."
        )
    shares = np.exp(logs - total)
    possible = shares > 0
    return WeightedPaths(states[possible], shares[possible], total, exact=True)


def different_paths(states: Paths) -> tuple[Paths, FloatArray]:
    """(the paths without repetitions, how often each occurs)."""
    flat = np.ascontiguousarray(states).reshape(len(states), -1)
    found, counts = np.unique(flat, axis=0, return_counts=True)
    return found.reshape(-1, *states.shape[1:]), counts.astype(np.float64)
