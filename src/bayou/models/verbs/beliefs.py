"""What a network believes, as boxes for its picture: bars and densities, now and before the findings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.models.answers.continuous_posterior import ContinuousPosterior
from bayou.models.answers.expected_value import expected_value
from bayou.models.answers.marginals import Marginals
from bayou.models.answers.posterior import Posterior
from bayou.models.evidence import Given, question_from
from bayou.models.findings import Findings
from bayou.plots.node_boxes import MOST_STATES, BeliefBox, DensityCurve, StateBar, percent_text
from bayou.schema import Variable, label, state_labels
from bayou.text.tables import probability_text, with_deviation
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.inference import Finding, Question
    from bayou.models.network import Network

_POINTS, _REACH = 61, 3.2


@dataclass(frozen=True)
class Beliefs:
    """The box of each variable, the variables set by do(), and the findings in words."""

    boxes: dict[Name, BeliefBox]
    set_by_do: frozenset[Name]
    caption: str


def beliefs_of(
    net: Network, given: Given | None, likelihood: Mapping[Any, Any] | None, do: Given | None
) -> Beliefs:
    """The beliefs of a network about all its variables given these findings.

    >>> import bayou
    >>> found = beliefs_of(bayou.examples.rain_and_wet_grass(), {"WetGrass": "yes"}, None, None)
    >>> found.caption
    'given WetGrass=yes: P(findings) = 0.2600'
    >>> [round(bar.probability, 4) for bar in found.boxes["Rain"].bars], found.boxes["WetGrass"].mark
    ([0.3077, 0.6923], 'observed')
    """
    question = question_from(net.frozen, (), given, likelihood, do)
    before = net.marginals()
    is_plain = not (question.evidence or question.likelihood or question.do)
    now = before if is_plain else net.marginals(given, likelihood=likelihood, do=do)
    boxes = {
        variable.name: _Belief(variable, question, now, None if is_plain else before).box()
        for variable in net.variables
    }
    caption = "" if is_plain else _caption(net, question, now.log_evidence)
    return Beliefs(boxes, frozenset(question.do), caption)


def _caption(net: Network, question: Question, log_evidence: float) -> str:
    said = f"given {Findings.of(net.frozen, question).text}"
    numbers = any(net.variables[name].is_continuous for name in question.evidence)
    if numbers or question.likelihood or not question.evidence:
        return said
    if log_evidence < -700:
        return f"{said}: log P(findings) = {log_evidence:.1f}"
    return f"{said}: P(findings) = {probability_text(math.exp(log_evidence))}"


class _Belief:
    """One variable: what is known about it now and was known before."""

    def __init__(
        self, variable: Variable, question: Question, now: Marginals, before: Marginals | None
    ) -> None:
        self.variable, self.now, self.before = variable, now, before
        name = variable.name
        self.found: Finding | None = question.evidence.get(name, question.do.get(name))
        self.mark = ""
        if name in question.likelihood:
            self.mark = "likelihood"
        if name in question.evidence:
            self.mark = "observed"
        if name in question.do:
            self.mark = "do"

    def box(self) -> BeliefBox:
        name = label(self.variable.name)
        if self.variable.is_text:
            return BeliefBox(
                name, notes=("a text" if self.found is None else label(self.found),), mark=self.mark
            )
        if self.variable.is_continuous:
            return self._curve_box(name)
        bars = self._bars()
        shown = _shortened(bars)
        notes = [f"mean {mean:.4g}"] if (mean := self._mean()) is not None else []
        if len(shown) < len(bars):
            rest = max(1 - sum(bar.probability for bar in shown), 0.0)
            notes.insert(0, f"… {len(bars) - len(shown)} more: {percent_text(rest)}")
        return BeliefBox(name, shown, notes=tuple(notes), mark=self.mark)

    def _bars(self) -> tuple[StateBar, ...]:
        states = state_labels(self.variable.states)
        found = None if self.found is None else int(self.found)
        if found is None:
            now = self._table(self.now)
        else:
            now = np.zeros(len(states))
            now[found] = 1.0
        before = [None] * len(states) if self.before is None else self._table(self.before).tolist()
        rows = zip(states, now.tolist(), before, strict=True)
        return tuple(StateBar(state, p, prior, k == found) for k, (state, p, prior) in enumerate(rows))

    def _table(self, marginals: Marginals) -> FloatArray:
        posterior = marginals[self.variable.name]
        assert isinstance(posterior, Posterior)
        return posterior.to_array()

    def _mean(self) -> float | None:
        """The mean of a discretised variable whose intervals have ends."""
        cuts = self.variable.cuts
        if cuts is None or self.found is not None or not all(interval.is_bounded for interval in cuts):
            return None
        posterior = self.now[self.variable.name]
        return expected_value(posterior) if isinstance(posterior, Posterior) else None

    def _curve_box(self, name: str) -> BeliefBox:
        now = None if self.found is not None else self._density(self.now)
        before = None if self.before is None else self._density(self.before)
        known = [one for one in (now, before) if one is not None]
        ends = [one.mean + side * _REACH * one.std for one in known for side in (-1, 1)]
        value = None if self.found is None else float(self.found)
        ends += [] if value is None else [value]
        low, high = min(ends), max(ends)
        if value is not None:
            note = f"= {value:.6g}"
        else:
            assert now is not None
            note = f"mean {with_deviation(now.mean, now.std)}"
        if not high > low:  # one number is certain
            return BeliefBox(name, curve=DensityCurve(value=0.5), notes=(note,), mark=self.mark)
        points = np.linspace(low, high, _POINTS)
        lines = {k: _finite(one.density(points)) for k, one in (("now", now), ("before", before)) if one}
        highest = max(float(line.max()) for line in lines.values()) or 1.0
        heights = {k: (line / highest).tolist() for k, line in lines.items()}
        at = None if value is None else (value - low) / (high - low)
        curve = DensityCurve(heights.get("now", ()), heights.get("before", ()), at)
        return BeliefBox(name, curve=curve, notes=(note,), mark=self.mark)

    def _density(self, marginals: Marginals) -> ContinuousPosterior:
        posterior = marginals[self.variable.name]
        assert isinstance(posterior, ContinuousPosterior)
        return posterior


def _finite(densities: FloatArray) -> FloatArray:
    """The densities; an infinite one (a certain number) is drawn as high as the highest other, or 1."""
    finite = densities[np.isfinite(densities)]
    top = float(finite.max(initial=0.0)) or 1.0
    return np.where(np.isfinite(densities), densities, top)


def _shortened(bars: tuple[StateBar, ...]) -> tuple[StateBar, ...]:
    """All bars of a few states; of many the found one and the most probable ones, in their order."""
    if len(bars) <= MOST_STATES:
        return bars
    ranked = sorted(range(len(bars)), key=lambda k: (not bars[k].found, -bars[k].probability, k))
    kept = set(ranked[: MOST_STATES - 1])
    return tuple(bar for k, bar in enumerate(bars) if k in kept)
