"""Explaining away: a cause takes back what a known common effect had added to another cause (Pearl 1988)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bayou.explain.influence.belief_change import BeliefChange
from bayou.explain.influence.finding_subsets import FindingSubsets
from bayou.explain.influence.influences import NOTHING, Influence, change_since, known_beside
from bayou.explain.influence.open_trails import widest_trail
from bayou.typing import Name, State


@dataclass(frozen=True)
class ExplainingAway:
    """A cause takes back what a common effect had added to the target: P(target=state) fell.

    ``finding`` is a cause itself, or it makes a state of a cause more likely (``through``).
    """

    finding: str
    effect: str
    state: State
    before: float
    """P(target=state) without the finding."""
    after: float
    through: BeliefChange | None
    """The cause that is not known itself, without the finding and with it."""


def explained_away(subsets: FindingSubsets, influences: tuple[Influence, ...]) -> tuple[ExplainingAway, ...]:
    """Every finding with a trail that explains a known effect of the target in another way."""
    found = [_explained(subsets, one) for one in influences if one.trail is not None and len(one.trail) > 2]
    return tuple(one for one in found if one is not None)


def _explained(subsets: FindingSubsets, one: Influence) -> ExplainingAway | None:
    """Explaining away by one finding, all of whose influence comes through the common effect.

    That is so if the finding and the target are separated without what is known of the effect.
    """
    place = _common_effect(subsets, one.trail or ())
    if place is None:
        return None
    cause, effect = place
    if widest_trail(known_beside(subsets, one.name, *effect), one.name, subsets.target, {}) is not None:
        return None
    numbers = _taken_back(subsets, one.name, effect)
    through = None if cause == one.name else change_since(subsets, cause, subsets.without(one.name))
    if numbers is None or (cause != one.name and (through is None or through.state is None)):
        return None
    code, before, after = numbers
    state = subsets.network.schema[subsets.target].states[code]
    effects = " and ".join(subsets.text(name) for name in effect)
    return ExplainingAway(one.text, effects, state, before, after, through)


def _taken_back(
    subsets: FindingSubsets, finding: Name, effect: tuple[Name, ...]
) -> tuple[int, float, float] | None:
    """The state that the effect raises most, and its probability without the finding and with it.

    None if the effect raises none, or if the finding does not lower it again.
    """
    neither = subsets.table(subsets.without(finding, *effect))
    with_effect, with_both = subsets.table(subsets.without(finding)), subsets.table(subsets.names)
    if neither is None or with_effect is None or with_both is None:
        return None
    code = int(np.argmax(with_effect - neither))
    before, after = float(with_effect[code]), float(with_both[code])
    return (code, before, after) if before - neither[code] > NOTHING and before - after > NOTHING else None


def _common_effect(subsets: FindingSubsets, trail: tuple[Name, ...]) -> tuple[Name, tuple[Name, ...]] | None:
    """The cause and the findings of the effect on a trail ``finding … cause -> … -> effect <- … <- target``.

    None if the trail has another form.
    """
    dag = subsets.network.dag
    forward = [before in dag.parents(after) for before, after in pairwise(trail)]
    meetings = [k for k in range(1, len(forward)) if forward[k - 1] and not forward[k]]
    if len(meetings) != 1 or any(forward[meetings[0] :]):
        return None
    first = meetings[0]
    while first > 0 and forward[first - 1]:
        first -= 1
    met, found = trail[meetings[0]], (*subsets.observed, *subsets.uncertain)
    if met in found:
        return trail[first], (met,)
    below = dag.descendants((met,)) - {trail[0]}
    return trail[first], tuple(name for name in found if name in below)
