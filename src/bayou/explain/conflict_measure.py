"""Whether findings support or contradict each other: Jensen's measure of conflict.

For findings e = (e_1, …, e_n)

    conf(e) = log2 [P(e_1) · … · P(e_n) / P(e)]   bits.

Findings that belong together are more probable together than apart, so that conf is negative; a positive conf
is a sign that a finding is wrong, or that the case is one for which the network was not made, or a rare one.
A rare case is a state h of another variable that accounts for the findings:

    conf(e, h) = conf(e) − log2 [P(h | e) / P(h)]

is then not positive. With do(), all probabilities are those after the intervention. The scale of a
likelihood, and the unit of a number, cancel. Jensen, Chamberlain, Nordahl and Jensen (1991), Analysis in
HUGIN of data conflict, UAI 6; Jensen and Nielsen (2007), Bayesian Networks and Decision Graphs, section 5.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, log, nan

import numpy as np

from bayou.errors import BadQuestion
from bayou.inference import DEFAULT_ENGINE, MarginalAnswers, Question, relevant
from bayou.inference.engines import engine_named, suited
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

INDEPENDENT = 1e-9
"""A conflict of at most this many bits, in either direction, counts as none."""


@dataclass(frozen=True)
class PairConflict:
    """The conflict of two findings, in bits: log2 P(first) P(second) / P(both)."""

    first: Name
    second: Name
    bits: float


@dataclass(frozen=True)
class FindingAgainstRest:
    """One finding against all others, in bits: log2 P(finding) / P(finding | all others).

    ``log_alone`` and ``log_given_rest`` are the logs of these two probabilities (of densities, for numbers).
    """

    name: Name
    bits: float
    log_alone: float
    log_given_rest: float


@dataclass(frozen=True)
class RareCause:
    """A state that would explain a conflict: P(state) before and given the findings, and what is left.

    ``bits`` is the conflict that is left once this state is a finding, too: 0 or less.
    """

    name: Name
    state: int
    before: float
    after: float
    bits: float


@dataclass(frozen=True)
class ConflictMeasure:
    """The conflict of all findings in bits (inf: they cannot occur together), of pairs, and of each.

    Pairs and findings have the largest conflict first, causes those that leave the least.
    """

    bits: float
    pairs: tuple[PairConflict, ...]
    findings: tuple[FindingAgainstRest, ...]
    causes: tuple[RareCause, ...]


def conflict_of_findings(network: FrozenNetwork, question: Question) -> ConflictMeasure:
    """Return the conflict of the findings of a question; its targets do not matter."""
    names = findings_of(question)
    if not names:
        raise BadQuestion("There is no finding that could be in conflict; give findings: given={…}.")
    logs = _Logs(network, question)
    alone = {name: logs.of([name]) for name in names}
    together = logs.of(names)
    pairs = []
    for place, first in enumerate(names):
        both = logs.with_each(first, names[place + 1 :])
        pairs += [PairConflict(first, b, _bits(alone[first] + alone[b], joint)) for b, joint in both.items()]
    each = [_against_rest(logs, name, names, alone[name], together) for name in names]
    bits = _bits(sum(alone.values()), together)
    return ConflictMeasure(
        bits,
        tuple(sorted(pairs, key=lambda one: -one.bits)),
        tuple(sorted(each, key=lambda one: inf if isnan(one.bits) else -one.bits)),
        _rare_causes(network, question, bits) if INDEPENDENT < bits < inf else (),
    )


def findings_of(question: Question) -> tuple[Name, ...]:
    """The variables with a finding, evidence first; one that has evidence and a likelihood counts once."""
    return tuple(dict.fromkeys((*question.evidence, *question.likelihood)))


def only(question: Question, names: Iterable[Name]) -> Question:
    """The question without targets and with the findings about these variables only; its do stays."""
    kept = set(names)
    evidence = {name: value for name, value in question.evidence.items() if name in kept}
    likelihood = {name: value for name, value in question.likelihood.items() if name in kept}
    return replace(question, targets=(), evidence=evidence, likelihood=likelihood)


class _Logs:
    """log P of some of the findings of a question; -inf if they are impossible."""

    def __init__(self, network: FrozenNetwork, question: Question) -> None:
        self.network, self.question = network, question

    def of(self, names: Iterable[Name]) -> float:
        """log P of the findings about these variables."""
        part = only(self.question, names)
        if not part.has_findings:
            return 0.0
        needed = relevant(self.network, part)
        self.network.require(needed)
        engine = suited(engine_named(DEFAULT_ENGINE), self.network, needed)
        return engine.answer(self.network, needed, part).log_evidence

    def with_each(self, first: Name, others: Sequence[Name]) -> dict[Name, float]:
        """log P(first and other) for each of the others; one pass for all that have states."""
        base = self.of([first])
        if base == -inf:
            return dict.fromkeys(others, -inf)
        schema, fixed = self.network.schema, self.question.do
        states = [name for name in others if not schema[name].is_continuous and name not in fixed]
        tables = self.marginals([first], states).tables if states else {}
        found = {}
        for name in others:
            chance = self._chance(name, tables[name]) if name in tables else None
            found[name] = self.of([first, name]) if chance is None else base + _log(chance)
        return found

    def _chance(self, name: Name, table: FloatArray) -> float:
        """P(finding about a variable), from the distribution of its states."""
        weights = self.question.likelihood.get(name, np.ones(len(table)))
        if name in self.question.evidence:
            code = int(self.question.evidence[name])
            return float(weights[code] * table[code])
        return float(weights @ table)

    def marginals(self, given: Iterable[Name], names: Sequence[Name]) -> MarginalAnswers:
        """The distribution of each of these variables, given some of the findings."""
        asked = replace(only(self.question, given), targets=tuple(names))
        needed = relevant(self.network, asked)
        self.network.require(needed)
        engine = suited(engine_named(DEFAULT_ENGINE), self.network, needed)
        return engine.marginals(self.network, needed, asked)


def _bits(apart: float, together: float) -> float:
    """The conflict in bits from logs; infinite where the findings cannot occur together."""
    return inf if together == -inf else (apart - together) / log(2)


def _log(chance: float) -> float:
    return log(chance) if chance > 0 else -inf


def _against_rest(
    logs: _Logs, name: Name, names: tuple[Name, ...], alone: float, together: float
) -> FindingAgainstRest:
    rest = logs.of([other for other in names if other != name])
    if rest == -inf:
        # The others contradict each other without this finding: nothing can be said of it.
        return FindingAgainstRest(name, nan, alone, nan)
    return FindingAgainstRest(name, _bits(alone + rest, together), alone, together - rest)


def _rare_causes(network: FrozenNetwork, question: Question, bits: float) -> tuple[RareCause, ...]:
    """The states of other variables with which no conflict is left, those that explain most first."""
    given = {*question.evidence, *question.likelihood, *question.do}
    free = [v.name for v in network.schema if v.name not in given and not v.is_continuous]
    if not free:
        return ()
    logs = _Logs(network, question)
    before, after = logs.marginals([], free).tables, logs.marginals(findings_of(question), free).tables
    causes = []
    for name in free:
        with np.errstate(divide="ignore", invalid="ignore"):
            left = bits - np.log2(after[name] / before[name])
        for code in np.flatnonzero(left <= 0).tolist():
            chances = float(before[name][code]), float(after[name][code])
            causes.append(RareCause(name, code, *chances, float(left[code])))
    return tuple(sorted(causes, key=lambda one: one.bits))
