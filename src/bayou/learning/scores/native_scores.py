"""Scores of families from rows in memory, by the compiled kernel; and the choice of the fastest scorer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou._native import FamilyMemory, FamilyScorer
from bayou.distributions import BDeu, Laplace
from bayou.learning.scores.gaussian_scores import gaussian_scores
from bayou.learning.scores.local_scores import FamilyNumbers, LocalScores, SourceScores
from bayou.learning.scores.mixed_scores import mixed_scores
from bayou.learning.scores.scores import AIC, BIC, BDs, LogLikelihood, MarginalLikelihood, Score
from bayou.schema import Variable
from bayou.statistics import Batch, Source, rows_in_memory
from bayou.typing import FloatArray, IntArray

LARGEST_DATA = 1 << 30
"""Data are kept in memory only if their codes and the kernel's bit planes take at most this many bytes."""

MOST_PLANE_STATES = 20
"""Columns with more states than this have no bit planes in the kernel."""


class NativeScores:
    """Scores from rows in memory: discrete variables, no weights. The core remembers every score.

    >>> codes = np.array([0, 0, 1, 1] * 9, np.uint8)
    >>> batch = Batch(36, {"A": codes, "B": codes}, {})
    >>> scores = NativeScores(batch, [Variable("A", [0, 1]), Variable("B", [0, 1])], BIC())
    >>> scores.families([(1, ()), (1, (0,))]).round(3).tolist()
    [-26.745, -3.584]
    """

    def __init__(self, batch: Batch, variables: Sequence[Variable], score: Score) -> None:
        self.variables = tuple(variables)
        self.score, self.batch = score, batch
        rule = _rule(score)
        if rule is None or batch.weights is not None:
            raise ValueError("the kernel takes only rows without weights, and only the scores built into it")
        self._kind, self._parameter = rule
        self._scorer = FamilyScorer(
            [np.ascontiguousarray(batch.codes[variable.name]) for variable in self.variables],
            [variable.cardinality for variable in self.variables],
        )
        self.memory = FamilyMemory(self._scorer, self._kind, self._parameter)

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each family."""
        return self.memory.families(wanted)

    def unremembered(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each family, not remembered: for searches that store millions of scores themselves."""
        children = np.array([child for child, _ in wanted], dtype=np.int64)
        sizes = [len(parents) for _, parents in wanted]
        flat = np.array([parent for _, parents in wanted for parent in parents], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        scores: FloatArray = self._scorer.families(children, offsets, flat, self._kind, self._parameter)
        return scores

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """The score of the child with these parents and one more, for each candidate."""
        return self.memory.additions(child, parents, np.asarray(candidates, dtype=np.int64))


def local_scores(source: Source, variables: Sequence[Variable], score: Score) -> LocalScores:
    """The fastest scorer for these variables: rows in memory, one scatter matrix, or statistics requests.

    >>> from bayou.sources import open_source
    >>> source = open_source({"A": [0, 1, 1], "B": [0, 1, 0]})
    >>> type(local_scores(source, [source.variable("A"), source.variable("B")], BIC())).__name__
    'NativeScores'
    """
    continuous = [variable.is_continuous for variable in variables]
    if all(continuous) and continuous:
        found = gaussian_scores(source, variables, score)
        if found is not None:
            return found
    elif not any(continuous) and _rule(score) is not None:
        rows = rows_in_memory(source, variables, LARGEST_DATA, _plane_bytes(variables))
        if rows is not None and rows.weights is None:
            return NativeScores(rows, variables, score)
    elif any(continuous):
        discrete = [variable for variable in variables if not variable.is_continuous]
        return mixed_scores(source, variables, score, local_scores(source, discrete, score))
    return SourceScores(source, variables, score)


def _rule(score: Score) -> tuple[str, float] | None:
    """The kernel's name for a score and its parameter; None if the kernel does not have that score."""
    words: dict[type, str] = {BIC: "bic", AIC: "aic", LogLikelihood: "loglik"}
    if type(score) in words:
        return words[type(score)], 0.0
    if not isinstance(score, MarginalLikelihood):
        return None
    prior = score.prior
    if isinstance(prior, Laplace):
        return ("laplace", prior.strength) if prior.strength > 0 else None
    kind = "bds" if isinstance(prior, BDs) else "bdeu"
    assert isinstance(prior, BDs | BDeu)
    return (kind, prior.equivalent_sample_size) if prior.equivalent_sample_size > 0 else None


def _plane_bytes(variables: Sequence[Variable]) -> float:
    """Bytes per row of the kernel's bit planes: one bit per state of each column with few states."""
    cards = [variable.cardinality for variable in variables]
    return sum(card for card in cards if card <= MOST_PLANE_STATES) / 8
