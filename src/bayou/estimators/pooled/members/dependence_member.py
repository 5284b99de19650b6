"""One k-dependence member: each column has a table given the class and at most two earlier columns.

The order of the columns is random: by log I(column; class) with Gumbel noise, which draws an order in which
columns with much information tend to be early. Parents are the earlier columns with the largest
I(column; parent | class); both informations are less what chance alone gives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou import _native
from bayou.estimators.pooled.feature_codes import Codes
from bayou.estimators.pooled.fitted_weights import Halves
from bayou.estimators.pooled.prepared_columns import PreparedColumns, sampled
from bayou.estimators.pooled.saved_arrays import narrow
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.typing import FloatArray, IntArray

Numbers = npt.NDArray[np.uint32]
Parents = npt.NDArray[np.int32]
STRENGTHS = [0.3, 1.0, 3.0, 10.0, 30.0]
"""How many rows a table with a parent fewer may count for: chosen by the tables of all rows, used by all."""
MOST_CELLS = 1 << 18
"""A parent whose table would be larger than this is passed over."""
INFORMATIVE_ROWS = 30_000
"""Orders and parents are found on so many rows, those with the smallest hashes."""


@dataclass(frozen=True, eq=False)
class DependenceMember:
    """log P(class) + Σ w_j log P(x_j | parents, class): tables that are looked up, and a weight for each."""

    number: int
    cards: Numbers
    parents: Parents
    logs: FloatArray
    log_prior: FloatArray
    weights: FloatArray
    counts: npt.NDArray[Any]
    """The counts that ``logs`` are made of, in a narrow type."""
    strengths: FloatArray

    @classmethod
    def of_counts(
        cls, number: int, cards: Numbers, tables: CountedTables, log_prior: FloatArray, weights: FloatArray
    ) -> DependenceMember:
        """The member whose tables have these counts."""
        counts, parents, strengths = tables.counts, tables.parents, tables.strengths
        logs = _native.backoff_logs(counts, cards, parents, len(log_prior), strengths)
        return cls(number, cards, parents, logs, log_prior, weights, narrow(counts), strengths)

    def joint(self, codes: Codes) -> FloatArray:
        """The score of every class, [row, class]."""
        scores = _native.dependence_scores(
            self.logs, self.cards, self.parents, len(self.log_prior), codes, self.weights
        )
        return self.log_prior + scores

    def terms(self, codes: Codes) -> FloatArray:
        """The weighted term of every column, [row, class, column]."""
        found = _native.dependence_terms(self.logs, self.cards, self.parents, len(self.log_prior), codes)
        return found * self.weights

    def weighed(self, weights: FloatArray) -> DependenceMember:
        """The same tables with other weights of the columns."""
        return replace(self, weights=weights)


@dataclass(frozen=True, eq=False)
class LeftOutTerms:
    """Kept rows, each left out of the tables: log P(class) [row, class], terms [row, class, column]."""

    log_prior: FloatArray
    terms: FloatArray
    alone: FloatArray
    """The terms by tables of the row's own half: weights fitted on them know nothing of the other half."""


def grown_member(
    number: int, prepared: PreparedColumns, fine: Codes, rows: TrainingRows, kept: IntArray, seed: int
) -> tuple[DependenceMember, LeftOutTerms]:
    """Return a member with all weights 1, and its terms for the kept rows, which it has not seen.

    The own count of a row is taken off exactly. Order and parents look at the class, too: those that judge a
    row come from the other half of the rows. Weights for it are fitted on that half without it: were the
    row counted there, columns that tell its class by chance would seem to be worth more.
    """
    codes, cards = prepared.of_member(number, fine), prepared.cards[number]
    whole = _tables(codes, cards, rows, np.arange(len(rows.own)), [seed, 2, number])
    by_class = rows.class_weights
    member = DependenceMember.of_counts(number, cards, whole, log_class_shares(by_class), np.ones(len(cards)))
    own, part = rows.own[kept], rows.parts[kept]
    second = Halves.of(rows.hashes).second
    terms = np.empty((len(kept), rows.classes, len(cards)))
    alone = terms.copy()
    for side in (False, True):
        judged, fitted = np.flatnonzero(second[kept] == side), np.flatnonzero(second[kept] != side)
        others = np.flatnonzero(second != side)
        found = whole
        if len(others):
            found = _tables(codes, cards, rows, others, [seed, 2, number], whole.strengths)
        terms[judged] = found.left_out(codes, cards, rows, kept[judged])
        if len(others):
            alone[fitted] = found.of(codes, cards, rows, others).left_out(codes, cards, rows, kept[fitted])
    return member, LeftOutTerms(left_out_shares(by_class, own, part), terms, alone)


