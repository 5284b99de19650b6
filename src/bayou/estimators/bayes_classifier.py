"""The base class of all classifiers: the methods of scikit-learn; a classifier adds two methods.

These are ``_collect`` (the statistics that it needs of labelled rows; they add) and ``_estimate`` (the model
from these statistics). So ``fit``, ``partial_fit``, sample weights and saving share one path.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bayou import decisions
from bayou._native import softmax_rows
from bayou.arguments import weights_named
from bayou.errors import BadQuestion, counted, listed, without_warnings
from bayou.estimators.class_prior import class_shares, with_shares
from bayou.estimators.classifier_explanations import ClassifierExplanations
from bayou.estimators.impossible_rows import ImpossibleRows, all_usable, prior_of, without_numbers_lost
from bayou.estimators.input.containers import is_column_name, is_streamable
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_input import read_training
from bayou.estimators.input.labelled_source import LabelledSource, LabelledTable
from bayou.estimators.input.table_input import feature_tables, read_features
from bayou.estimators.input.table_tags import AnyTableTags
from bayou.estimators.input.target import class_variable, classes_of
from bayou.estimators.table_predictions import TablePredictions
from bayou.formats.model_registry import CLASSIFIERS
from bayou.schema import Variable, state_key
from bayou.special_functions import log_sum_exp
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    from bayou.decisions import PriorShift
    from bayou.formats.file_content import FilePath

Self = TypeVar("Self", bound="BayesClassifier")


class ClassModel(Protocol):
    """The model of a fitted classifier: log P(class, row) for every row and class."""

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row): one row per record, one column per class."""


