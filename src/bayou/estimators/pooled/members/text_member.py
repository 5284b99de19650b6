"""Columns of texts as members of the pool: multinomial naive Bayes of their words.

Two members answer with the same words: one with the class shares, one without them. Beside members that read
other columns the class shares would otherwise count twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.column_weights import WeighedRows
from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.column_words import TERMS, ColumnWords
from bayou.estimators.pooled.fitted_weights import Halves, best_exponent, best_ridge, used_rows
from bayou.estimators.pooled.members.dependence_member import left_out_shares, log_class_shares
from bayou.estimators.pooled.saved_arrays import parts, reals
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.special_functions import log_sum_exp
from bayou.typing import FloatArray, IntArray, Name

RIDGES = (0.5, 5.0, 50.0)


@dataclass(frozen=True, eq=False)
class TextMember:
    """The words of all columns of texts, and log P(class)."""

    columns: tuple[ColumnWords, ...]
    log_prior: FloatArray

    def read(self, rows: FeatureTable) -> tuple[FloatArray, FloatArray]:
        """The evidence of all words, [row, class], and how many texts of each row have no known word."""
        scores, silent = np.zeros((rows.rows, len(self.log_prior))), np.zeros(rows.rows)
        for column in self.columns:
            found, is_silent = column.read(rows)
            scores, silent = scores + found, silent + is_silent
        return scores, silent

    def log_proba(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log P(class | words) of both members, [row, class]: with the class shares, and without."""
        return _both(scores, self.log_prior)

    def shares(self, rows: FeatureTable, of: int, against: int) -> tuple[AddedShares, AddedShares]:
        """The log-odds of one row by both members, split among the columns of texts."""
        scores = [column.read(rows)[0][0] for column in self.columns]
        columns = np.array([float(score[of] - score[against]) for score in scores])
        prior = float(self.log_prior[of] - self.log_prior[against])
        return AddedShares(prior, columns), AddedShares(0.0, columns)

    def state(self) -> dict[str, Any]:
        """The words of each column, and log P(class)."""
        return {"columns": [column.state() for column in self.columns], "log_prior": self.log_prior}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: int) -> TextMember:
        """Read :meth:`state`; raise BadFile unless all columns count words of these classes."""
        columns = tuple(ColumnWords.from_state(each) for each in parts(state, "columns"))
        if not columns or any(column.counts.classes.cardinality != classes for column in columns):
            raise BadFile("the words of a column are not counted for each class.")
        return cls(columns, reals(state, "log_prior", (classes,)))


def grown_text(
    rows: TrainingRows, names: Sequence[Name], kept: IntArray, halves: Halves
) -> tuple[TextMember, tuple[FloatArray, FloatArray]] | None:
    """Return the words with fitted weights, and log P(class | words) of the kept rows by both members.

    Each kept row is taken off the counts, exactly; the weights that judge it were fitted on the other half of
    the kept rows. None without columns of texts, or if they have no words.
    """
    columns = [each for each in (ColumnWords.of(rows, name) for name in names) if len(each.counts.words)]
    if not columns:
        return None
    own, part = rows.own[kept], rows.parts[kept]
    prior = left_out_shares(rows.class_weights, own, part)
    terms = np.concatenate([column.left_out(rows, kept) for column in columns], axis=2)
    every = WeighedRows(prior, terms, own.astype(np.int64), rows.weights[kept])
    few = np.arange(used_rows(*terms.shape))
    some, of_some = every.part(few), halves.part(few)
    start = best_exponent(some)
    ridge = best_ridge(some, some, start, of_some, RIDGES)
    scores = halves.scores(every, of_some.judged(some, start, ridge)[1])
    weights = some.fitted(start, ridge).reshape(len(columns), len(TERMS))
    fitted = tuple(column.weighed(np.round(own, 9)) for column, own in zip(columns, weights, strict=True))
    return TextMember(fitted, log_class_shares(rows.class_weights)), _both(scores - prior, prior)


def _both(scores: FloatArray, log_prior: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log P(class | words) with the class shares, and without."""
    joint = scores + log_prior
    return joint - log_sum_exp(joint), scores - log_sum_exp(scores)
