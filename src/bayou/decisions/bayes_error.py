"""The Bayes error of a known model (the least error of any classifier), and a classifier's regret."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.decisions.beliefs import class_names, codes_of
from bayou.decisions.gaussian_classes import GaussianClasses
from bayou.decisions.known_models import known_model
from bayou.decisions.known_networks import error_of_joint, known_network
from bayou.errors import BadData, BadQuestion, counted, listed
from bayou.networks import FrozenNetwork
from bayou.schema import state_key
from bayou.typing import FloatArray, IntArray, Name, State

__all__ = ["BayesError", "GaussianClasses", "Regret"]

DRAWS = 100_000
SEED = 0


@dataclass(frozen=True, repr=False)
class Regret:
    """How much larger a classifier's error is than the Bayes error; never negative.

    ``standard_error`` is 0 where all cases were enumerated instead of sampled.
    """

    value: float
    standard_error: float
    bayes_error: float

    @property
    def error(self) -> float:
        """The classifier's own error: the Bayes error plus the regret."""
        return self.bayes_error + self.value

    def __str__(self) -> str:
        return (
            f"Regret {_with_error(self.value, self.standard_error)}: it errs in {self.error:.4g} of all "
            f"cases, the best possible classifier in {self.bayes_error:.4g}."
        )

    __repr__ = __str__


class BayesError:
    """The error of the Bayes decision rule under a known model: no classifier can have less.

    It is E[1 - max P(class | row)]. ``model`` is a Network (with ``target`` and perhaps ``features``), a
    joint table (an array whose last axis is the class, or a ProbabilityTable with a target),
    :class:`GaussianClasses`, or any object with ``sample(n, seed)`` and ``posterior(rows)``. The value is
    exact where a closed form exists or all cases can be enumerated; otherwise it is the mean over ``draws``
    rows sampled with ``seed``, and has a standard error.

    Raises ``BadTable`` for what is no joint table.

    >>> print(BayesError(GaussianClasses([0, 2], [1, 1])))
    Bayes error 0.1587 (exact)
    """

    def __init__(
        self,
        model: Any,
        target: Any = None,
        *,
        features: Iterable[Name] | None = None,
        classes: Iterable[State] | None = None,
        draws: int = DRAWS,
        seed: int = SEED,
    ) -> None:
        network = getattr(model, "frozen", model)
        if isinstance(network, FrozenNetwork):
            self._model = known_network(network, target, features)
        else:
            self._model = known_model(model, target, features, classes)
        self.target, self.classes = target, self._model.classes
        self.draws, self.seed = whole_number("draws", draws, 2), seed
        self._drawn: tuple[Any, FloatArray] | None = None
        self.value, self.standard_error = self._measured()

    def _measured(self) -> tuple[float, float]:
        if self._model.exact_error is not None:
            return self._model.exact_error, 0.0
        if self._model.joint is not None:
            return error_of_joint(self._model.joint), 0.0
        _, posterior = self._rows()
        return _mean(1 - posterior.max(axis=1))

    @property
    def exact(self) -> bool:
        """Whether the value was computed without sampling."""
        return self._model.exact_error is not None or self._model.joint is not None

    @property
    def accuracy(self) -> float:
        """The share of cases that the best possible classifier gets right."""
        return 1 - self.value

    def regret(self, classifier: Any, classes: Iterable[State] | None = None) -> Regret:
        """How much more often ``classifier`` errs than the best possible one.

        ``classifier`` is a Network, a callable of rows, or has ``predict`` or ``predict_proba``; it gives
        one class per row, or a probability per row and class. The form of the rows depends on the model: a
        DataFrame of a network's features, an array of codes for a joint table, an array of numbers for
        Gaussian classes. ``classes`` names the columns of probabilities.

        Raises ``BadQuestion`` for what is no classifier, and ``BadData`` for one that does not answer all
        rows.

        >>> error = BayesError([[0.4, 0.1], [0.2, 0.3]], classes=["ill", "well"])
        >>> round(error.regret(lambda rows: ["ill"] * len(rows)).value, 12)
        0.1
        """
        if self._model.joint is not None and self._model.cases is not None:
            weights, rows = self._model.joint, self._model.cases()
        else:
            rows, weights = self._rows()
        if hasattr(classifier, "frozen") and self.target is not None:
            # The classifier is another network: query it for the same target.
            answers = classifier.posterior(rows, self.target)[self.target]
            names: Any = classifier.states(self.target)
        else:
            answers = _answers(classifier, rows)
            names = classes if classes is not None else getattr(classifier, "classes_", None)
        predicted = _positions(answers, len(weights), self.classes, names)
        regrets = weights.max(axis=1) - weights[np.arange(len(weights)), predicted]
        if self._model.joint is not None:
            return Regret(float(regrets.sum()), 0.0, self.value)
        return Regret(*_mean(regrets), self.value)

    def _rows(self) -> tuple[Any, FloatArray]:
        """The sampled rows and their posteriors; kept, so that all classifiers see the same rows."""
        if self._drawn is None:
            assert self._model.draw is not None
            rows, posterior = self._model.draw(self.draws, self.seed)
            if posterior.shape != (self.draws, len(self.classes)):
                raise BadData(
                    f"The model was asked for {self.draws} rows of {len(self.classes)} classes; it returned "
                    f"posteriors of shape {posterior.shape}."
                )
            self._drawn = rows, posterior
        return self._drawn

    def __str__(self) -> str:
        if self.exact:
            return f"Bayes error {self.value:.4g} (exact)"
        shown = _with_error(self.value, self.standard_error)
        return f"Bayes error {shown} ({counted(self.draws, 'row')} drawn, seed {self.seed})"

    __repr__ = __str__


def _answers(classifier: Any, rows: Any) -> Any:
    """What ``predict``, else ``predict_proba``, else the callable itself returns for the rows."""
    for verb in ("predict", "predict_proba"):
        if callable(getattr(classifier, verb, None)):
            return getattr(classifier, verb)(rows)
    if not callable(classifier):
        raise BadQuestion(
            "A classifier is a callable of rows or an object with predict or predict_proba; "
            f"got {classifier!r}."
        )
    return classifier(rows)


def _positions(answers: Any, count: int, known: tuple[State, ...], names: Iterable[State] | None) -> IntArray:
    """Return predicted classes as positions among ``known``; of a matrix, the most probable class per row."""
    if hasattr(answers, "columns"):
        names, answers = answers.columns, np.asarray(answers)
    given = answers.tolist() if hasattr(answers, "tolist") else list(answers)
    if len(given) != count:
        raise BadData(f"The classifier was given {count} rows and returned {len(given)} answers.")
    if np.ndim(answers) != 2:
        return codes_of(given, known)
    columns = known if names is None else class_names(names)
    table = np.asarray(answers, dtype=np.float64)
    if table.shape[1] != len(columns):
        raise BadData(
            f"The classifier returned {table.shape[1]} columns; there are {len(columns)} classes: "
            f"{listed(columns)}."
        )
    place = {state_key(state): code for code, state in enumerate(known)}
    unknown = [state for state in columns if state_key(state) not in place]
    if unknown:
        raise BadData(
            f"The classifier has the class {unknown[0]!r}, which the model does not have; "
            f"its classes are {listed(known)}."
        )
    order = np.array([place[state_key(state)] for state in columns], dtype=np.int64)
    positions: IntArray = order[table.argmax(axis=1)]
    return positions


def _mean(values: FloatArray) -> tuple[float, float]:
    """The mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def _with_error(value: float, standard_error: float) -> str:
    return f"{value:.4g} ± {standard_error:.2g}" if standard_error else f"{value:.4g}"
