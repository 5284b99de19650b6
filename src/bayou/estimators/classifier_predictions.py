"""Predictions of classifiers: classes and their probabilities, of a table or of rows some at a time."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bayou import decisions
from bayou._native import softmax_rows
from bayou.errors import BadQuestion
from bayou.estimators.class_prior import class_shares, with_shares
from bayou.estimators.impossible_rows import ImpossibleRows, all_usable, prior_of, without_numbers_lost
from bayou.estimators.input.containers import (
    is_streamable,
)
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.table_input import feature_tables, read_features
from bayou.estimators.spark_predictions import PREDICTED, PROBABILITIES, in_spark
from bayou.estimators.table_predictions import TablePredictions
from bayou.schema import Variable
from bayou.sources.streams.batch_source import opened_reader
from bayou.sources.tables.read_frames import is_spark
from bayou.special_functions import log_sum_exp
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.decisions import PriorShift

Self = TypeVar("Self", bound="ClassifierPredictions")


class ClassModel(Protocol):
    """The model of a fitted classifier: log P(class, row) for every row and class."""

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row): one row per record, one column per class."""


class ClassifierPredictions(TablePredictions):
    """The methods of a classifier that answer about rows; all classifiers inherit them."""

    _class_variable: Variable
    _model: ClassModel

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row (of ties the first).

        A Spark DataFrame gives the same DataFrame with the column ``predicted_<target>``.
        """
        if is_spark(X):
            return in_spark(self, X, PREDICTED)
        best = self._over_rows(X, lambda *batch: self._scores(*batch).argmax(axis=1))
        winners: npt.NDArray[Any] = self.classes_[best]
        return winners

    def predict_proba(self, X: Any) -> Any:
        """Return P(class | row), one column per class in the order of ``classes_``.

        A Spark DataFrame gives the same DataFrame with a column ``P(<target>=<class>)`` for each class.
        """
        if is_spark(X):
            return in_spark(self, X, PROBABILITIES)
        posteriors: FloatArray = self._over_rows(X, self._posteriors)
        return posteriors

    def with_class_prior(self: Self, class_prior: Any) -> Self:
        """Return this classifier with other class probabilities; P(row | class) stays as learned.

        ``class_prior`` is a mapping, an array in the order of ``classes_``, or "uniform".
        """
        twin = copy.copy(self)
        shares = class_shares(class_prior, self._class_variable)
        twin._model = with_shares(self._fitted_model(), self._log_class_prior(), shares)
        return twin

    def estimate_class_prior(self, X: Any) -> PriorShift:
        """Estimate the class shares of unlabelled rows by EM over their posteriors (Saerens et al. 2002)."""
        old = np.exp(self._log_class_prior())
        return decisions.estimate_priors(self.predict_proba(X), old, classes=self._class_variable.states)

    def _log_class_prior(self) -> FloatArray:
        """log P(class) of the model; an error if it has none."""
        model = self._fitted_model()
        logs: FloatArray | None = getattr(model, "log_prior", None)
        if logs is None:
            raise BadQuestion(
                f"This {type(self).__name__} has no class prior of its own, so it cannot be changed."
            )
        return logs

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return log P(class | row), one column per class in the order of ``classes_``."""
        joint: FloatArray = self._over_rows(X, self._joint_or_prior)
        return joint - log_sum_exp(joint)

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Return log P(class, row), one column per class in the order of ``classes_``."""
        joint: FloatArray = self._over_rows(X, lambda rows, first, found: self._joint_of(rows))
        return joint

    def _over_rows(
        self, X: Any, answer: Callable[[FeatureTable, int, ImpossibleRows], npt.NDArray[Any]]
    ) -> Any:
        """Call ``answer(rows, number of the first row, impossible rows)`` by batch; concatenate them."""
        self._fitted_model()
        found = ImpossibleRows()
        parts = [answer(rows, first, found) for first, rows in self._tables(X)]
        found.warn()
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _joint_of(self, rows: FeatureTable) -> FloatArray:
        """log P(class, row) of a batch; −inf in all classes of an impossible row."""
        return without_numbers_lost(self._fitted_model().joint_log(rows), rows)

    def _joint_or_prior(self, rows: FeatureTable, first: int, found: ImpossibleRows) -> FloatArray:
        """log P(class, row) of a batch; the class prior in impossible rows, which ``found`` counts."""
        model = self._fitted_model()
        joint = model.joint_log(rows)
        if all_usable(joint):
            return joint
        return found.replaced(without_numbers_lost(joint, rows), prior_of(model), first)

    def _posteriors(self, rows: FeatureTable, first: int, found: ImpossibleRows) -> FloatArray:
        """P(class | row) of a batch."""
        return softmax_rows(self._joint_or_prior(rows, first, found))

    def to_sql(self, table: str, *, dialect: str = "postgres", keep: Sequence[str] = ()) -> str:
        """Return one SELECT that gives the prediction and P(class) of every row of a table in a database.

        The text contains the model's numbers, and no Python is needed to run it. ``table`` is its exact name,
        after a schema and a dot if need be; a part that has a dot stands in double quotes. ``keep`` are
        columns of the table, such as a key, that the result repeats. Naive Bayes, AODE and
        ``GaussianBayes("diagonal")`` ignore a missing (or never seen) value; for other models its row has no
        answer (NULL).

        >>> from bayou import NaiveBayes
        >>> model = NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> print(model.to_sql("days", keep=["day"]))  # doctest: +ELLIPSIS
        SELECT t."k0" AS "day", CASE WHEN t."e0" >= t."e1" THEN 'no' ... END AS "prediction", ...
        """
        from bayou.estimators.prediction_sql import prediction_sql

        return prediction_sql(self, table, dialect, keep)

    def _scores(self, rows: FeatureTable, first: int, found: ImpossibleRows) -> FloatArray:
        """Scores of a batch whose largest entry in each row is that of P(class | row)."""
        return self._joint_or_prior(rows, first, found)

    def _fitted_model(self) -> ClassModel:
        try:
            return self._model
        except AttributeError:
            check_is_fitted(self, "statistics_")
            raise

    def _read(self, X: Any) -> FeatureTable:
        """Read new rows and check their columns against those of the training rows."""
        return read_features(self, X, reset=False)

    def _tables(self, X: Any) -> Iterator[tuple[int, FeatureTable]]:
        """New rows in order, as (number of the first row, table); files and sources come in batches."""
        X = opened_reader(X)
        return feature_tables(self, X) if is_streamable(X) else iter([(0, self._read(X))])
