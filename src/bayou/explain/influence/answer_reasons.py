"""Why P(target=state | findings) is what it is, in numbers.

What each finding adds and its trail, what moved on the way, what is explained away; and whether the findings
conflict, that is, are less likely together than if each came by itself:
conflict = Σ log2 P(fᵢ) − log2 P(f₁, …, fₙ) > 0 bits (Jensen et al. 1991, Analysis in HUGIN of data conflict).

Lacave and Díez (2002), A review of explanation methods for Bayesian networks, Knowl. Eng. Review 17.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np

from bayou.errors import BadQuestion
from bayou.explain.influence.belief_change import BeliefChange
from bayou.explain.influence.explaining_away import ExplainingAway, explained_away
from bayou.explain.influence.finding_subsets import FindingSubsets
from bayou.explain.influence.influences import (
    NOTHING,
    Influence,
    change_since,
    traced_influences,
    weighed_influences,
)
from bayou.inference import Question, impossible_evidence
from bayou.networks import FrozenNetwork
from bayou.text.tables import probability_text
from bayou.typing import FloatArray, Name, State

MOST_IN_WORDS = 3
"""So many findings are told one by one; the others of some weight are summed up."""


@dataclass(frozen=True)
class RestOfFindings:
    """The findings of some weight that are not told one by one, and P(state) without all of them."""

    texts: tuple[str, ...]
    without: float


@dataclass(frozen=True)
class AnswerReasons:
    """Why P(target=state | findings) is what it is; ``influences`` have the largest weight first."""

    target: Name
    state: State
    before: float
    """P(state) when nothing is known."""
    after: float
    influences: tuple[Influence, ...]
    told: tuple[Influence, ...]
    """The findings of the largest weight, which are told one by one."""
    rest: RestOfFindings | None
    changes: tuple[BeliefChange, ...]
    """The variables on the trails, before all findings and after them; the largest distance first."""
    explained_away: tuple[ExplainingAway, ...]
    log_chance: float
    """log P(findings), under the interventions."""
    conflict: float
    """Σ log P(finding) − log P(findings); above 0 they are less likely together than each by itself."""


def answer_reasons(network: FrozenNetwork, question: Question, code: int | None) -> AnswerReasons:
    """The reasons for one state of the target; None: the state whose probability rose most."""
    variable = network.schema[question.targets[0]]
    if variable.is_continuous:
        raise BadQuestion(
            f"{variable.name!r} has no states: an explanation tells why one state of a variable became more "
            "or less likely. Ask for a variable with states."
        )
    subsets = FindingSubsets(network, question)
    if not subsets.names:
        raise BadQuestion("There is no finding that could explain anything; give findings: given={…}.")
    before, after = subsets.table(()), subsets.table(subsets.names)
    if before is None or after is None:
        raise impossible_evidence(network, question)
    chosen = _most_raised(before, after) if code is None else code
    influences = traced_influences(subsets, weighed_influences(subsets, before, after, chosen))
    told = _told(influences, float(after[chosen]))
    return AnswerReasons(
        variable.name,
        variable.states[chosen],
        float(before[chosen]),
        float(after[chosen]),
        influences,
        told,
        _rest(subsets, influences, told, chosen),
        _changes(subsets, influences),
        explained_away(subsets, influences),
        subsets.log_chance(subsets.names),
        _conflict(subsets),
    )


def _most_raised(before: FloatArray, after: FloatArray) -> int:
    """The state whose probability rose most; the most probable one if none changed."""
    rise = after - before
    return int(np.argmax(rise if rise.max() > NOTHING else after))


def _told(influences: tuple[Influence, ...], after: float) -> tuple[Influence, ...]:
    """The first findings without which the probability would be printed as another number."""
    shown = probability_text(after)
    seen = (one for one in influences if one.has_weight and probability_text(one.without) != shown)
    return tuple(islice(seen, MOST_IN_WORDS))


def _rest(
    subsets: FindingSubsets, influences: tuple[Influence, ...], told: tuple[Influence, ...], code: int
) -> RestOfFindings | None:
    """The findings of some weight that are not told one by one, left out all at once."""
    rest = [one for one in influences if one.has_weight and one not in told]
    table = subsets.table(subsets.without(*(one.name for one in rest))) if rest else None
    texts = tuple(one.text for one in rest)
    return None if table is None else RestOfFindings(texts, float(table[code]))


def _changes(subsets: FindingSubsets, influences: tuple[Influence, ...]) -> tuple[BeliefChange, ...]:
    """The variables inside the trails, those that moved most first."""
    inner = dict.fromkeys(name for one in influences for name in (one.trail or ())[1:-1])
    changes = [change_since(subsets, name, ()) for name in inner]
    told = [change for change in changes if change is not None]
    return tuple(sorted(told, key=lambda change: -change.distance))


def _conflict(subsets: FindingSubsets) -> float:
    """Σ log2 P(finding) − log2 P(findings) in bits, under the interventions; 0 for a single finding."""
    findings = (*subsets.observed, *subsets.uncertain)
    if len(findings) < 2:
        return 0.0
    by_itself = sum(subsets.log_chance((*subsets.set_by_hand, name)) for name in findings)
    return (by_itself - subsets.log_chance(subsets.names)) / math.log(2)
