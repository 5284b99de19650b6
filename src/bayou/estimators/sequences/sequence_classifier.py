"""Classification of whole sequences: one hidden Markov model for each class, and Bayes' rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bayou.arguments import seed_number, weights_named
from bayou.decisions.beliefs import weights_of_rows
from bayou.distributions import DEFAULT_SMOOTHING
from bayou.errors import BadData, BadQuestion, listed
from bayou.estimators.networks.class_densities import ClassDensity, ObjectTable
from bayou.estimators.networks.class_networks import Key
from bayou.estimators.networks.generative import ClassStatistics, GenerativeClassifier, GenerativeModel
from bayou.estimators.sequences.sequence_labels import class_column, classes_given, classes_in_column
from bayou.estimators.sequences.sequence_table import SequenceDensity, SequenceTable, require_same_columns
from bayou.models.sequences.hidden_markov.hmm import HMM
from bayou.models.sequences.input.array_likes import is_table
from bayou.models.sequences.input.listed_sequences import starts_of
from bayou.models.sequences.input.sequence_input import sequence_names
from bayou.schema import plain, state_key
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    from bayou.estimators.input.feature_table import FeatureTable
    from bayou.estimators.input.labelled_source import LabelledSource
    from bayou.schema import Variable
    from bayou.temporal.stored_sequences import AnySequences

Self = TypeVar("Self", bound="SequenceClassifier")
_READING = ("sequence", "time", "lengths", "columns", "gaps")


@dataclass(frozen=True)
class AskedSequences:
    """Data, and the arguments that say how they are sequences."""

    data: Any
    how: Mapping[str, Any]


class SequenceClassifier(GenerativeClassifier):
    """P(class | sequence) ∝ P(class) · P(sequence | class), with a hidden Markov model for each class.

    ``states``, ``emissions`` and ``covariance`` are those of :class:`bayou.HMM`; or give ``models``: an HMM
    that is copied for every class, or one for each class. Sequences come in all forms that ``HMM.fit`` takes:
    a list of sequences, an array with ``lengths=``, a table or a file with a column ``sequence=`` (and
    ``time=``). After fitting ``models_`` has the model of each class.

    >>> rising = [[0, 1, 2, 3], [0, 1, 1, 3], [1, 2, 3, 3]]
    >>> falling = [[3, 2, 1, 0], [3, 2, 2, 0], [3, 1, 1, 0]]
    >>> model = SequenceClassifier(2, {"x": [0, 1, 2, 3]})
    >>> model = model.fit(rising + falling, ["up"] * 3 + ["down"] * 3)
    >>> model.predict([[0, 1, 3, 3], [3, 2, 1, 1]]).tolist()
    ['up', 'down']
    >>> model.predict([0, 1, 3, 3, 3, 2, 1], lengths=[4, 3]).tolist()
    ['up', 'down']
    """

    def __init__(
        self,
        states: Any = 2,
        emissions: Any = None,
        *,
        models: Any = None,
        class_prior: Any = None,
        prior: Any = DEFAULT_SMOOTHING,
        covariance: str = "full",
        seed: int = 0,
    ) -> None:
        self.states = states
        self.emissions = emissions
        self.covariance = covariance
        self.seed = seed
        super().__init__(models, tabular=False, class_prior=class_prior, prior=prior)

    # Learning

    @weights_named("sample_weight")
    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None, **how: Any) -> Self:
        """Learn from sequences X and the class y of each.

        ``y`` is a list of classes; for a table with ``sequence=`` it is the name of the column that has the
        class in every row, or a mapping from the names of sequences to classes. Takes ``sequence``, ``time``,
        ``lengths``, ``columns`` and ``gaps`` as ``HMM.fit`` does.

        Raises ``BadData`` if a sequence cannot be read or has no class.

        >>> walks = {"id": [1, 1, 2, 2], "x": ["a", "b", "b", "a"], "kind": ["up", "up", "down", "down"]}
        >>> model = SequenceClassifier(2).fit(walks, "kind", sequence="id")
        >>> model.predict(walks, sequence="id").tolist()
        ['up', 'down']
        >>> import bayou
        >>> model = bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1]], ["ones", "twos"])
        >>> print(model.predict([[1, 1], [2, 2]]))
        ['ones' 'twos']
        """
        self._forget_all()
        return self._learn_sequences(X, y, sample_weight, None, how)

    @weights_named("sample_weight")
    def partial_fit(
        self: Self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        half_life: float | None = None,
        **how: Any,
    ) -> Self:
        """Learn from more sequences, as ``HMM.partial_fit`` does: equal to one fit where all hidden states
        are known, else by a step of stepwise EM for each class. The first call settles columns and symbols.

        ``half_life`` stays None: hidden Markov models do not age.

        Raises ``BadData`` for sequences that cannot be read, or another number of classes, and
        ``BadQuestion`` for an argument that is not there.

        >>> import bayou
        >>> model = bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1]], ["ones", "twos"])
        >>> model = model.partial_fit([[2, 2, 2]], ["twos"])
        >>> print(model.predict([[1, 1], [2, 2]]))
        ['ones' 'twos']
        """
        if half_life is not None:
            raise BadQuestion("Hidden Markov models do not age: leave half_life= out.")
        return self._learn_sequences(X, y, sample_weight, classes, how)

    def _learn_sequences(
        self: Self, X: Any, y: Any, weights: Any, classes: Any, how: Mapping[str, Any]
    ) -> Self:
        _check_how(how)
        if not self._reads_sequences:
            return self._learn(_listed_sequences(X, how), y, weights, classes)
        data, column = _one_per_row(X, how), class_column(X, y)
        rows = self._settle(data, how, () if column is None else (column,))
        self.n_features_in_ = len(next(iter(self._settled.values())).chain.columns)
        if column is None:
            table = SequenceTable(rows)
            labels: Any = classes_given(y, rows.count, data, how.get("sequence"))
        else:
            labels, kept = classes_in_column(data, column, how)
            table = SequenceTable(rows, kept)
            if weights is not None and len(weights) == rows.count:
                weights = np.asarray(weights)[kept]
        try:
            return self._learn(table, labels, weights, classes)
        finally:
            del self._settled

    @property
    def _reads_sequences(self) -> bool:
        """Whether all models are hidden Markov models; others are handed lists of sequences."""
        if self.models is None:
            return True
        templates = self.models.values() if isinstance(self.models, Mapping) else [self.models]
        return all(isinstance(one, HMM) for one in templates)

    def _settle(self, data: Any, how: Mapping[str, Any], apart: Sequence[Name]) -> AnySequences:
        """Read the sequences. All models get the columns and symbols of all classes, in ``_settled``."""
        if hasattr(self, "statistics_"):
            reader = self._fitted_hmm
            rows = reader.opened_rows(data, how, apart=apart, fresh=False)
            self._settled: dict[Key | None, HMM] = {None: reader}
        elif isinstance(self.models, Mapping):
            opened: dict[Key | None, HMM] = {
                state_key(plain(name)): model.copy() for name, model in self.models.items()
            }
            found = [model.opened_rows(data, how, apart=apart) for model in opened.values()]
            require_same_columns(list(opened.values()))
            rows, self._settled = found[0], opened
        else:
            reader = self._template(None).copy()
            rows = reader.opened_rows(data, how, apart=apart)
            self._settled = {None: reader}
        return rows

    def _declared(self, rows: LabelledSource) -> dict[Name, Variable]:
        """Nothing: ``states`` are those of the hidden Markov models, not of columns or classes."""
        return {}

    def _template(self, state: Any) -> Any:
        if self.models is not None:
            return super()._template(state)
        return HMM(self.states, self.emissions, covariance=self.covariance)

    def _of_objects(self, rows: LabelledSource, state: State, template: Any) -> Any:
        """The model of a class, learned from its sequences."""
        if not self._reads_sequences:
            return super()._of_objects(rows, state, template)
        part, key = rows.in_memory.taken(state), state_key(state)
        assert isinstance(part.table, SequenceTable)
        chosen = part.table.weighted(part.weights)
        before = getattr(self, "statistics_", None)
        if before is not None and key in before.by_class:
            return before.by_class[key].copy().changed_by(chosen)
        if before is not None and isinstance(self.models, Mapping):
            raise BadQuestion(f"Class {state!r} is new, and so is its model: fit on all sequences at once.")
        model = (self._settled.get(key) or self._settled[None]).copy()
        return model.fit_rows(chosen, model.fit_options(seed=seed_number(self.seed)), self.prior)

    def _pooled(self, earlier: ClassStatistics, fresh: ClassStatistics) -> ClassStatistics:
        """The models have learned from the new sequences already."""
        if not self._reads_sequences:
            return earlier + fresh
        return ClassStatistics(earlier.counts + fresh.counts, {**earlier.by_class, **fresh.by_class})

    def _density(self, collected: Any, state: State, statistics: ClassStatistics) -> ClassDensity:
        if isinstance(collected, HMM):
            return SequenceDensity(collected, state)
        return super()._density(collected, state, statistics)

    def _estimate(self, statistics: ClassStatistics, classes: Variable) -> GenerativeModel:
        learned = [one for one in statistics.by_class.values() if isinstance(one, HMM)]
        if len(learned) != (len(statistics.by_class) if self._reads_sequences else 0):
            raise BadQuestion("models= are not of the kind that has learned: fit again.")
        require_same_columns(learned)
        return super()._estimate(statistics, classes)

    # Predicting

    @property
    def _fitted_hmm(self) -> HMM:
        """The model of a class; all read the same columns."""
        model: HMM = next(iter(self.models_.values()))
        return model

    def _tables(self, X: Any) -> Iterator[tuple[int, FeatureTable]]:
        """Some sequences at a time, where the data are too large for memory."""
        data, how = (X.data, X.how) if isinstance(X, AskedSequences) else (X, {})
        if not self._reads_sequences:
            yield 0, ObjectTable.of(_listed_sequences(data, how))
            return
        first = 0
        for part in self._fitted_hmm.asked_parts(_one_per_row(data, how), how):
            table = SequenceTable(part)
            yield first, table
            first += table.rows

    def predict(self, X: Any, **how: Any) -> Any:
        """Return the most probable class of each sequence (of ties the first).

        Those of a table come in the order of their names; ``predict_frame`` shows these, too.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for sequences that cannot
        be read, and ``BadQuestion`` for an argument that is not there.

        >>> import bayou
        >>> model = bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1]], ["ones", "twos"])
        >>> print(model.predict([[1, 1], [2, 2]]))
        ['ones' 'twos']
        """
        return super().predict(_asked(X, how))

    def predict_proba(self, X: Any, **how: Any) -> Any:
        """Return P(class | sequence), one column per class in the order of ``classes_``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for sequences that cannot
        be read, and ``BadQuestion`` for an argument that is not there.

        >>> import bayou
        >>> model = bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1]], ["ones", "twos"])
        >>> model.predict_proba([[1, 1]]).round(2).tolist()
        [[0.69, 0.31]]
        """
        return super().predict_proba(_asked(X, how))

    def predict_log_proba(self, X: Any, **how: Any) -> FloatArray:
        """Return log P(class | sequence), one column per class in the order of ``classes_``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for sequences that cannot
        be read, and ``BadQuestion`` for an argument that is not there.

        >>> import bayou
        >>> model = bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1]], ["ones", "twos"])
        >>> model.predict_log_proba([[1, 1]]).round(2).tolist()
        [[-0.37, -1.18]]
        """
        return super().predict_log_proba(_asked(X, how))

    def predict_joint_log_proba(self, X: Any, **how: Any) -> FloatArray:
        """Return log P(class, sequence), one column per class in the order of ``classes_``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for sequences that cannot
        be read, and ``BadQuestion`` for an argument that is not there.

        >>> import bayou
        >>> model = bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1]], ["ones", "twos"])
        >>> model.predict_joint_log_proba([[1, 1]]).round(2).tolist()
        [[-1.71, -2.53]]
        """
        return super().predict_joint_log_proba(_asked(X, how))

    def predict_frame(self, X: Any, **how: Any) -> Any:
        """Return a pandas frame with the name of each sequence of a table, its most probable class and the
        probability of each class.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for sequences that cannot
        be read, and ``BadQuestion`` for an argument that is not there.

        >>> walks = {"id": ["p", "p", "q", "q"], "x": ["a", "b", "b", "a"]}
        >>> model = SequenceClassifier(1).fit(walks, {"p": "up", "q": "down"}, sequence="id")
        >>> print(model.predict_frame(walks, sequence="id"))
          id predicted_class  P(class=down)  P(class=up)
        0  p            down            0.5          0.5
        1  q            down            0.5          0.5
        """
        found = super().predict_frame(_asked(X, how))
        if how.get("sequence") is not None:
            found.insert(0, how["sequence"], list(sequence_names(X, how["sequence"])))
        return found

    @weights_named("sample_weight")
    def score(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> float:
        """Return the accuracy: the share of sequences whose most probable class is the true one.

        ``y`` has the true classes as for ``fit``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for sequences that cannot
        be read, or another number of classes, and ``BadQuestion`` for an argument that is not there.

        >>> import bayou
        >>> model = bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1]], ["ones", "twos"])
        >>> model.score([[1, 1], [2, 2], [1, 2, 2]], ["ones", "twos", "ones"])
        0.6666666666666666
        """
        self._fitted_model()
        asked, column = _asked(X, how), class_column(X, y)
        predicted = self._predicted_places(asked)
        kept = np.arange(len(predicted))
        if column is None:
            truth: Any = classes_given(y, len(predicted), asked.data, how.get("sequence"))
        else:
            truth, kept = classes_in_column(asked.data, column, how)
        known = {state_key(plain(state)): k for k, state in enumerate(self.classes_.tolist())}
        places = np.array([known.get(state_key(plain(label)), -1) for label in truth])
        weights = weights_of_rows(sample_weight, len(predicted))
        hits = predicted[kept] == places
        return float(np.average(hits, weights=None if weights is None else weights[kept]))


def _check_how(how: Mapping[str, Any]) -> None:
    unknown = [name for name in how if name not in _READING]
    if unknown:
        raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(_READING)}.")


def _asked(X: Any, how: Mapping[str, Any]) -> AskedSequences:
    _check_how(how)
    return X if isinstance(X, AskedSequences) else AskedSequences(X, how)


def _one_per_row(X: Any, how: Mapping[str, Any]) -> Any:
    """The rows of an array of numbers or symbols without ``lengths`` are sequences of equal length."""
    is_array = isinstance(X, np.ndarray) and X.ndim == 2
    return list(X) if is_array and how.get("lengths") is None else X


def _listed_sequences(X: Any, how: Mapping[str, Any]) -> Any:
    """Sequences as a list, for models that are no hidden Markov models."""
    given = [name for name in how if how[name] is not None]
    if not given:
        return X
    if given != ["lengths"] or is_table(X):
        raise BadQuestion(
            f"{listed(given)}: these models are handed lists of sequences, or arrays with lengths=; "
            "tables are read by hidden Markov models (bayou.HMM)."
        )
    starts = starts_of(how["lengths"])
    if int(starts[-1]) != len(X):
        raise BadData(f"lengths= add up to {int(starts[-1])} rows, but the data have {len(X)}.")
    return [X[first:last] for first, last in pairwise(starts.tolist())]
