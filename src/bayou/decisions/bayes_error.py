"""The Bayes error of a known model, the least that any classifier can have, and a classifier's regret."""

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
from bayou.errors import BadData, BadQuestion, listed
from bayou.networks import FrozenNetwork
from bayou.schema import state_key
from bayou.typing import FloatArray, IntArray, Name, State

__all__ = ["BayesError", "GaussianClasses", "Regret"]

DRAWS = 100_000
SEED = 0


@dataclass(frozen=True, repr=False)
class Regret:
    """How much more often than necessary a classifier errs; never negative.

    ``standard_error`` is 0 where every case was looked at.
    """

    value: float
    standard_error: float
    bayes_error: float

    @property
    def error(self) -> float:
        """The classifier's own error: that of the model plus the regret."""
        return self.bayes_error + self.value

    def __str__(self) -> str:
        return (
            f"Regret {_with_error(self.value, self.standard_error)}: it errs in {self.error:.4g} of all "
            f"cases, the best possible classifier in {self.bayes_error:.4g}."
        )

    __repr__ = __str__


class BayesError:
    """The error of the Bayes decision rule under a known model: no classifier can have less.

    ``model`` is a Network (with ``target`` and perhaps ``features``), a joint table (an array whose last
    axis is the class, or a ProbabilityTable with a target), :class:`GaussianClasses`, or anything with
    ``sample(n, seed)`` and ``posterior(rows)``. It is exact where a closed form exists or the cases can be
    listed; else an average over ``draws`` seeded rows, with its standard error.

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
        """Whether nothing was drawn for it."""
        return self._model.exact_error is not None or self._model.joint is not None

    @property
    def accuracy(self) -> float:
        """The share of cases that the best possible classifier gets right."""
        return 1 - self.value

    def regret(self, classifier: Any, classes: Iterable[State] | None = None) -> Regret:
        """How much more often ``classifier`` errs than the best possible one.

        It is a Network, a callable of rows, or has ``predict`` or ``predict_proba``: a class or a
        probability for each class a row. Rows are what the model has: a DataFrame of a network's features,
        the codes of a joint table, the numbers of Gaussians. ``classes`` names the columns of probabilities.

        >>> error = BayesError([[0.4, 0.1], [0.2, 0.3]], classes=["ill", "well"])
        >>> round(error.regret(lambda rows: ["ill"] * len(rows)).value, 12)
        0.1
        """
        if self._model.joint is not None and self._model.cases is not None:
            weights, rows = self._model.joint, self._model.cases()
        else:
            rows, weights = self._rows()
        if hasattr(classifier, "frozen") and self.target is not None:
            # Another network: asked for the same target.
            answers = classifier.posterior(rows, self.target)[self.target]
            names: Any = classifier.states(self.target)
        else:
            answers = _answers(classifier, rows)
            names = classes if classes is not None else getattr(classifier, "classes_", None)
        said = _positions(answers, len(weights), self.classes, names)
        lost = weights.max(axis=1) - weights[np.arange(len(weights)), said]
        if self._model.joint is not None:
            return Regret(float(lost.sum()), 0.0, self.value)
        return Regret(*_mean(lost), self.value)

    def _rows(self) -> tuple[Any, FloatArray]:
        """The drawn rows: the same for every classifier, so that their regrets can be compared."""
        if self._drawn is None:
            assert self._model.drawn is not None
            rows, posterior = self._model.drawn(self.draws, self.seed)
            if posterior.shape != (self.draws, len(self.classes)):
                raise BadData(
                    f"The model was asked for {self.draws} rows and {len(self.classes)} classes and gave "
                    f"posteriors of shape {posterior.shape}."
                )
            self._drawn = rows, posterior
        return self._drawn

    def __str__(self) -> str:
        if self.exact:
            return f"Bayes error {self.value:.4g} (exact)"
        shown = _with_error(self.value, self.standard_error)
        return f"Bayes error {shown} ({self.draws:,} rows drawn, seed {self.seed})"

    __repr__ = __str__


def _answers(classifier: Any, rows: Any) -> Any:
    for verb in ("predict", "predict_proba"):
        if callable(getattr(classifier, verb, None)):
            return getattr(classifier, verb)(rows)
    if not callable(classifier):
        raise BadQuestion(
            f"A classifier is a callable of rows or has predict or predict_proba; got {classifier!r}."
        )
    return classifier(rows)


def _positions(answers: Any, count: int, known: tuple[State, ...], names: Iterable[State] | None) -> IntArray:
    """The answers as positions among the model's classes: labels, or the largest of their probabilities."""
    if hasattr(answers, "columns"):
        names, answers = answers.columns, np.asarray(answers)
    given = answers.tolist() if hasattr(answers, "tolist") else list(answers)
    if len(given) != count:
        raise BadData(f"The classifier was given {count} rows and gave {len(given)} answers.")
    if np.ndim(answers) != 2:
        return codes_of(given, known)
    columns = known if names is None else class_names(names)
    table = np.asarray(answers, dtype=np.float64)
    if table.shape[1] != len(columns):
        raise BadData(f"The classifier gave {table.shape[1]} columns; the classes are {listed(columns)}.")
    place = {state_key(state): code for code, state in enumerate(known)}
    missing = [state for state in columns if state_key(state) not in place]
    if missing:
        raise BadData(f"The classifier knows the class {missing[0]!r}, the model only {listed(known)}.")
    order = np.array([place[state_key(state)] for state in columns], dtype=np.int64)
    positions: IntArray = order[table.argmax(axis=1)]
    return positions


def _mean(values: FloatArray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def _with_error(value: float, standard_error: float) -> str:
    return f"{value:.4g} ± {standard_error:.2g}" if standard_error else f"{value:.4g}"
