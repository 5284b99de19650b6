"""How much each finding weighs for a hypothesis: alone, and on top of all the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from bayou.errors import BadQuestion
from bayou.inference import Question, ask
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class FindingStrength:
    """One finding: P(hypothesis) with it alone and without it, and its two weights (log likelihood ratios).

    ``weight_alone`` is log P(finding | H)/P(finding | not H); ``weight`` the same given the other findings,
    that is the log odds with all of them minus those without this one. Infinite where a finding decides the
    matter, NaN where the others have decided it already.
    """

    name: Name
    alone: float
    without: float
    weight_alone: float
    weight: float


@dataclass(frozen=True)
class Strengths:
    """P(hypothesis) before any finding and after all, and the findings: the weightiest on top first."""

    before: float
    after: float
    findings: tuple[FindingStrength, ...]


def strengths(network: FrozenNetwork, question: Question, state: int) -> Strengths:
    """The strength of every finding (observed or by likelihood) for target = state; do() stays throughout."""
    if len(question.targets) != 1 or network.schema[question.targets[0]].is_continuous:
        raise BadQuestion("Strength is measured for a state of one discrete variable.")
    names = list(dict.fromkeys((*question.evidence, *question.likelihood)))
    if not names:
        raise BadQuestion("There is no finding whose strength could be told: given={…}.")

    def odds(kept: list[Name]) -> tuple[float, float]:
        part = replace(
            question,
            evidence=_only(question.evidence, kept),
            likelihood=_only(question.likelihood, kept),
        )
        table = ask(network, part).table
        assert table is not None
        return float(table[state]), _log_odds(table, state)

    (before, prior), (after, posterior) = odds([]), odds(names)
    found = []
    for name in names:
        alone, log_alone = odds([name])
        without, log_without = odds([other for other in names if other != name])
        found.append(
            FindingStrength(name, alone, without, _gap(log_alone, prior), _gap(posterior, log_without))
        )
    found.sort(key=lambda one: -1.0 if np.isnan(one.weight) else abs(one.weight), reverse=True)
    return Strengths(before, after, tuple(found))


def _only(findings: Mapping[Name, _Value], kept: list[Name]) -> dict[Name, _Value]:
    return {name: value for name, value in findings.items() if name in kept}


def _log_odds(table: FloatArray, state: int) -> float:
    # The other states are added up: 1 - P would lose the digits of a small remainder.
    against = float(np.delete(table, state).sum())
    with np.errstate(divide="ignore"):
        return float(np.log(table[state]) - np.log(against))


def _gap(after: float, before: float) -> float:
    return float("nan") if np.isinf(before) else after - before
