"""The base class of all classifiers: the methods of scikit-learn; a classifier adds two methods.

These are ``_collect`` (the statistics that it needs of labelled rows; they add) and ``_estimate`` (the model
from these statistics). So ``fit``, ``partial_fit``, sample weights and saving share one path.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from bayou.arguments import weights_named
from bayou.errors import BadQuestion, counted, listed, without_warnings
from bayou.estimators.classifier_arithmetic import ClassifierArithmetic
from bayou.estimators.classifier_explanations import ClassifierExplanations
from bayou.estimators.classifier_predictions import ClassifierPredictions, ClassModel
from bayou.estimators.input.containers import (
    is_column_name,
    opened_rows,
    stream_of,
)
from bayou.estimators.input.labelled_input import read_training
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.estimators.input.table_tags import AnyTableTags
from bayou.estimators.input.target import class_variable, classes_of
from bayou.estimators.unchanged import unchanged_on_error
from bayou.formats.model_registry import CLASSIFIERS
from bayou.schema import Variable, state_key
from bayou.sources.streams.aged_source import Ageing
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.estimators.choosing.model_choice import ModelChoice
    from bayou.formats.file_content import FilePath

Self = TypeVar("Self", bound="BayesClassifier")


class BayesClassifier(
    ClassifierPredictions,
    ClassifierArithmetic,
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
    time_features_: dict[Any, str]
    """The columns that had dates or times (there is no such attribute without any), and of which kind."""
    amount_features_: dict[Any, str]
    """The columns that had texts for numbers, such as money (likewise), and the first text of each."""
    states: Any = None
    """The states of columns and the classes that the user declares, in classifiers with this parameter."""
    choice: ModelChoice | None = None
    """How :func:`bayou.fit` chose this kind of classifier; None if it did not (files do not hold it)."""
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

    def _model_from(self, state: Mapping[str, Any]) -> ClassModel:
        """Return the model of a file: estimated again, unless the classifier saves its model."""
        return self._estimate(self.statistics_, self._class_variable)

    def _pooled(self, earlier: Any, fresh: Any) -> Any:
        """Return the statistics of all earlier rows plus those of the new rows."""
        return earlier + fresh

    def _as_counted(self, statistics: Any) -> Any:
        """Return the statistics of other rows in the form that those of this classifier have."""
        return statistics

    def _decide(self, rows: LabelledSource) -> None:
        """Learn what must be known of all rows before they are counted in batches, such as cuts."""

    def _needs_all_rows(self, rows: LabelledSource) -> str:
        """What :meth:`_decide` learns from these rows, in words; empty: nothing, so one pass is enough."""
        return ""

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

        Raises ``UnknownVariable`` if there is no column of the name ``y``, ``BadData`` for a table that
        cannot be read, ``BadPrior`` for a prior that is none.

        >>> import bayou
        >>> days = {"wind": ["weak", "strong", "weak"], "play": ["yes", "no", "yes"]}
        >>> print(bayou.NaiveBayes().fit(days, "play").predict({"wind": ["weak", "strong"]}))
        ['yes' 'no']
        """
        with unchanged_on_error(self):
            self._forget_all()
            return self._learn(*opened_rows(X, y, sample_weight), None)

    @weights_named("sample_weight")
    def partial_fit(
        self: Self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        half_life: float | None = None,
    ) -> Self:
        """Learn from more rows; the result is that of ``fit`` on all rows, in any split and order.

        Exception: the first call decides how each column is modelled (and, if the classifier cuts numbers
        into ranges, the cuts). ``classes`` may name classes of later rows; other new classes are accepted
        too. ``half_life=1000`` forgets slowly, where the world drifts: a row counts half as much after 1,000
        further rows (per row, in their order, so that the split into calls changes nothing).

        Raises ``BadQuestion`` for a class column of another name or a ``half_life`` that is no number above
        0, ``BadData`` for a table without the columns of the first call, and ``UnknownVariable`` for a column
        that is not there.

        >>> import bayou
        >>> first, later = {"wind": ["weak", "strong"]}, {"wind": ["weak"]}
        >>> model = bayou.NaiveBayes().partial_fit(first, ["yes", "no"]).partial_fit(later, ["yes"])
        >>> model.predict_proba({"wind": ["weak"]}).round(3).tolist()
        [[0.229, 0.771]]
        """
        return self._learn(*opened_rows(X, y, sample_weight), classes, half_life)

    def _forget_all(self) -> None:
        """Delete all that was learned; parameters stay."""
        learned = ("_model", "_learned_model", "_class_variable", "choice")
        for name in [name for name in vars(self) if name in learned or (name[0] != "_" and name[-1] == "_")]:
            delattr(self, name)

    def _learn(
        self: Self, X: Any, y: Any, sample_weight: Any, classes: Any, half_life: float | None = None
    ) -> Self:
        ageing = None if half_life is None else Ageing(half_life)
        with unchanged_on_error(self):
            self._count(X, y, sample_weight, [] if classes is None else np.asarray(classes).tolist(), ageing)
            self._take_model(self._estimate(self.statistics_, self._class_variable))
        self.classes_ = classes_of(self._class_variable)
        return self

    def _count(
        self, X: Any, y: Any, sample_weight: Any, later: Sequence[State], ageing: Ageing | None
    ) -> None:
        """Add the statistics of rows to those of earlier rows, without estimating the model."""
        first = not hasattr(self, "statistics_")
        source = stream_of(X, y, sample_weight)
        if source is not None and (source.reads_once or ageing is not None):
            from bayou.estimators.batchwise import count_in_batches

            count_in_batches(self, source, y, later, ageing)
            return
        rows = self._labelled(X if source is None else source, y, sample_weight, first)
        if ageing is not None:
            rows = rows.in_memory.aged(ageing)
        self._add_rows(rows, later, 1.0 if ageing is None else ageing.after(len(rows.in_memory.labels)))

    def _add_rows(self, rows: LabelledSource, later: Sequence[State], left: float = 1.0) -> None:
        """Add the statistics of labelled rows; earlier rows keep the share ``left`` of their weight."""
        first = not hasattr(self, "statistics_")
        known = {} if first else {state_key(state): state for state in self._class_variable.states}
        expected = [*self._expected_classes(rows), *later]
        fresh = self._collect(rows)
        known.update({state_key(state): state for state in [*expected, *rows.classes]})
        if not first:
            earlier = self.statistics_ if left == 1.0 else self.statistics_ * left
            fresh = self._pooled(earlier, fresh)
        self.statistics_ = fresh
        self._class_variable = class_variable(rows.target, known.values())
        self.target_ = rows.target

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
        """Write the fitted classifier to a ``.bayou`` file, which ``bayou.load`` opens; no pickle.

        Raises ``BadFile`` for an ending that names no format or a folder that is not there, and
        scikit-learn's ``NotFittedError`` before the first fit.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> with TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "tennis.bayou")
        ...     print(bayou.load(Path(folder) / "tennis.bayou").predict({"wind": ["weak"]}))
        ['yes']
        """
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
        """Return an independent copy: ``partial_fit`` on it does not change this classifier.

        >>> import bayou
        >>> model = bayou.NaiveBayes().fit({"wind": ["weak", "strong"]}, ["yes", "no"])
        >>> twin = model.copy().partial_fit({"wind": ["weak"]}, ["maybe"])
        >>> model.classes_.tolist(), twin.classes_.tolist()
        (['no', 'yes'], ['maybe', 'no', 'yes'])
        """
        return copy.copy(self)
