"""What each finding and intervention adds to the probability of a state, and the trail along which it acts.

The weight of a finding is the log odds of the state with everything that is known minus those without this
finding (leave one out; Good 1950). Trails are those of :mod:`bayou.explain.influence.open_trails`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from bayou.explain.influence.belief_change import BeliefChange, change_of, moves
from bayou.explain.influence.finding_subsets import FindingSubsets
from bayou.explain.influence.open_trails import KnownNodes, separators, widest_trail
from bayou.graphs import Dag
from bayou.typing import FloatArray, Name

MOST_TRAILS = 8
"""Trails are searched for this many findings, those of the largest weight; each takes all marginals once."""
NOTHING = 1e-9
"""A weight, or a change of a probability, below this is none: rounding."""


@dataclass(frozen=True)
class Influence:
    """One finding or intervention: P(state) with it alone and with all but it, its weights and its trail.

    ``weight`` is the log odds with everything minus those without this one; infinite if it makes the state
    certain or impossible, NaN if the state is so without it (or what is left cannot be). ``trail`` is the
    open trail that carries most, None if there is none or if it was not searched. ``separated_by`` are the
    other known variables that keep it from the target; None if nothing does.
    """

    name: Name
    text: str
    is_intervention: bool
    alone: float
    without: float
    weight_alone: float
    weight: float
    chance: float | None
    """P(finding) under the interventions; None for a likelihood, a number, a text and an intervention."""
    trail: tuple[Name, ...] | None = None
    separated_by: tuple[Name, ...] | None = None

    @property
    def has_weight(self) -> bool:
        """Whether leaving it out changes the probability."""
        return abs(self.weight) > NOTHING


def weighed_influences(
    subsets: FindingSubsets, before: FloatArray, after: FloatArray, code: int
) -> list[Influence]:
    """Every finding and intervention with its weights, the largest first."""
    found = []
    for name in subsets.names:
        alone, without = subsets.table((name,)), subsets.table(subsets.without(name))
        found.append(
            Influence(
                name,
                subsets.text(name),
                name in subsets.set_by_hand,
                math.nan if alone is None else float(alone[code]),
                math.nan if without is None else float(without[code]),
                _weight(before, alone, code),
                _weight(without, after, code),
                subsets.chance(name),
            )
        )
    return sorted(found, key=lambda one: -1.0 if math.isnan(one.weight) else abs(one.weight), reverse=True)


def _weight(before: FloatArray | None, after: FloatArray | None, code: int) -> float:
    """The log odds of a state after minus before; NaN if it is certain, or impossible, in both."""
    if before is None or after is None:
        return math.nan
    earlier, later = _log_odds(before, code), _log_odds(after, code)
    return math.nan if math.isinf(earlier) and earlier == later else later - earlier


def _log_odds(table: FloatArray, code: int) -> float:
    # The other states are summed: 1 - P would lose the digits of a small remainder.
    against = float(np.delete(table, code).sum())
    with np.errstate(divide="ignore"):
        return float(np.log(table[code]) - np.log(against))


def traced_influences(subsets: FindingSubsets, influences: list[Influence]) -> tuple[Influence, ...]:
    """The influences with their trails, or with what separates them from the target."""
    found: list[Influence] = []
    for place, one in enumerate(influences):
        traced = replace(one, separated_by=_separators(subsets, one.name))
        if place < MOST_TRAILS and traced.separated_by is None:
            traced = replace(traced, trail=_trail(subsets, one.name))
        found.append(traced)
    return tuple(found)


def _separators(subsets: FindingSubsets, name: Name) -> tuple[Name, ...] | None:
    if name == subsets.target:
        return None
    return separators(_graph(subsets, name), name, subsets.target, *_others(subsets, name))


def _trail(subsets: FindingSubsets, name: Name) -> tuple[Name, ...] | None:
    """The widest open trail from a finding to the target (a shortest, if no beliefs can be computed)."""
    without, everything = subsets.beliefs(subsets.without(name)), subsets.beliefs(subsets.names)
    moved = {} if without is None or everything is None else moves(without, everything)
    return widest_trail(known_beside(subsets, name), name, subsets.target, moved)


def known_beside(subsets: FindingSubsets, name: Name, *left_out: Name) -> KnownNodes:
    """What is known beside a finding, and beside others that are left out."""
    return KnownNodes.of(_graph(subsets, name), *_others(subsets, name, *left_out))


def _graph(subsets: FindingSubsets, name: Name) -> Dag:
    """The graph in which a finding acts; an intervention acts on what comes after it."""
    dag = subsets.network.dag
    return dag.without_arcs_into((name,)) if name in subsets.set_by_hand else dag


def _others(subsets: FindingSubsets, *left_out: Name) -> list[list[Name]]:
    """What is known beside these names: observed, set by hand, uncertain."""
    kinds = (subsets.observed, subsets.set_by_hand, subsets.uncertain)
    return [[name for name in kind if name not in left_out] for kind in kinds]


def change_since(subsets: FindingSubsets, name: Name, kept: tuple[Name, ...]) -> BeliefChange | None:
    """How a variable changes from what is kept to everything that is known; None if that cannot be told."""
    before = subsets.beliefs(kept) if kept else subsets.prior(name)
    after = subsets.beliefs(subsets.names)
    return None if before is None or after is None else change_of(subsets.network.schema, name, before, after)
