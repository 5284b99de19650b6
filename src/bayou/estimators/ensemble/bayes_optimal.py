"""The Bayes optimal classifier: all hypotheses vote, weighted by their posterior probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from bayou.arguments import whole_number
from bayou.errors import BadData, BadFile, BadQuestion, listed
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.classifier_state import classifier_state, save_classifier, set_learned
from bayou.estimators.ensemble.evidence_rows import EvidenceRows, RowsInFile, RowsInMemory
from bayou.estimators.ensemble.hypotheses import hypothesis_log_prior, named_hypotheses
from bayou.estimators.ensemble.model_evidence import log_votes, marginal_evidence
from bayou.estimators.ensemble.stacking import stacked_weights
from bayou.estimators.evaluation.labelled_folds import LabelledFolds
from bayou.estimators.input.containers import is_named, is_streamable
from bayou.estimators.input.labelled_input import read_table
from bayou.estimators.input.table_input import feature_tables, name_array, read_features
from bayou.estimators.input.table_tags import AnyTableTags
from bayou.estimators.input.target import class_variable, classes_of, named_labels
from bayou.estimators.state_codec import restored, stored
from bayou.estimators.table_predictions import TablePredictions
from bayou.estimators.trial_row import require_working
from bayou.formats.file_content import FilePath
from bayou.probability.probability_table import ProbabilityTable
from bayou.probability.weighted_vote import log_posteriors, weighted_vote
from bayou.schema import Variable, plain, state_key
from bayou.sources.stored_rows import rows_to_read_again
from bayou.typing import FloatArray, State

if TYPE_CHECKING:
    from bayou.estimators.explain.model_summary import ModelSummary

Self = TypeVar("Self", bound="BayesOptimal")
EVIDENCE = ("auto", "marginal", "stacking", "cross-validation")
RULES = ("optimal", "map", "ml")
_SETTINGS = ("prior", "evidence", "prefit", "rule", "cv", "states")
_LEARNED = (
    "evidence_",
    "log_evidence_",
    "weights_",
    "n_features_in_",
    "feature_names_in_",
    "by_name_",
    "target_",
)


class BayesOptimal(TablePredictions, AnyTableTags, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """P(class | row) = Σ w(h) P(class | row, h) over several classifiers h; in theory w(h) is P(h | data).

    ``hypotheses`` is a list of classifiers or a mapping name → classifier; by default naive Bayes and TAN.
    P(h | data) ∝ P(h) P(data | h) is in ``weights_``; ``prior`` is P(h), uniform by default. P(data | h) is
    with ``evidence="marginal"`` the exact marginal likelihood (of classifiers made of tables with a fixed
    prior, on rows without gaps), with ``"cross-validation"`` the probability of the classes of held-out rows
    (``cv`` folds): of many rows both are all or nothing. ``"stacking"`` gives the weights whose vote predicts
    held-out rows best, P(h) counting as one more row. ``"auto"`` is the first if it is available, else
    stacking; ``evidence_`` says which.
    With ``prefit=True`` the hypotheses are fitted already, and P(data | h) is their likelihood. ``rule`` is
    "optimal" (all hypotheses vote), "map" (only the most probable) or "ml" (only the one with the largest
    P(data | h)). ``states`` declares states for all hypotheses that take it and have none of their own.

    >>> from bayou import NetworkClassifier
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9}
    >>> graphs = {"apart": NetworkClassifier("y -> a, b", target="y"),
    ...           "together": NetworkClassifier("a, b -> y", target="y")}
    >>> model = BayesOptimal(graphs).fit(rows, [0, 1, 1, 0] * 9)
    >>> model.map_, model.evidence_, model.predict(rows)[:4].tolist()
    ('together', 'marginal', [0, 1, 1, 0])
    """

    classes_: npt.NDArray[Any]
    n_features_in_: int
    weights_: dict[Any, float]
    log_evidence_: dict[Any, float]
    evidence_: str
    _log_prior: FloatArray
    _log_weights: FloatArray

    def __init__(
        self,
        hypotheses: Any = None,
        *,
        prior: Any = None,
        evidence: str = "auto",
        prefit: bool = False,
        rule: str = "optimal",
        cv: int = 5,
        states: Mapping[Any, Any] | None = None,
    ) -> None:
        self.hypotheses = hypotheses
        self.prior = prior
        self.evidence = evidence
        self.prefit = prefit
        self.rule = rule
        self.cv = cv
        self.states = states

    @staticmethod
    def from_posteriors(posteriors: Any, votes: Mapping[Any, Any]) -> ProbabilityTable:
        """Return P(class) = Σ P(class | h) P(h | data) from given numbers, without data.

        ``posteriors`` is a mapping, or the result of :func:`bayou.bayes_rule`; a vote is a class, or a
        mapping class → probability.

        ``votes`` has what each hypothesis says.

        Raises ``BadTable`` for numbers that are no probabilities, and ``BadQuestion`` for a hypothesis
        without a vote.

        >>> votes = {"h1": "+", "h2": "-", "h3": "-"}
        >>> BayesOptimal.from_posteriors({"h1": .4, "h2": .3, "h3": .3}, votes)["-"]
        0.6
        """
        return weighted_vote(posteriors, votes)

    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Fit every hypothesis (unless ``prefit``), and compute their posterior probabilities.

        Raises ``BadQuestion`` if there is no hypothesis.

        >>> import bayou
        >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9, "y": [0, 1, 1, 0] * 9}
        >>> model = bayou.BayesOptimal({"naive": bayou.NaiveBayes(), "tree": bayou.TAN()}).fit(rows, "y")
        >>> model.map_
        'tree'
        """
        self._check_settings()
        rows, _, large = rows_to_read_again(X)
        if large is not None:
            return self._fit_large(LabelledFolds.of(large, y), X)
        training = read_table(self, rows, y, None, reset=True)
        if training.weights is not None:
            raise _weighted(X)
        self.target_ = training.target
        columns = training.table.columns if self.by_name_ else _rows(X, training.table.columns)
        codes = training.labels.codes.astype(np.intp)
        states = training.labels.labels
        # They keep their name, because a graph or states= may use it for the class variable.
        labels = (
            y
            if hasattr(y, "iloc") and isinstance(y.name, str)
            else named_labels(classes_of(Variable("y", states))[codes].tolist(), self.target_)
        )
        given = self._with_states(named_hypotheses(self.hypotheses))
        self.hypotheses_ = (
            given if self.prefit else {n: clone(h).fit(columns, labels) for n, h in given.items()}
        )
        content = training.table.columns
        memory = RowsInMemory(columns, labels, codes, content, states, self.target_)
        return self._weighed(given, memory, states)

    def _fit_large(self: Self, rows: LabelledFolds, X: Any) -> Self:
        """The same from rows that are too many for memory: they are read again for every fold."""
        if rows.weights is not None:
            raise _weighted(X)
        self.target_, self.by_name_ = rows.target, True
        self.feature_names_in_, self.n_features_in_ = name_array(rows.features), len(rows.features)
        given = self._with_states(named_hypotheses(self.hypotheses))
        for hypothesis in given.values() if not self.prefit else ():
            rows.require_learnable(hypothesis)
        large = RowsInFile(rows)
        self.hypotheses_ = given if self.prefit else {n: large.learned(h) for n, h in given.items()}
        return self._weighed(given, large, rows.classes)

    def _weighed(self: Self, given: Mapping[Any, Any], rows: EvidenceRows, states: Sequence[State]) -> Self:
        """Compute the posterior probabilities of the hypotheses."""
        self._log_prior = hypothesis_log_prior(self.prior, tuple(given))
        evidence, stacked = self._log_evidence(given, rows)
        self.log_evidence_ = dict(zip(given, evidence, strict=True))
        posteriors = log_posteriors(self._log_prior, np.array(evidence))
        self._log_weights = posteriors if stacked is None else stacked
        self.weights_ = dict(zip(given, np.exp(self._log_weights).tolist(), strict=True))
        known = [
            *states,
            *(plain(s) for h in self.hypotheses_.values() for s in np.asarray(h.classes_).tolist()),
        ]
        self._classes = class_variable("class", {state_key(state): state for state in known}.values())
        self.classes_ = classes_of(self._classes)
        return self

    def _with_states(self, given: dict[Any, Any]) -> dict[Any, Any]:
        """The hypotheses with ``states``, where they take it and have none of their own."""
        if not self.states:
            return given
        takers = {name for name, h in given.items() if "states" in h.get_params(deep=False)}
        if self.prefit or not takers:
            why = "with prefit=True they are learned already" if self.prefit else "none of them takes states"
            raise BadQuestion(f"states= is for the hypotheses, but {why}: leave it out.")
        return {
            name: clone(h).set_params(states=self.states) if name in takers and not h.states else h
            for name, h in given.items()
        }

    def _log_evidence(
        self, given: Mapping[Any, Any], rows: EvidenceRows
    ) -> tuple[list[float], FloatArray | None]:
        """log P(data | h) of every hypothesis, and the logs of the weights if they are stacked.

        Sets ``evidence_`` to the way it was computed.
        """
        if self.prefit:
            self.evidence_ = "likelihood"
            return [rows.likelihood(hypothesis) for hypothesis in given.values()], None
        if self.evidence in ("auto", "marginal"):
            exact = [marginal_evidence(hypothesis) for hypothesis in self.hypotheses_.values()]
            found = [pair for pair in exact if pair is not None]
            if len(found) == len(exact) and len({domain for domain, _ in found}) == 1:
                self.evidence_ = "marginal"
                return [log for _, log in found], None
            if self.evidence == "marginal":
                inexact = [name for name, pair in zip(given, exact, strict=True) if pair is None]
                raise BadQuestion(
                    f"{listed(inexact)} has no exact marginal likelihood: that needs tables with a fixed "
                    "prior (not 'back-off'), and rows without gaps. Use evidence='stacking'."
                    if inexact
                    else "The hypotheses have different variables or states, so their marginal likelihoods "
                    "cannot be compared. Use evidence='stacking'."
                )
        logs = [rows.held_out(hypothesis, int(self.cv)) for hypothesis in given.values()]
        sums = [float(each.sum()) for each in logs]
        if self.evidence == "cross-validation":
            self.evidence_ = "cross-validation"
            return sums, None
        self.evidence_ = "stacking"
        with np.errstate(divide="ignore"):
            return sums, np.log(stacked_weights(np.stack(logs, axis=1), np.exp(self._log_prior)))

    @property
    def map_(self) -> Any:
        """The name of the most probable hypothesis (of ties the first)."""
        check_is_fitted(self, "weights_")
        return max(self.weights_, key=self.weights_.__getitem__)

    @property
    def ml_(self) -> Any:
        """The name of the hypothesis with the largest P(data | h), without the prior."""
        check_is_fitted(self, "weights_")
        return max(self.log_evidence_, key=self.log_evidence_.__getitem__)

    def summary(self) -> ModelSummary:
        """Return what was learned: the classes and the posterior probability of each hypothesis.

        Raises scikit-learn's ``NotFittedError`` before the first fit.

        >>> import bayou
        >>> rows = {"a": [0, 0, 1, 1] * 9, "y": [0, 1, 1, 0] * 9}
        >>> summary = bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(rows, "y").summary()
        >>> summary.kind, summary.target, list(summary.classes)
        ('BayesOptimal', 'y', [0, 1])
        """
        from bayou.estimators.explain.summaries import summarise_vote

        check_is_fitted(self, "weights_")
        return summarise_vote(self)

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return log P(class | row), one column per class in the order of ``classes_``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou
        >>> rows = {"a": [0, 0, 1, 1] * 9, "y": [0, 0, 1, 1] * 9}
        >>> model = bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(rows, "y")
        >>> model.predict_log_proba({"a": [0]})[0, 0] > -0.1
        np.True_
        """
        check_is_fitted(self, "weights_")
        parts = list(self._log_probability_blocks(X))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _log_probability_blocks(self, X: Any) -> Iterator[FloatArray]:
        if not is_streamable(X):
            columns = read_features(self, X, reset=False).columns
            by_name = getattr(self, "by_name_", False)
            yield self._log_votes(columns if by_name else _rows(X, columns))
            return
        for _, rows in feature_tables(self, X):
            yield self._log_votes(rows.columns)

    def _log_votes(self, rows: Any) -> FloatArray:
        """log Σ P(class | row, h) · weight, over all hypotheses or the one that the rule chooses."""
        votes = []
        for (name, hypothesis), weight in zip(self.hypotheses_.items(), self._log_weights, strict=True):
            share = 0.0 if self.rule != "optimal" and name == self._chosen() else weight
            if np.isneginf(share) or (self.rule != "optimal" and name != self._chosen()):
                continue
            votes.append(share + self._aligned(hypothesis, log_votes(hypothesis, rows)))
        result: FloatArray = np.logaddexp.reduce(votes, axis=0)
        return result

    def predict_proba(self, X: Any) -> FloatArray:
        """Return P(class | row), one column per class in the order of ``classes_``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou
        >>> rows = {"a": [0, 0, 1, 1] * 9, "y": [0, 0, 1, 1] * 9}
        >>> model = bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(rows, "y")
        >>> model.predict_proba({"a": [0, 1]}).round(1).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        parts = list(self._probability_blocks(X))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _probability_blocks(self, X: Any) -> Iterator[FloatArray]:
        check_is_fitted(self, "weights_")
        for logs in self._log_probability_blocks(X):
            votes = np.exp(logs)
            yield votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with the largest weighted vote (of ties the first).

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for a table without any
        column of a feature.

        >>> import bayou
        >>> rows = {"a": [0, 0, 1, 1] * 9, "y": [0, 0, 1, 1] * 9}
        >>> print(bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(rows, "y").predict({"a": [0, 1]}))
        [0 1]
        """
        check_is_fitted(self, "weights_")
        blocks = self._log_probability_blocks(X)
        return np.concatenate([self.classes_[logs.argmax(axis=1)] for logs in blocks])

    def save(self, path: FilePath) -> None:
        """Write the hypotheses and their weights to a ``.bayou`` file; :func:`bayou.load` reads it.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadFile`` for an ending that
        names no format or a folder that is not there.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import bayou
        >>> rows = {"a": [0, 0, 1, 1] * 9, "y": [0, 0, 1, 1] * 9}
        >>> model = bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(rows, "y")
        >>> with TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "model.bayou")
        ...     print(bayou.load(Path(folder) / "model.bayou").predict({"a": [0, 1]}))
        [0 1]
        """
        save_classifier(self, path, "hypotheses")

    def state(self) -> dict[str, Any]:
        """Return the states of the hypotheses and their weights as plain data."""
        check_is_fitted(self, "weights_")
        return {
            "settings": {name: stored(getattr(self, name), name) for name in _SETTINGS},
            "hypotheses": [
                [stored(name, "hypotheses"), classifier_state(one)] for name, one in self.hypotheses_.items()
            ],
            "learned": {name: stored(getattr(self, name), name) for name in _LEARNED if hasattr(self, name)},
            "log_prior": np.asarray(self._log_prior, dtype=np.float64),
            "log_weights": np.asarray(self._log_weights, dtype=np.float64),
            "classes": self._classes.state(),
        }

    @classmethod
    def from_state(cls: type[Self], state: Mapping[str, Any]) -> Self:
        """Return the classifier that :meth:`state` described."""
        known = {restored(name): BayesClassifier.from_state(one) for name, one in state["hypotheses"]}
        # Files of earlier versions have no states.
        names = [name for name in _SETTINGS if name != "states" or name in state["settings"]]
        model = cls(known, **{name: restored(state["settings"][name]) for name in names})
        model._check_settings()
        model.hypotheses_ = known
        for name, part in state["learned"].items():
            if name not in _LEARNED:
                raise BadFile(f"{name!r} is not a learned attribute of this classifier.")
            set_learned(model, name, restored(part))
        for name in ("_log_prior", "_log_weights"):
            set_learned(model, name, state[name[1:]])
            logs = getattr(model, name)
            if logs.shape != (len(known),) or np.isnan(logs).any() or np.any(logs > 1e-9):
                raise BadFile("it does not have one weight per hypothesis.")
        if not set(known) == set(model.weights_) == set(model.log_evidence_):
            raise BadFile("its weights are not those of its hypotheses.")
        model._classes = Variable.from_state(state["classes"])
        model.classes_ = classes_of(model._classes)
        require_working(model)
        return model

    def _chosen(self) -> Any:
        """The name of the hypothesis that the rules "map" and "ml" use."""
        return self.map_ if self.rule == "map" else self.ml_

    def _aligned(self, hypothesis: Any, logs: FloatArray) -> FloatArray:
        """The columns of a hypothesis in the order of all classes; -inf for a class that it does not have."""
        result: FloatArray = np.full((len(logs), self._classes.cardinality), -np.inf)
        for k, state in enumerate(np.asarray(hypothesis.classes_).tolist()):
            result[:, self._classes.code(plain(state))] = logs[:, k]
        return result

    def _check_settings(self) -> None:
        for setting, allowed in (("evidence", EVIDENCE), ("rule", RULES)):
            if getattr(self, setting) not in allowed:
                raise BadQuestion(f"{setting}={getattr(self, setting)!r}: use one of {listed(allowed)}.")
        whole_number("cv", self.cv, 2, expected="give the number of folds, a whole number, 2 or more")


def _weighted(X: Any) -> BadData:
    return BadData(
        f"BayesOptimal counts every row once, but the rows of this {type(X).__name__} have weights. "
        "Give it a source without weights."
    )


def _rows(X: Any, columns: Any) -> Any:
    """The table in a form that the hypotheses, scikit-learn's classifiers among them, can read."""
    if is_named(X):
        return columns
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)
