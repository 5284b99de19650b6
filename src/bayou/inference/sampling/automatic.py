"""An answer for every network: exact where it fits, otherwise the best of three estimates, or bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from bayou.errors import NoEstimate, TooWide
from bayou.inference.answer import Answer, MarginalAnswers
from bayou.inference.bounds.bounds import Bounds
from bayou.inference.engine_options import DEFAULT_SECONDS, EngineOptions
from bayou.inference.engines import Engine, engine_named, suited
from bayou.inference.question import DEFAULT_ENGINE, Question
from bayou.inference.sampling.estimate import Estimate
from bayou.inference.sampling.sampling_engine import Preparation, SamplingEngine
from bayou.memory import current_limits, limits
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

ENTRIES_A_SECOND = 1e8
"""Table entries per second of exact inference, about; a query that would take longer is estimated."""
SIDE_BY_SIDE = ("weighting", "gibbs", "rejection")
_Found = TypeVar("_Found", Answer, MarginalAnswers)


class AutomaticEngine(Engine):
    """Exact if it fits into memory and time; else weighting, Gibbs sampling and rejection, side by side.

    The answer is the estimate with the smallest error among those that can be trusted. If two can be, but
    contradict each other, neither is. Where no estimate can be trusted, the answer has guaranteed bounds.
    """

    handles_numbers = True
    is_exact = False
    draws = True

    def __init__(self, options: EngineOptions | None = None) -> None:
        self.options = options or EngineOptions.from_arguments()

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Answer exactly, or by the best of three estimates."""
        return self._found(network, names, lambda engine: engine.answer(network, names, question))

    def marginals(self, network: FrozenNetwork, names: list[Name], question: Question) -> MarginalAnswers:
        """The same for the posteriors of all targets."""
        return self._found(network, names, lambda engine: engine.marginals(network, names, question))

    def _found(self, network: FrozenNetwork, names: list[Name], ask: Callable[[Engine], _Found]) -> _Found:
        try:
            with limits(work=min(current_limits().work, self.options.seconds * ENTRIES_A_SECOND)):
                return ask(suited(engine_named(DEFAULT_ENGINE), network, names))
        except TooWide:
            return self._estimated(ask)

    def _share(self, before: int) -> EngineOptions:
        """The same options with the share of the time that an engine has after others; it begins now.

        What is left is divided evenly among it, those that follow, and the bounds.
        """
        time = self.options.time
        if time is not None:
            parts = len(SIDE_BY_SIDE) + 1
            left = self.options.until(1.0) - monotonic()
            time = max(left / (parts - before), time / parts / 2)
        return replace(self.options, time=time, started=monotonic())

    def _rest(self) -> EngineOptions:
        """The time that is left for bounds; where there is no limit, the default time."""
        time = DEFAULT_SECONDS if self.options.time is None else self.options.time
        spent = monotonic() - self.options.started
        return replace(self.options, samples=None, time=max(time - spent, time / 4), started=monotonic())

    def _estimated(self, ask: Callable[[Engine], _Found]) -> _Found:
        found: list[_Found] = []
        verdicts: list[str] = []
        preparation = Preparation()
        for before, name in enumerate(SIDE_BY_SIDE):
            engine = engine_named(name, self._share(before))
            if isinstance(engine, SamplingEngine):
                engine.preparation = preparation
            try:
                found.append(ask(engine))
            except NoEstimate as verdict:
                verdicts.append(f"{name}: {verdict}")
        if not found:
            bounds = self._bounded(ask)
            if bounds is None:
                raise NoEstimate(" ".join(verdicts))
            return bounds
        best = min(found, key=_doubt_and_width)
        for other in found if _trusted(best) else ():
            if other is not best and _trusted(other) and _contradict(best, other):
                best = _distrusted(best, "the engines contradict each other, though each is sure of itself")
                break
        return best if _trusted(best) else self._bounded(ask) or best

    def _bounded(self, ask: Callable[[Engine], _Found]) -> _Found | None:
        """Guaranteed bounds; None where they say nothing about some probability."""
        try:
            found = ask(engine_named("bounds", self._rest()))
        except TooWide:
            return None
        says_something = all(float(bounds.margin.max(initial=0.0)) < 0.5 for bounds in _estimates(found))
        return found if says_something else None


def _estimates(found: Answer | MarginalAnswers) -> list[Estimate | Bounds]:
    if isinstance(found, Answer):
        return [found.estimate] if found.estimate is not None else []
    return list(found.estimates.values())


def _trusted(found: Answer | MarginalAnswers) -> bool:
    return all(estimate.trusted for estimate in _estimates(found))


def _doubt_and_width(found: Answer | MarginalAnswers) -> tuple[bool, float]:
    return not _trusted(found), max(
        (float(e.margin.max(initial=0.0)) for e in _estimates(found)), default=0.0
    )


def _contradict(one: Answer | MarginalAnswers, other: Answer | MarginalAnswers) -> bool:
    """Whether two 99 % intervals of the same probability are further apart than their own widths allow.

    With hundreds of probabilities some intervals of correct estimates just miss each other, so that half of
    their widths is allowed as a gap.
    """

    def gap(a: Estimate | Bounds, b: Estimate | Bounds) -> FloatArray:
        apart: FloatArray = np.maximum(a.lower, b.lower) - np.minimum(a.upper, b.upper)
        return apart - (a.margin + b.margin) / 2

    pairs = zip(_estimates(one), _estimates(other), strict=True)
    return any(float(gap(a, b).max(initial=-1.0)) > 0 for a, b in pairs)


def _distrusted(found: _Found, reason: str) -> _Found:
    """The same answer, marked as not to be trusted."""
    doubted = [replace(one, reasons=(reason,)) for one in _estimates(found) if isinstance(one, Estimate)]
    changed: dict[str, Any] = {"estimate": doubted[0]}
    if isinstance(found, MarginalAnswers):
        changed = {"estimates": dict(zip(found.estimates, doubted, strict=True))}
    return replace(found, **changed)
