"""A question with some of its findings and interventions left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from bayou.errors import ImpossibleEvidence, TooWide
from bayou.inference import (
    DEFAULT_ENGINE,
    Answer,
    MarginalAnswers,
    Question,
    SlicedTables,
    ask,
    finding_text,
    plain_marginals,
)
from bayou.inference.engines import engine_named, suited
from bayou.inference.query import ask_codes
from bayou.memory import current_limits, limits
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import FloatArray, Name

SMALL = 64
"""Up to so many variables all marginals are computed on the tree of the whole network."""
MOST_WORK = 2.0**26
"""The most table entries of one pass over all marginals: some tenths of a second."""
_Value = TypeVar("_Value")


class FindingSubsets:
    """Answers to a question about one variable under any part of what is known; each is computed once.

    ``names`` are the variables that are observed, weighed by a likelihood or set by hand. Where what is left
    has probability 0 (only an intervention made it possible), there is no answer: None.
    """

    def __init__(self, network: FrozenNetwork, question: Question) -> None:
        self.network, self.question = network, question
        self.target = question.targets[0]
        self.observed = tuple(question.evidence)
        self.uncertain = tuple(name for name in question.likelihood if name not in question.evidence)
        self.set_by_hand = tuple(question.do)
        self.names: tuple[Name, ...] = tuple(
            dict.fromkeys((*question.evidence, *question.likelihood, *question.do))
        )
        self._answers: dict[frozenset[Name], Answer | None] = {}
        self._beliefs: dict[frozenset[Name], MarginalAnswers | None] = {}

    def without(self, *left_out: Name) -> tuple[Name, ...]:
        """All names but these."""
        return tuple(name for name in self.names if name not in left_out)

    def text(self, name: Name) -> str:
        """What is known of a variable, as printed: ``xray=yes``, ``age in {40, 50}``, ``do(smoke=no)``."""
        asked, variable = self.question, self.network.schema[name]
        if name in asked.do:
            return f"do({finding_text(variable, asked.do[name])})"
        weighed = asked.shown.get(name, f"likelihood of {label(name)}")
        if name not in asked.evidence:
            return weighed
        found = finding_text(variable, asked.evidence[name])
        return f"{found}, {weighed}" if name in asked.likelihood else found

    def table(self, kept: Iterable[Name]) -> FloatArray | None:
        """P(target | what is kept), a number for each state."""
        answer = self._answer(kept)
        return None if answer is None else answer.table

    def log_chance(self, kept: Iterable[Name]) -> float:
        """log P(the findings that are kept), under the interventions that are kept."""
        answer = self._answer(kept)
        if answer is None:
            return float("-inf")
        return answer.log_evidence if self._part(kept).has_findings else 0.0

    def chance(self, name: Name) -> float | None:
        """P(finding) under the interventions; None if it is not a state or a set of states."""
        asked, variable = self.question, self.network.schema[name]
        is_weighed = name in asked.likelihood and not set(asked.likelihood[name].tolist()) <= {0.0, 1.0}
        if name in asked.do or variable.is_continuous or is_weighed:
            return None
        return math.exp(self.log_chance((*self.set_by_hand, name)))

    def beliefs(self, kept: Iterable[Name]) -> MarginalAnswers | None:
        """The posterior of every variable that can be on a trail, given what is kept.

        None if that takes more than ``MOST_WORK``, or if what is kept is impossible.
        """
        chosen = frozenset(kept)
        if chosen not in self._beliefs:
            self._beliefs[chosen] = self._believed(self._part(chosen))
        return self._beliefs[chosen]

    def prior(self, name: Name) -> MarginalAnswers:
        """The belief in one variable when nothing is known."""
        found = ask(self.network, Question((name,)))
        if found.mixture is not None:
            return MarginalAnswers(0.0, mixtures={name: found.mixture})
        return MarginalAnswers(0.0, {} if found.table is None else {name: found.table})

    def _believed(self, part: Question) -> MarginalAnswers | None:
        if len(self.network.dag) <= SMALL and not part.likelihood and not part.do:
            states = {name: self._state(name, part) for name in part.evidence}
            plain = plain_marginals(self.network, states)
            if plain is not None:
                return MarginalAnswers(plain.log_evidence, SlicedTables(plain.flat, plain.places))
        # Nothing below the target and the findings can be on an open trail.
        names = [n for n in self.network.dag.with_ancestors((self.target, *self.names)) if n not in part.do]
        free = tuple(name for name in names if name not in part.evidence)
        engine = suited(engine_named(DEFAULT_ENGINE), self.network, names)
        try:
            with limits(work=min(MOST_WORK, current_limits().work)):
                found = engine.marginals(self.network, names, replace(part, targets=free))
        except TooWide:
            return None
        return None if found.log_evidence == -math.inf else found

    def _state(self, name: Name, part: Question) -> object:
        variable, found = self.network.schema[name], part.evidence[name]
        return found if variable.is_continuous else variable.states[int(found)]

    def _part(self, kept: Iterable[Name]) -> Question:
        chosen, asked = set(kept), self.question
        return replace(
            asked,
            evidence=_only(asked.evidence, chosen),
            likelihood=_only(asked.likelihood, chosen),
            do=_only(asked.do, chosen),
        )

    def _answer(self, kept: Iterable[Name]) -> Answer | None:
        chosen = frozenset(kept)
        if chosen not in self._answers:
            self._answers[chosen] = self._asked(self._part(chosen))
        return self._answers[chosen]

    def _asked(self, part: Question) -> Answer | None:
        try:
            codes = {name: found for name, found in part.evidence.items() if isinstance(found, int)}
            if part.likelihood or part.do or len(codes) < len(part.evidence):
                return ask(self.network, part)
            table, log_evidence = ask_codes(self.network, self.target, codes)
            return Answer(part.targets, table, None, log_evidence)
        except ImpossibleEvidence:
            return None


def _only(findings: Mapping[Name, _Value], kept: set[Name]) -> dict[Name, _Value]:
    return {name: value for name, value in findings.items() if name in kept}
