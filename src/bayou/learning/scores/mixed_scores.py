"""Scores of continuous and discrete variables together; each answer of moments serves many families."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from bayou.distributions.gaussian.gaussian_evidence import evidence_of_groups
from bayou.learning.scores.batched_regressions import log_likelihoods
from bayou.learning.scores.local_scores import FamilyNumbers, LocalScores, SourceScores
from bayou.learning.scores.moment_cache import LARGEST, KeptMoments, MomentCache
from bayou.learning.scores.scores import Score
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Moments, Source
from bayou.typing import FloatArray, IntArray, Name

Part: TypeAlias = tuple[KeptMoments, list[FamilyNumbers]]
"""An answer, and some of the families that are scored from it."""

AT_ONCE = 1 << 20
"""The largest number of scatter entries that are eliminated at once, unless a single family has more."""

_LARGE = 1e300
"""Scatter beyond this may overflow when it is summed over groups."""


class MixedScores(SourceScores):
    """Scores of mixed data in which no continuous value is missing, so that families can share moments.

    Families of discrete variables are scored by ``states``, a scorer of the discrete variables alone.

    >>> from bayou.learning.scores.scores import BIC
    >>> from bayou.sources import open_source
    >>> source = open_source({"A": [0, 0, 1, 1] * 9, "x": [0.5, 1.5, 5.5, 6.5] * 9})
    >>> variables = [source.variable("A"), source.variable("x")]
    >>> scores = mixed_scores(source, variables, BIC(), SourceScores(source, variables[:1], BIC()))
    >>> scores.families([(1, ()), (1, (0,))]).round(3).tolist()
    [-88.358, -33.296]
    """

    def __init__(
        self,
        source: Source,
        variables: Sequence[Variable],
        score: Score,
        states: LocalScores,
        whole: GroupMoments,
    ) -> None:
        super().__init__(source, variables, score)
        self._states = states
        discrete = [at for at, variable in enumerate(variables) if not variable.is_continuous]
        self._among_states = {at: place for place, at in enumerate(discrete)}
        self._moments = MomentCache(source, self.variables, whole)

    def _learn(self, families: Sequence[FamilyNumbers]) -> None:
        """Score families that are not known yet: discrete ones, continuous children, then any others."""
        among = self._among_states
        counted = [(child, parents) for child, parents in families if {child, *parents} <= among.keys()]
        if counted:
            renamed = [(among[child], tuple(among[parent] for parent in given)) for child, given in counted]
            self._known.update(zip(counted, self._states.families(renamed).tolist(), strict=True))
        continuous = [family for family in families if family[0] not in among]
        for answers in self._moments.answers(continuous):
            self._regress(answers)
        others = [family for family in families if family not in self._known]
        if others:
            super()._learn(others)

    def _regress(self, answers: Sequence[tuple[KeptMoments, tuple[FamilyNumbers, ...]]]) -> None:
        """Score the families of these answers; families with equally many variables are scored together."""
        alike: dict[int, list[Part]] = {}
        for answer, served in answers:
            sizes: dict[int, list[FamilyNumbers]] = {}
            for family in served:
                sizes.setdefault(len(self._moments.members(family)), []).append(family)
            for size, families in sizes.items():
                step = max(1, AT_ONCE // (answer.moments.n.size * size * size))
                parts = alike.setdefault(size, [])
                parts += [(answer, families[at : at + step]) for at in range(0, len(families), step)]
        for size, parts in alike.items():
            for some in _portions(parts, size):
                self._regress_alike(some)

    def _regress_alike(self, parts: Sequence[Part]) -> None:
        """Score families that all have the same number of continuous variables."""
        members = [self._members(answer, families) for answer, families in parts]
        groups = [answer.moments.n.size for answer, families in parts for _ in families]
        owner = np.repeat(np.arange(len(groups)), groups)
        logs = _log_likelihoods([answer for answer, _ in parts], members, owner)
        summed = iter(np.bincount(owner, logs, len(groups)).tolist())
        for (answer, families), places in zip(parts, members, strict=True):
            rows = answer.moments.total
            parameters = answer.moments.n.size * (places.shape[1] + 1)
            for family in families:
                self._known[family] = self.score.of_likelihood(next(summed), parameters, rows)

    def _members(self, answer: KeptMoments, families: Sequence[FamilyNumbers]) -> IntArray:
        """The positions of each family's variables in the answer, the child last."""
        place = answer.place
        return np.array([[place[member] for member in self._moments.members(family)] for family in families])


def _portions(parts: Sequence[Part], variables: int) -> Iterator[list[Part]]:
    """Cut the families (each of this many variables) into portions of at most ``AT_ONCE`` scatter entries."""
    portion: list[Part] = []
    filled = 0
    for answer, families in parts:
        size = answer.moments.n.size * variables * variables * len(families)
        if portion and filled + size > AT_ONCE:
            yield portion
            portion, filled = [], 0
        portion.append((answer, families))
        filled += size
    yield portion


def _log_likelihoods(
    answers: Sequence[KeptMoments], members: Sequence[IntArray], owner: IntArray
) -> FloatArray:
    """The maximal log-likelihood of each group of each family.

    Groups where the fast elimination is not clear of rounding are computed by
    :func:`evidence_of_groups`, with ``owner`` (the family of each group) and the pooled rows.
    """
    stacks = [answer.regressions(places) for answer, places in zip(answers, members, strict=True)]
    n, mean, scatter, spread = (np.concatenate(pieces) for pieces in zip(*stacks, strict=True))
    logs, clear = log_likelihoods(scatter, spread, n)
    if not clear.all():
        rest = np.flatnonzero(~clear)
        groups = GroupMoments(_unnamed(mean), (), n[rest], mean[rest], scatter[rest])
        lines = [answer.lines(places) for answer, places in zip(answers, members, strict=True)]
        pooled = GroupMoments(
            groups.variables,
            (),
            np.concatenate([line.n for line in lines]),
            np.concatenate([line.mean for line in lines]),
            np.concatenate([line.scatter for line in lines]),
        )
        logs[rest] = evidence_of_groups(groups, pooled, owner[rest])
    return logs


def _unnamed(mean: FloatArray) -> tuple[Name, ...]:
    """Placeholder names: the variables differ from family to family, and only their number matters."""
    return tuple(range(mean.shape[1]))


def mixed_scores(
    source: Source, variables: Sequence[Variable], score: Score, states: LocalScores
) -> SourceScores:
    """Scores from shared moments, or family by family where values are missing or too large to be summed."""
    names = tuple(variable.name for variable in variables if variable.is_continuous)
    if len(names) ** 2 > LARGEST:
        return SourceScores(source, variables, score)
    request = Moments(names)
    statistics = source.collect([request])
    whole = statistics[request]
    complete = math.isclose(whole.total, statistics.rows, rel_tol=1e-12)
    if not complete or not _moderate(whole.scatter):
        return SourceScores(source, variables, score)
    return MixedScores(source, variables, score, states, whole)


def _moderate(scatter: FloatArray) -> bool:
    """Whether sums over groups of this scatter cannot overflow."""
    return bool(np.all(np.abs(scatter) < _LARGE))
