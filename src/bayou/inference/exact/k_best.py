"""The k most probable explanations: Lawler's partition, with one run of the same compiled plan per part.

Let a = (a₁ … aₙ) be the most probable assignment of the targets in a set S. The rest of S splits into the
disjoint parts

    S_i = { x in S : x₁ = a₁, …, x_(i−1) = a_(i−1), x_i ≠ a_i },        i = 1 … n.

The most probable assignment of a part, argmax P(x, findings) over x in S_i, is one run of a max-product plan
with 0/1 weights for the allowed states. The next best assignment is the best of all open parts; its part is
split in the same way. Lawler (1972), A procedure for computing the K best solutions to discrete optimization
problems, Management Science 18; Nilsson (1998), An efficient algorithm for finding the M most probable
configurations in probabilistic expert systems, Statistics and Computing 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayou.errors import BadQuestion, TooWide
from bayou.inference.exact.compiled_query import most_probable
from bayou.inference.exact.density_factors import densities
from bayou.inference.exact.log_elimination import eliminate_logs
from bayou.inference.exact.underflow import densities_underflowed
from bayou.inference.query import ask
from bayou.inference.question import Question, evidence_columns, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

TIED = 1e-12
"""Log probabilities count as equal if they differ by at most this, or this times their size above 1."""


@dataclass(frozen=True)
class Assignment:
    """An assignment: the code of each target's state, in order, and log P(codes | findings)."""

    codes: tuple[int, ...]
    log_probability: float


def best(network: FrozenNetwork, question: Question, k: int = 1) -> list[Assignment]:
    """Return the ``k`` most probable joint states of the targets given the findings, the rest summed out.

    There are fewer than ``k`` if no more are possible. The most probable comes first; equally probable ones
    are in the order of their codes, compared target by target. Only for ``k=1`` are ties not resolved (that
    would take at least one run per target): the answer is then one of the most probable, always the same.
    """
    search = _BestAssignments(network, question)
    log_evidence = ask(network, replace(question, targets=())).log_evidence
    if not question.targets:
        return [Assignment((), 0.0)]
    found: list[Assignment] = []
    parts = [part] if (part := search.solved(search.everything())) else []
    while parts and len(found) < k:
        top = max(part.log for part in parts)
        tied = [part for part in parts if part.log >= top - _slack(top)]
        firsts = [search.first(part) for part in tied] if k > 1 else tied
        chosen = min(firsts, key=lambda part: part.codes)
        parts = [part for part in parts if part not in tied]
        parts += [part for part in firsts if part is not chosen]
        found.append(Assignment(chosen.codes, min(chosen.log - log_evidence, 0.0)))
        if len(found) < k:
            parts += search.split(chosen)
    return found


def _slack(log: float) -> float:
    """The largest difference from a log probability that counts as a tie."""
    return TIED * max(1.0, abs(log))


@dataclass(frozen=True, eq=False)
class _Part:
    """A set of assignments (0/1 masks of ``allowed`` states per target) and the most probable of them.

    ``is_first``: of equally probable ones, ``codes`` is known to be the first.
    """

    allowed: tuple[FloatArray, ...]
    codes: tuple[int, ...]
    log: float
    is_first: bool = False


class _BestAssignments:
    """Runs of one plan, with the allowed states as a 0/1 likelihood of each target."""

    def __init__(self, network: FrozenNetwork, question: Question) -> None:
        self.network, self.question = network, question
        self.names = relevant(network, question)
        network.require(self.names)
        for name in question.targets:
            if network.schema[name].is_continuous:
                raise BadQuestion(
                    f"The most probable states can be found for discrete variables only; {name!r} is "
                    "continuous: query it, or leave it out of the targets (it is then integrated out)."
                )
        # The densities are the same for every run: only the allowed states of the targets change.
        self.measured = densities(network, self.names, evidence_columns(network, question))

    def everything(self) -> tuple[FloatArray, ...]:
        """Every state of every target."""
        return tuple(np.ones(self.network.schema[name].cardinality) for name in self.question.targets)

    def solved(self, allowed: Sequence[FloatArray]) -> _Part | None:
        """The most probable of the allowed assignments, or None if none is possible."""
        if any(not mask.any() for mask in allowed):
            return None
        likelihood = dict(self.question.likelihood)
        for name, mask in zip(self.question.targets, allowed, strict=True):
            likelihood[name] = likelihood.get(name, 1.0) * mask
        asked = replace(self.question, likelihood=likelihood)
        states, log = most_probable(self.network, self.names, asked, self.measured)
        if densities_underflowed(self.measured, asked, log):
            states, log = self._in_logs(asked, states, log)
        if not np.isfinite(log):
            return None
        return _Part(tuple(allowed), tuple(states[name] for name in self.question.targets), log)

    def _in_logs(self, asked: Question, states: dict[Name, int], log: float) -> tuple[dict[Name, int], float]:
        """The best cell of the joint table, computed in logs; the plan's own result if that is too wide."""
        evidence = evidence_columns(self.network, asked)
        try:
            table, total = eliminate_logs(
                self.network, self.names, asked.targets, evidence, asked.likelihood, self.measured.logs
            )
        except TooWide:
            if np.isfinite(log):
                return states, log
            raise
        if not np.isfinite(total[0]):
            return states, -np.inf
        cell = np.unravel_index(int(table[0].argmax()), table.shape[1:])
        found = dict(zip(asked.targets, map(int, cell), strict=True))
        return found, float(total[0] + np.log(table[0][cell]))

    def first(self, part: _Part) -> _Part:
        """Of the equally probable assignments in this part, the one whose codes come first."""
        if part.is_first:
            return part
        codes, allowed, log = part.codes, list(part.allowed), part.log
        for place in range(len(codes)):
            while (lower := _below(allowed[place], codes[place])).any():
                trial = self.solved([*allowed[:place], lower, *allowed[place + 1 :]])
                if trial is None or trial.log < part.log - _slack(part.log):
                    break
                codes, log = trial.codes, trial.log
            allowed[place] = _only(allowed[place], codes[place])
        return _Part(part.allowed, codes, log, is_first=True)

    def split(self, part: _Part) -> list[_Part]:
        """The part without its best assignment, as disjoint pieces (S_i above) that are possible."""
        pieces = []
        for place, code in enumerate(part.codes):
            fixed = [_only(mask, c) for mask, c in zip(part.allowed[:place], part.codes[:place], strict=True)]
            other = part.allowed[place].copy()
            other[code] = 0.0
            piece = self.solved([*fixed, other, *part.allowed[place + 1 :]])
            if piece is not None:
                pieces.append(piece)
        return pieces


def _only(mask: FloatArray, code: int) -> FloatArray:
    single = np.zeros_like(mask)
    single[code] = 1.0
    return single


def _below(mask: FloatArray, code: int) -> FloatArray:
    lower = mask.copy()
    lower[code:] = 0.0
    return lower