@dataclass(frozen=True, eq=False)
class CountedTables:
    """The parents of every column, the counts of all rows, and how far tables back off."""

    parents: Parents
    counts: FloatArray
    strengths: FloatArray

    @classmethod
    def counted(
        cls,
        codes: Codes,
        cards: Numbers,
        parents: Parents,
        rows: TrainingRows,
        strengths: FloatArray | None = None,
    ) -> CountedTables:
        """The tables of rows, given the parents; strengths are chosen if they are not given."""
        weights = None if (rows.weights == 1).all() else rows.weights
        counts = _native.count_dependences(codes, cards, parents, rows.own, rows.classes, weights)
        if strengths is None:
            strengths = _native.backoff_strengths(counts, cards, parents, rows.classes, STRENGTHS)
        return cls(parents, counts, strengths)

    def of(self, codes: Codes, cards: Numbers, rows: TrainingRows, some: IntArray) -> CountedTables:
        """The tables with the same parents, of some rows."""
        weights, of_some = rows.weights[some], np.ascontiguousarray(codes[:, some])
        given = None if (weights == 1).all() else weights
        counts = _native.count_dependences(of_some, cards, self.parents, rows.own[some], rows.classes, given)
        return CountedTables(self.parents, counts, self.strengths)

    def left_out(self, codes: Codes, cards: Numbers, rows: TrainingRows, some: IntArray) -> FloatArray:
        """The terms [row, class, column] of some of the counted rows, each without itself."""
        of_some = np.ascontiguousarray(codes[:, some])
        return _native.left_out_dependences(
            self.counts,
            cards,
            self.parents,
            rows.classes,
            self.strengths,
            of_some,
            rows.own[some],
            rows.parts[some],
        )


def _tables(
    codes: Codes,
    cards: Numbers,
    rows: TrainingRows,
    seen: IntArray,
    seed: list[int],
    strengths: FloatArray | None = None,
) -> CountedTables:
    """The tables of all rows, with the parents that the rows ``seen`` suggest."""
    parents = noisy_parents(codes, cards, rows, seen, np.random.default_rng(seed))
    return CountedTables.counted(codes, cards, parents, rows, strengths)


def log_class_shares(by_class: FloatArray) -> FloatArray:
    """log P(class), each class with one row more.

    >>> np.exp(log_class_shares(np.array([2.0, 0.0]))).tolist()
    [0.75, 0.25]
    """
    shares: FloatArray = np.log((by_class + 1) / (by_class.sum() + len(by_class)))
    return shares


def left_out_shares(by_class: FloatArray, own: Numbers, part: FloatArray) -> FloatArray:
    """log P(class) for each row, without its own part."""
    left = np.tile(by_class, (len(own), 1))
    left[np.arange(len(own)), own] -= part
    shares: FloatArray = np.log((left + 1) / (left.sum(axis=1, keepdims=True) + len(by_class)))
    return shares


def noisy_parents(
    codes: Codes, cards: Numbers, rows: TrainingRows, seen: IntArray, random: np.random.Generator
) -> Parents:
    """At most two parents of each column among those before it in a random order; -1: none."""
    used = seen[sampled(rows.hashes[seen], INFORMATIVE_ROWS)]
    of_used, weights = np.ascontiguousarray(codes[:, used]), np.ascontiguousarray(rows.weights[used])
    information = _native.class_informations(of_used, cards, rows.own[used], rows.classes, weights)
    least = 0.1 / weights.sum()
    noisy = np.log(np.maximum(np.diag(information), least)) + random.gumbel(size=len(cards))
    order = np.argsort(-noisy, kind="stable")
    parents = np.full((len(cards), 2), -1, dtype=np.int32)
    for place, column in enumerate(order.tolist()):
        earlier = order[:place]
        ranked = earlier[np.argsort(-information[column, earlier], kind="stable")]
        cells, found = int(cards[column]) * rows.classes, 0
        for parent in ranked.tolist():
            if information[column, parent] <= 0 or found == 2:
                break
            if cells * int(cards[parent]) <= MOST_CELLS:
                parents[column, found] = parent
                cells, found = cells * int(cards[parent]), found + 1
    return parents
