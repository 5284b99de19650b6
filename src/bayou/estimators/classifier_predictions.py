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
from bayou.codes import PlaceArray, place_type
from bayou.errors import BadQuestion, listed, warn_user
from bayou.estimators.class_prior import GivenPrior, class_shares, given_prior, shares_given, with_shares
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
Answer = Callable[[FeatureTable, int, ImpossibleRows], npt.NDArray[Any]]
"""What is answered about some rows: given the number of the first, and where impossible rows are counted."""


class ClassModel(Protocol):
    """The model of a fitted classifier: log P(class, row) for every row and class."""

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row): one row per record, one column per class."""


class ClassifierPredictions(TablePredictions):
    """The methods of a classifier that answer about rows; all classifiers inherit them."""

    _class_variable: Variable
    _model: ClassModel
    _learned_model: ClassModel
    """``_model`` as it was learned, before :meth:`with_class_prior`."""
    given_prior_: GivenPrior
    """What :meth:`with_class_prior` gave; there is no such attribute if it was not called."""

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row (of ties the first).

        A Spark DataFrame gives the same DataFrame with the column ``predicted_<target>``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> print(model.predict({"wind": ["strong", "weak", None]}))
        ['no' 'yes' 'no']
        """
        if is_spark(X):
            return in_spark(self, X, PREDICTED)
        best = self._over_rows(X, lambda *batch: self._scores(*batch).argmax(axis=1))
        winners: npt.NDArray[Any] = self.classes_[best]
        return winners

    def _predicted_places(self, rows: Any) -> PlaceArray:
        narrow = place_type(len(self.classes_))
        places: PlaceArray = self._over_rows(
            rows, lambda *some: self._scores(*some).argmax(axis=1).astype(narrow)
        )
        return places

    def predict_proba(self, X: Any) -> Any:
        """Return P(class | row), one column per class in the order of ``classes_``.

        A Spark DataFrame gives the same DataFrame with a column ``P(<target>=<class>)`` for each class.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` if no column is that of a
        feature.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> model.classes_.tolist(), model.predict_proba({"wind": ["strong", None]}).round(2).tolist()
        (['no', 'yes'], [[0.67, 0.33], [0.5, 0.5]])
        """
        if is_spark(X):
            return in_spark(self, X, PROBABILITIES)
        posteriors: FloatArray = self._over_rows(X, self._posteriors)
        return posteriors

    def with_class_prior(self: Self, class_prior: Any) -> Self:
        """Return this classifier with other class probabilities; P(row | class) stays as learned.

        ``class_prior`` is a mapping, an array in the order of ``classes_``, or "uniform". Files keep it, and
        ``partial_fit`` and ``forget`` too while the classes are the same; ``fit`` begins anew without it.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadPrior`` for numbers that are no
        probabilities of the classes, and ``UnknownState`` for a class that is not there.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong", "weak"]}, ["yes", "no", "yes"])
        >>> even = model.with_class_prior({"yes": 0.5, "no": 0.5})
        >>> even.predict_proba({"wind": ["weak"]}).round(2).tolist()
        [[0.31, 0.69]]
        """
        twin, model = copy.copy(self), self._fitted_model()
        shares = class_shares(class_prior, self._class_variable)
        twin.given_prior_ = given_prior(shares, self._class_variable)
        twin._take_model(getattr(self, "_learned_model", model))
        return twin

    def _take_model(self, learned: ClassModel) -> None:
        """Answer with a model that was learned, under the class probabilities that were given, if any."""
        self._model = self._learned_model = learned
        if not hasattr(self, "given_prior_"):
            return
        shares = shares_given(self.given_prior_, self._class_variable)
        if shares is not None:
            self._model = with_shares(learned, self._log_class_prior(), shares)
            return
        classes = listed([state for state, _ in self.given_prior_])
        del self.given_prior_
        warn_user(
            f"with_class_prior gave probabilities of {classes}; the classes are now "
            f"{listed(self._class_variable.states)}, so those learned from the rows are used again. Call "
            "with_class_prior once more."
        )

    def estimate_class_prior(self, X: Any) -> PriorShift:
        """Estimate the class shares of unlabelled rows by EM over their posteriors (Saerens et al. 2002).

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong"] * 9}, ["yes", "no"] * 9)
        >>> bool(model.estimate_class_prior({"wind": ["weak"] * 9 + ["strong"]}).new[1] > 0.9)
        True
        """
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
        """Return log P(class | row), one column per class in the order of ``classes_``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> model.predict_log_proba({"wind": ["strong"]}).round(3).tolist()
        [[-0.405, -1.099]]
        """
        joint: FloatArray = self._over_rows(X, self._joint_or_prior)
        return joint - log_sum_exp(joint)

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Return log P(class, row), one column per class in the order of ``classes_``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou
        >>> model = bayou.NaiveBayes(prior=0).fit({"wind": ["weak", "strong", "weak"]}, ["yes", "no", "yes"])
        >>> model.predict_joint_log_proba({"wind": ["weak"]}).round(3).tolist()
        [[-inf, -0.405]]
        """
        joint: FloatArray = self._over_rows(X, lambda rows, first, found: self._joint_of(rows))
        return joint

    def _over_rows(self, X: Any, answer: Answer) -> Any:
        """The answers about all rows, concatenated."""
        parts = list(self._answer_blocks(X, answer))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _answer_blocks(self, X: Any, answer: Answer) -> Iterator[npt.NDArray[Any]]:
        """Call ``answer(rows, number of the first row, impossible rows)`` by batch."""
        self._fitted_model()
        found = ImpossibleRows()
        for first, rows in self._tables(X):
            yield answer(rows, first, found)
        found.warn()

    def _probability_blocks(self, X: Any) -> Iterator[FloatArray]:
        return self._answer_blocks(X, self._posteriors)

    def _log_probability_blocks(self, X: Any) -> Iterator[FloatArray]:
        return (joint - log_sum_exp(joint) for joint in self._answer_blocks(X, self._joint_or_prior))

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

    def to_sql(self, table: str, *, dialect: str = "postgres", keep: str | Sequence[str] = ()) -> str:
        """Return one SELECT that gives the prediction and P(class) of every row of a table in a database.

        The text contains the model's numbers, and no Python is needed to run it. ``table`` is its exact name,
        after a schema and a dot if need be; a part that has a dot stands in double quotes. ``keep`` are
        columns of the table, such as a key, that the result repeats. Naive Bayes, AODE and
        ``GaussianBayes("diagonal")`` ignore a missing (or never seen) value; for other models its row has no
        answer (NULL).

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadQuestion`` for options that
        cannot be understood, or a classifier that cannot be exported.

        >>> from bayou import NaiveBayes
        >>> model = NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> print(model.to_sql("days", keep=["day"]))  # doctest: +ELLIPSIS
        SELECT t."k0" AS "day", CASE WHEN t."e0" >= t."e1" THEN 'no' ... END AS "prediction", ...
        """
        from bayou.estimators.exported_program import program_of
        from bayou.exporting.sql_language import SqlLanguage

        self._fitted_model()
        return SqlLanguage(table, dialect, keep).unlimited(program_of(self, complete=True))

    def export(
        self,
        language: str = "python",
        *,
        table: str | None = None,
        dialect: str | None = None,
        keep: str | Sequence[str] | None = None,
    ) -> str:
        """Return this classifier as code without dependencies, which gives the same P(class | row).

        ``language`` is ``"python"`` or ``"javascript"`` (a file with the function ``posterior``), or
        ``"sql"`` (one SELECT from a ``table``, in a ``dialect``; ``keep`` are columns that it repeats). Gaps
        are summed or integrated out, in all languages; what a value counts as that was never seen is what
        this classifier says (in SQL it is a gap).

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadQuestion`` for options that
        cannot be understood, or a classifier that cannot be exported.

        >>> from bayou import NaiveBayes
        >>> model = NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> exported = {}
        >>> exec(model.export(), exported)
        >>> exported["predict"]({"wind": "strong"})
        'no'
        """
        from bayou.estimators.exported_program import program_of
        from bayou.exporting.languages import written

        return written(program_of(self), language, table=table, dialect=dialect, keep=keep)

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
