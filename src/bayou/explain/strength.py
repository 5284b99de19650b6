"""The weight of each finding for a hypothesis: alone, and given all other findings.

The weight of a finding f for H is the log likelihood ratio log [P(f | H) / P(f | not H)], which equals the
log odds of H with f minus those without f. Good (1950), Probability and the Weighing of Evidence.
"""

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
    """One finding: P(H) with it alone and with all others but without it, and its two weights.

    ``weight_alone`` is log P(finding | H)/P(finding | not H); ``weight`` is the same given the other
    findings: the log odds with all findings minus those without this one. It is infinite if the finding
    makes H certain or impossible, and NaN if H is so without it.
    """

    name: Name
    alone: float
    without: float
    weight_alone: float
    weight: float


@dataclass(frozen=True)
class FindingStrengths:
    """P(H) before any finding and after all, and the findings, those of the largest weight first."""

    before: float
    after: float
    findings: tuple[FindingStrength, ...]


def strengths(network: FrozenNetwork, question: Question, state: int) -> FindingStrengths:
    """Return the strength of every finding (evidence or likelihood) for target = state; do() always holds."""
    if len(question.targets) != 1 or network.schema[question.targets[0]].is_continuous:
        raise BadQuestion("Strength is measured for a state of one discrete variable.")
    names = list(dict.fromkeys((*question.evidence, *question.likelihood)))
    if not names:
        raise BadQuestion("There is no finding whose strength could be measured; give findings: given={…}.")

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
    return FindingStrengths(before, after, tuple(found))


def _only(findings: Mapping[Name, _Value], kept: list[Name]) -> dict[Name, _Value]:
    return {name: value for name, value in findings.items() if name in kept}


def _log_odds(table: FloatArray, state: int) -> float:
    # The other states are summed: 1 - P would lose the digits of a small remainder.
    against = float(np.delete(table, state).sum())
    with np.errstate(divide="ignore"):
        return float(np.log(table[state]) - np.log(against))


def _gap(after: float, before: float) -> float:
    return float("nan") if np.isinf(before) else after - before
