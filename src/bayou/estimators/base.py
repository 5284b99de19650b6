"""The base class of all classifiers: every scikit-learn method lives here, a classifier is a recipe.

A recipe says two things: what it needs to know of the data (``_collect``, statistics that add) and how a
model comes out of that (``_estimate``). So ``fit``, ``partial_fit``, sample weights and saving are one path.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bayou._native import softmax_rows
from bayou.decisions import PriorShift, estimate_priors
from bayou.errors import BadData, BadQuestion, ImpossibleEvidence
from bayou.estimators.class_prior import PriorShifted, class_shares
from bayou.estimators.classifier_state import classifier_from_state, classifier_state, save_classifier
from bayou.estimators.explain import explanations as explaining
from bayou.estimators.explain.counterfactuals import smallest_change
from bayou.estimators.explain.linear_form import linear_weights
from bayou.estimators.input.labelled_input import read_training
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.table_input import FeatureTable, feature_tables, is_streamable, read_features
from bayou.estimators.input.table_tags import AnyTableTags
from bayou.estimators.input.target import class_variable, classes_of
from bayou.explain.class_working import ClassWorking
from bayou.explain.flips import Flip
from bayou.explain.ledger import Ledger
from bayou.explain.linear_weights import LinearWeights
from bayou.formats.files import FilePath
from bayou.formats.kinds import CLASSIFIERS
from bayou.schema import Variable, state_key
from bayou.sources.matrix_source import refuse_infinite
from bayou.typing import FloatArray, Name, State

Self = TypeVar("Self", bound="BayesClassifier")


class ClassModel(Protocol):
    """What a recipe makes: log P(class, row) for every row and class."""

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """An array with a row a record and a column a class."""


class BayesClassifier(AnyTableTags, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Everything that classifiers have in common; see :class:`bayou.NaiveBayes` for one to use."""

    classes_: npt.NDArray[Any]
    n_features_in_: int
    statistics_: Any
    target_: Name
    _class_variable: Variable
    _model: ClassModel

    def __init_subclass__(cls, saved: bool = False, **options: Any) -> None:
        """``saved=True`` makes a new class known to files under its own name."""
        super().__init_subclass__(**options)
        if saved:
            CLASSIFIERS.add(cls.__name__, cls)

    # The recipe

    def _collect(self, rows: LabelledSource) -> Any:
        """The statistics of these rows: an object that adds (``+``) to those of other rows.

        The rows may be anywhere: they are asked (``rows.collect``), not read.
        """
        raise NotImplementedError

    def _estimate(self, statistics: Any, classes: Variable) -> ClassModel:
        """The model behind the statistics of all rows so far."""
        raise NotImplementedError

    def _pooled(self, fresh: Any) -> Any:
        """What was known before and what these rows bring."""
        return self.statistics_ + fresh

    def _target_name(self, target: Name) -> Name:
        """What the class is called: as in the data, unless the recipe has a name for it."""
        return target

    # Learning

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X and their classes y (or the name of X's column that holds them)."""
        self._forget_all()
        return self._learn(X, y, sample_weight, None)

    def partial_fit(
        self: Self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows; in any split and order the result is that of ``fit`` on all of them.

        Only what kind a column is (and, of classifiers that cut numbers first, where) the first call decides.
        ``classes`` may name classes that are still to come; new ones may also just appear.
        """
        return self._learn(X, y, sample_weight, classes)

    def _forget_all(self) -> None:
        learned = ("_model", "_class_variable")
        for name in [name for name in vars(self) if name in learned or (name[0] != "_" and name[-1] == "_")]:
            delattr(self, name)

    def _learn(self: Self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Self:
        first = not hasattr(self, "statistics_")
        before = dict(vars(self))
        try:
            rows = self._labelled(X, y, sample_weight, first)
            known = {} if first else {state_key(state): state for state in self._class_variable.states}
            declared = [] if classes is None else np.asarray(classes).tolist()
            fresh = self._collect(rows)
            known.update({state_key(state): state for state in [*declared, *rows.classes]})
            statistics = fresh if first else self._pooled(fresh)
            variable = class_variable(rows.target, known.values())
            model = self._estimate(statistics, variable)
        except BaseException:
            self.__dict__.update(before)  # what failed changes nothing
            if first:
                self._forget_all()
            raise
        self.statistics_, self._model, self._class_variable = statistics, model, variable
        self.target_ = rows.target
        self.classes_ = classes_of(variable)
        return self

    def _labelled(self, X: Any, y: Any, sample_weight: Any, first: bool) -> LabelledSource:
        """The rows to learn from, their class under the name that it has in this model."""
        rows = read_training(self, X, y, sample_weight, reset=first)
        name = self._target_name(rows.target) if first else self.target_
        if name == rows.target:
            return rows
        return rows.in_memory.renamed(name)

    # Predicting

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each row (the first of those that tie)."""
        best = self._over_rows(X, lambda rows, first: self._scores(rows, first).argmax(axis=1))
        winners: npt.NDArray[Any] = self.classes_[best]
        return winners

    def predict_proba(self, X: Any) -> FloatArray:
        """P(class | row), a column a class in the order of ``classes_``."""
        posteriors: FloatArray = self._over_rows(X, self._posteriors)
        return posteriors

    def with_class_prior(self: Self, class_prior: Any) -> Self:
        """The same classifier where classes come as often as stated now; what each looks like is unchanged.

        ``class_prior`` is a mapping, an array in the order of ``classes_``, or "uniform".
        """
        twin = copy.copy(self)
        shares = class_shares(class_prior, self._class_variable)
        twin._model = PriorShifted(self._fitted_model(), self._log_class_prior(), shares)
        return twin

    def estimate_class_prior(self, X: Any) -> PriorShift:
        """How often each class comes among unlabelled rows, by EM over their posteriors (Saerens et al.)."""
        old = np.exp(self._log_class_prior())
        return estimate_priors(self.predict_proba(X), old, classes=self._class_variable.states)

    def _log_class_prior(self) -> FloatArray:
        """log P(class) of the model."""
        model = self._fitted_model()
        logs: FloatArray | None = getattr(model, "log_prior", None)
        if logs is None:
            raise BadQuestion(
                f"This {type(self).__name__} has no class prior of its own that could be changed."
            )
        return logs

    def predict_log_proba(self, X: Any) -> FloatArray:
        """log P(class | row)."""
        joint = self._joint(X)
        top = joint.max(axis=1, keepdims=True)
        result: FloatArray = joint - (top + np.log(np.exp(joint - top).sum(axis=1, keepdims=True)))
        return result

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """log P(class, row), before normalising."""
        return self._joint(X)

    def _joint(self, X: Any) -> FloatArray:
        """log P(class, row) of all rows."""
        joint: FloatArray = self._over_rows(X, self._joint_of)
        return joint

    def _over_rows(self, X: Any, answer: Callable[[FeatureTable, int], npt.NDArray[Any]]) -> Any:
        """The answers about rows that may come some at a time, one after the other."""
        self._fitted_model()
        parts = [answer(rows, first) for first, rows in self._tables(X)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _joint_of(self, rows: FeatureTable, first: int) -> FloatArray:
        """log P(class, row) of some rows, of which the first has this number."""
        joint = self._fitted_model().joint_log(rows)
        _refuse_impossible(joint, rows, first)
        return joint

    def _posteriors(self, rows: FeatureTable, first: int) -> FloatArray:
        """P(class | row) of some rows."""
        return softmax_rows(self._joint_of(rows, first))

    def _scores(self, rows: FeatureTable, first: int) -> FloatArray:
        """Anything that is largest where P(class | row) is."""
        return self._joint_of(rows, first)

    def _fitted_model(self) -> ClassModel:
        check_is_fitted(self, "statistics_")
        return self._model

    def _read(self, X: Any) -> FeatureTable:
        """New rows, their columns checked against those learned from."""
        return read_features(self, X, reset=False)

    def _tables(self, X: Any) -> Iterator[tuple[int, FeatureTable]]:
        """New rows in order; those of files and other sources come some at a time."""
        return feature_tables(self, X) if is_streamable(X) else iter([(0, self._read(X))])

    # Explaining

    def explain(self, row: Any, of: State = None, against: State = None, order: str = "size") -> Ledger:
        """The log-odds of two classes finding by finding: by default of the best class and the next.

        ``row``: a mapping, a Series, a table of one row, or values in the columns' order; ``order`` is 'size'
        or 'column'. Where findings act together, each tells how the log-odds change when it is left out.
        """
        return explaining.explain(self, row, of, against, order)

    def working(self, row: Any) -> ClassWorking:
        """The blackboard calculation of one row: ``.text`` and ``.latex``, its numbers the model's own."""
        return explaining.working(self, row)

    def linear_weights(self, of: State = None, against: State = None) -> LinearWeights:
        """The log-odds of two classes as a bias and a weight for every state, where the model is linear."""
        return linear_weights(self, of, against)

    def smallest_change(self, row: Any, to: State = None) -> Flip | None:
        """The fewest findings to change, and to what, so that the decision is another (or ``to``).

        Exact where findings add up (naive Bayes); elsewhere up to three changes are tried. None: none found.
        """
        self._fitted_model()
        return smallest_change(self, row, to)

    def save(self, path: FilePath) -> None:
        """Write the fitted classifier to a ``.bayou`` file, which ``bayou.load`` opens; never pickle."""
        save_classifier(self, path)

    def state(self) -> dict[str, Any]:
        """Everything that a file keeps: parameters, what was learned by counting, and the classes."""
        return classifier_state(self)

    @classmethod
    def from_state(cls: type[Self], state: Mapping[str, Any]) -> Self:
        """The classifier that :meth:`state` described, of this class or one below it."""
        model: Self = classifier_from_state(state, cls)
        return model

    def copy(self: Self) -> Self:
        """An independent copy that can learn on without changing this one."""
        return copy.copy(self)


def _refuse_impossible(joint: FloatArray, rows: FeatureTable, first: int) -> None:
    if np.isfinite(joint.sum()):
        return  # then all of it is; the best class of each row takes longer to find
    best = joint.max(axis=1)
    bad = np.flatnonzero(~np.isfinite(best))
    if not len(bad):
        return
    if rows.matrix is not None:
        refuse_infinite(rows.matrix)
    where = f"Row {first + bad[0]} (counting from 0)"
    if np.isnan(best[bad[0]]) or best[bad[0]] > 0:
        raise BadData(f"{where} gives no number for its classes: a density is infinite or not a number.")
    raise ImpossibleEvidence(
        f"{where} has probability 0 in every class, so it has no posterior. A prior such as "
        "Laplace(1) (the default) leaves no value without probability; numbers may be too far from "
        "all that were learned, and are then better made missing."
    )
