"""The words of a column of texts, counted by class, and what they say of the class of a text.

Each term is Σ value · v over the words of a text, v = log (P(word | class) / P(word)) backing off to 0: of n
occurrences in the class where e would be expected, v = log((n + r) / (e + r)) with r virtual occurrences,
the same for every word or as many as the word's share of all texts. Or v is minus that of the other
classes together, which are known better than a rare class. The value is how often the word occurs, as in the
textbook, or log(1 + how often) in a vector of length 1: the tenth occurrence says less than the first, and a
long text is not surer than a short one. Which of these terms count how much is learned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from bayou._native import Vocabulary, score_sparse_rows, word_matrix
from bayou.errors import BadFile
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.saved_arrays import reals
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.sources.tables.columns import CodedColumn
from bayou.statistics import TokenCounts, TokenRules, count_tokens
from bayou.typing import BoolArray, FloatArray, IntArray, Name


@dataclass(frozen=True)
class Term:
    """The virtual occurrences for a word (``by_share``: for an average word); what v and the values are."""

    virtual: float
    by_share: bool = True
    of_others: bool = False
    as_often: bool = False


TERMS = (
    Term(10.0, by_share=False, as_often=True),
    Term(1.0, by_share=False),
    Term(1.0),
    Term(0.01),
    Term(0.1, of_others=True),
)
MOST_CELLS = 1 << 23
"""Words × classes at most: of more words those in the most texts are used."""
_BLOCK = 256
_BLOCK_CELLS = 1 << 20
"""Texts are left out in blocks: so many at most, and so many words × classes if one text has no more."""


@dataclass(frozen=True, eq=False)
class ColumnWords:
    """The counts of a column's words, and a weight for each term."""

    name: Name
    counts: TokenCounts
    weights: FloatArray

    @classmethod
    def of(cls, rows: TrainingRows, name: Name) -> ColumnWords:
        """Count the words of all training rows; all weights are 1."""
        column = rows.columns.coded(name)
        seen = np.flatnonzero(column.codes != column.missing_code)
        texts = [str(column.labels[code]) for code in column.codes[seen].tolist()]
        classes = Variable("class", range(rows.classes))
        weights = None if (rows.weights == 1).all() else rows.weights[seen]
        counts = count_tokens(texts, (rows.own[seen], classes), TokenRules(), weights)
        most = max(1, MOST_CELLS // rows.classes)
        if len(counts.words) > most:
            rank = np.argsort(-counts.documents.sum(axis=1), kind="stable")
            counts = counts.only(np.sort(rank[:most]))
        return cls(name, counts, np.ones(len(TERMS)))

    def weighed(self, weights: FloatArray) -> ColumnWords:
        """The same counts with other weights."""
        return replace(self, weights=weights)

    @property
    def length(self) -> float:
        """That of a typical text as a vector: the first term is divided by it, so that none is larger."""
        return float(np.sqrt(max(1.0, self.counts.occurrences.sum() / max(self.counts.total, 1e-300))))

    def read(self, rows: FeatureTable) -> tuple[FloatArray, BoolArray]:
        """The weighted sum of the terms, [row, class], and which rows have no known word: they have 0."""
        nothing = np.zeros(self.counts.classes.cardinality)
        if not rows.has(self.name):
            return np.tile(nothing, (rows.rows, 1)), np.ones(rows.rows, dtype=np.bool_)
        column = rows.columns.coded(self.name)
        matrix = self._matrix(column, np.arange(len(column.labels)))
        scored = np.zeros((len(column.labels), len(nothing)))
        for as_often, table in self._tables.items():
            values = self._values(matrix, as_often)
            scored += score_sparse_rows(matrix.indptr, matrix.indices, values, table, nothing, False)
        places = np.minimum(column.codes.astype(np.intp), len(column.labels))
        silent = np.append(np.diff(matrix.indptr) == 0, True)
        return np.vstack([scored, nothing])[places], silent[places]

    def left_out(self, rows: TrainingRows, kept: IntArray) -> FloatArray:
        """The terms of training rows, [row, class, term], each as if the row had never been counted."""
        column, found = rows.columns.coded(self.name), np.zeros((len(kept), rows.classes, len(TERMS)))
        has_text = np.flatnonzero(column.codes[kept] != column.missing_code)
        for first in range(0, len(has_text), _BLOCK):
            some = has_text[first : first + _BLOCK]
            own, part = rows.own[kept[some]].astype(np.int64), rows.parts[kept[some]]
            matrix = self._matrix(column, column.codes[kept[some]])
            for begin, end in _parts(matrix.indptr.astype(np.int64), _BLOCK_CELLS // rows.classes):
                part_of = slice(begin, end)
                found[some[part_of]] = self._left_out(matrix[part_of], own[part_of], part[part_of])
        return found

    def _left_out(self, matrix: csr_array, own: IntArray, part: FloatArray) -> FloatArray:
        """The terms of some texts, which are taken off the counts."""
        row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        words = matrix.indices.astype(np.int64)
        documents = self.counts.documents.sum(axis=1).astype(np.float64)
        elsewhere = documents[words] > part[row_of] * (1 + 1e-9)  # other words would be unknown
        lost = np.bincount(row_of[~elsewhere], minlength=matrix.shape[0])
        totals = np.tile(self.counts.occurrences.sum(axis=0).astype(np.float64), (matrix.shape[0], 1))
        totals[np.arange(len(own)), own] -= part * matrix.sum(axis=1)
        row_of, words, times = row_of[elsewhere], words[elsewhere], matrix.data[elsewhere]
        cells = self.counts.occurrences[words].astype(np.float64)
        cells[np.arange(len(words)), own[row_of]] -= part[row_of] * times
        vocabulary = (documents.size - lost).astype(np.float64)
        starts = np.searchsorted(row_of, np.arange(matrix.shape[0] + 1))
        known = csr_array((times, words, starts), shape=matrix.shape)
        shape, places, found = (matrix.shape[0], len(words)), np.arange(len(words)), list[FloatArray]()
        for term in TERMS:
            logs = word_logs(np.maximum(cells, 0.0), totals[row_of], vocabulary[row_of, None], term)
            sums = csr_array((self._values(known, term.as_often), places, starts), shape=shape)
            found.append(np.asarray(sums @ logs))
        return np.stack(found, axis=2)

    @cached_property
    def _tables(self) -> dict[bool, FloatArray]:
        """The weighted sums of the terms, [word, class], by whether words count as often as they occur."""
        cells, found = self.counts.occurrences.astype(np.float64), dict[bool, FloatArray]()
        for weight, term in zip(self.weights.tolist(), TERMS, strict=True):
            if weight:
                logs = weight * word_logs(cells, cells.sum(axis=0), float(len(cells)), term)
                found[term.as_often] = found[term.as_often] + logs if term.as_often in found else logs
        return found

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(list(self.counts.words))

    def _values(self, matrix: csr_array, as_often: bool) -> FloatArray:
        """What each word of each text counts: as often as it occurs, or as part of a vector of length 1."""
        if as_often:
            return np.asarray(matrix.data / self.length, dtype=np.float64)
        values: FloatArray = np.log1p(matrix.data)
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        lengths = np.sqrt(np.bincount(rows, weights=values**2, minlength=matrix.shape[0]))
        return values / lengths[rows]

    def _matrix(self, column: CodedColumn, codes: Any) -> csr_array:
        """How often each known word is in some of the texts of a column, [text, word]."""
        texts, rules = TokenRules().for_kernels([str(column.labels[code]) for code in codes.tolist()])
        starts, words, times = word_matrix(texts, self._vocabulary, **rules)
        return csr_array(
            (times.astype(np.float64), words, starts), shape=(len(codes), len(self.counts.words))
        )

    def state(self) -> dict[str, Any]:
        """The column, its counts and its weights."""
        return {"name": encode_value(self.name), "counts": self.counts.state(), "weights": self.weights}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ColumnWords:
        """Read :meth:`state`; raise BadFile unless there is a weight for each term."""
        weights, counts = reals(state, "weights", (len(TERMS),)), TokenCounts.from_state(state["counts"])
        shape = len(counts.words), counts.classes.cardinality
        if not len(counts.words) or counts.occurrences.shape != shape:
            raise BadFile("the words of a column are not counted for each class.")
        return cls(decode_value(state["name"]), counts, weights)


def _parts(starts: IntArray, most: int) -> Iterator[tuple[int, int]]:
    """Split rows into runs of at most so many entries, one row at least; ``starts`` are those of the rows.

    >>> list(_parts(np.array([0, 2, 4, 9, 10]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    begin, rows = 0, len(starts) - 1
    while begin < rows:
        end = int(np.searchsorted(starts, starts[begin] + most, side="right")) - 1
        end = max(begin + 1, end)
        yield begin, end
        begin = end


def word_logs(
    cells: FloatArray, totals: FloatArray, vocabulary: FloatArray | float, term: Term
) -> FloatArray:
    """v of some words, [word, class]; ``cells`` are their counts by class, ``totals`` those of all words.

    Those of the other classes are multiplied by their number: so they are as far apart as those of a class.

    >>> cells, totals = np.array([[3.0, 1.0]]), np.array([10.0, 10.0])
    >>> np.exp(word_logs(cells, totals, 5.0, Term(1.0, by_share=False))).round(4).tolist()  # 2 were expected
    [[1.3333, 0.6667]]
    """
    everywhere, whole = cells.sum(axis=-1, keepdims=True), totals.sum(axis=-1, keepdims=True)
    share = (everywhere + 0.5) / (whole + 0.5 * vocabulary)
    if term.of_others:
        cells, totals = everywhere - cells, whole - totals
    records = term.virtual * (vocabulary * share if term.by_share else 1.0)
    logs: FloatArray = np.log((cells + records) / (totals * share + records))
    return -logs * (totals.shape[-1] - 1) if term.of_others else logs