class BayesClassifier(
    TablePredictions,
    ClassifierExplanations,
    AnyTableTags,
    ClassifierMixin,  # type: ignore[misc]  # scikit-learn is untyped
    BaseEstimator,  # type: ignore[misc]
):
    """The methods that all classifiers share; :class:`bayou.NaiveBayes` is one that can be used."""

    classes_: npt.NDArray[Any]
    n_features_in_: int
    by_name_: bool
    """Whether the first ``fit`` named the target's column: then new rows are read by name, too."""
    states: Any = None
    """The states of columns and the classes that the user declares, in classifiers with this parameter."""
    statistics_: Any
    target_: Name
    _class_variable: Variable
    _model: ClassModel

    def __init_subclass__(cls, saved: bool = False, **options: Any) -> None:
        """Register the class under its name if ``saved`` is True, so that files can hold it."""
        super().__init_subclass__(**options)
        if saved:
            CLASSIFIERS.add(cls.__name__, cls)

    # What a classifier defines

    def _collect(self, rows: LabelledSource) -> Any:
        """Return the statistics of these rows, an object that adds (``+``) to those of other rows.

        Statistics are requested with ``rows.collect``; the rows need not be in memory.
        """
        raise NotImplementedError

    def _estimate(self, statistics: Any, classes: Variable) -> ClassModel:
        """Return the model estimated from the statistics of all rows so far."""
        raise NotImplementedError

    def _pooled(self, fresh: Any) -> Any:
        """Return the statistics of all earlier rows plus those of the new rows."""
        return self.statistics_ + fresh

    def _target_name(self, target: Name) -> Name:
        """Return the name of the class variable: the one in the data, unless the classifier sets another."""
        return target

    def _declared(self, rows: LabelledSource) -> dict[Name, Variable]:
        """Return the columns and classes that ``states`` declares."""
        if not self.states:
            return {}
        from bayou.estimators.input.declared_columns import declared_columns

        return declared_columns(self.states, rows.features, rows.target)

    # Learning

    @weights_named("sample_weight")
    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X and their classes y (or the name of the column of X that holds the classes).

        Fitted by that name, rows without a class are left out, with a warning, and new rows are read by name,
        too: the target may be among them, their order is free, other columns are not used, and absent ones
        are missing. Otherwise every row needs a class, and frames need the columns of training, as in
        scikit-learn.
        """
        self._forget_all()
        return self._learn(X, y, sample_weight, None)

    @weights_named("sample_weight")
    def partial_fit(
        self: Self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows; the result is that of ``fit`` on all rows, in any split and order.

        Exception: the first call decides how each column is modelled (and, if the classifier cuts numbers
        into ranges, the cuts). ``classes`` may name classes of later rows; other new classes are accepted
        too.
        """
        return self._learn(X, y, sample_weight, classes)

    def _forget_all(self) -> None:
        """Delete all that was learned; parameters stay."""
        learned = ("_model", "_class_variable")
        for name in [name for name in vars(self) if name in learned or (name[0] != "_" and name[-1] == "_")]:
            delattr(self, name)

    def _learn(self: Self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Self:
        first = not hasattr(self, "statistics_")
        before = dict(vars(self))
        try:
            rows = self._labelled(X, y, sample_weight, first)
            known = {} if first else {state_key(state): state for state in self._class_variable.states}
            later = [] if classes is None else np.asarray(classes).tolist()
            expected = [*self._expected_classes(rows), *later]
            fresh = self._collect(rows)
            known.update({state_key(state): state for state in [*expected, *rows.classes]})
            statistics = fresh if first else self._pooled(fresh)
            variable = class_variable(rows.target, known.values())
            model = self._estimate(statistics, variable)
        except BaseException:
            self.__dict__.update(before)  # a failed call leaves the classifier as it was
            if first:
                self._forget_all()
            raise
        self.statistics_, self._model, self._class_variable = statistics, model, variable
        self.target_ = rows.target
        self.classes_ = classes_of(variable)
        return self

    def _expected_classes(self, rows: LabelledSource) -> Sequence[State]:
        """The classes that ``states`` declares; values of the rows that it does not declare are an error."""
        declared = self._declared(rows)
        if not declared:
            return ()
        from bayou.estimators.input.declared_columns import refuse_undeclared

        refuse_undeclared(rows, declared.values())
        return declared[rows.target].states if rows.target in declared else ()

    def _labelled(self, X: Any, y: Any, sample_weight: Any, first: bool) -> LabelledSource:
        """The rows to learn from, with the class variable under its name in this model."""
        by_name = not first and getattr(self, "by_name_", False) and is_column_name(y, X)
        if by_name and self._target_name(y) != self.target_:
            raise BadQuestion(
                f"This classifier predicts {self.target_!r}: more rows need this column, not {y!r}."
            )
        rows = read_training(self, X, y, sample_weight, reset=first)
        if not first and isinstance(rows, LabelledTable):
            rows = rows.relabelled(self._class_variable)
        name = self._target_name(rows.target) if first else self.target_
        if name == rows.target:
            return rows
        return rows.in_memory.renamed(name)

    # Predicting

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row (of ties the first)."""
        best = self._over_rows(X, lambda *batch: self._scores(*batch).argmax(axis=1))
        winners: npt.NDArray[Any] = self.classes_[best]
        return winners

    def predict_proba(self, X: Any) -> FloatArray:
        """Return P(class | row), one column per class in the order of ``classes_``."""
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
        return feature_tables(self, X) if is_streamable(X) else iter([(0, self._read(X))])

    # Showing

    def __dir__(self) -> list[str]:
        """The attributes that this model has; scikit-learn tries them all, so they must not warn."""
        with without_warnings():
            return list(super().__dir__())

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """What scikit-learn's picture in a notebook lists; attributes that only warn are listed quietly."""
        with without_warnings():
            return super()._get_fitted_attr_html(doc_link)

    def __str__(self) -> str:
        """The parameters; of a fitted classifier also what it predicts."""
        if not hasattr(self, "statistics_"):
            return repr(self)
        classes = listed(self.classes_.tolist(), limit=3)
        features = counted(self.n_features_in_, "feature")
        return f"{self!r}, fitted: predicts {self.target_} ({classes}) from {features}; see summary()"

    # In a file

    def save(self, path: FilePath) -> None:
        """Write the fitted classifier to a ``.bayou`` file, which ``bayou.load`` opens; no pickle."""
        from bayou.estimators.classifier_state import save_classifier

        save_classifier(self, path)

    def state(self) -> dict[str, Any]:
        """Return the content of a file as plain data: parameters, statistics and classes."""
        from bayou.estimators.classifier_state import classifier_state

        return classifier_state(self)

    @classmethod
    def from_state(cls: type[Self], state: Mapping[str, Any]) -> Self:
        """Return the classifier that :meth:`state` described; it must be of this class or a subclass."""
        from bayou.estimators.classifier_state import classifier_from_state

        model: Self = classifier_from_state(state, cls)
        return model

    def copy(self: Self) -> Self:
        """Return an independent copy: ``partial_fit`` on it does not change this classifier."""
        return copy.copy(self)
