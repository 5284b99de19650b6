"""Class priors that differ from the training data: posteriors under them, and their estimate by EM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.decisions.beliefs import beliefs_from, check_probabilities
from bayou.errors import BadData, BadQuestion, BadTable, ImpossibleEvidence, listed
from bayou.schema import label, plain, state_key
from bayou.special_functions import chdtrc
from bayou.text.tables import Cell, PrintedLines, TextTable
from bayou.typing import FloatArray, State

SETTLED = 1e-10
"""EM has converged when no prior changes by more than this in a step."""


@dataclass(frozen=True, eq=False)
class PriorShift(PrintedLines):
    """Class priors estimated from unlabelled rows.

    ``converged`` says whether EM converged; ``last_change`` is the largest change in its last step.
    ``p_value`` is that of a likelihood-ratio test of unchanged priors: a small one means that they changed.
    """

    classes: tuple[State, ...]
    old: FloatArray
    new: FloatArray
    converged: bool
    steps: int
    last_change: float
    p_value: float

    @property
    def priors(self) -> dict[Any, float]:
        """The new prior of each class."""
        return dict(zip(self.classes, self.new.tolist(), strict=True))

    def __str__(self) -> str:
        rows: list[list[Cell]] = [
            [label(name), float(old), float(new)]
            for name, old, new in zip(self.classes, self.old, self.new, strict=True)
        ]
        verdict = f"Converged after {self.steps} steps"
        if not self.converged:
            verdict = f"NOT converged after {self.steps} steps (last change {self.last_change:.2g})"
        shift = f"test of unchanged priors: p = {self.p_value:.2g}"
        return f"{TextTable(['class', 'old prior', 'new prior'], rows)}\n{verdict}; {shift}."

    __repr__ = __str__


def shift_priors(posterior: Any, new: Any, old: Any, *, classes: Iterable[State] | None = None) -> Any:
    """Return posteriors under new class priors: p(class | x) · new / old, normalised.

    p(x | class) is assumed to be unchanged. Priors are mappings, or arrays in the order of the classes.
    A mapping gives a mapping back, anything else an array of the same shape.

    Raises ``BadTable`` if priors are below 0 or do not sum to 1.

    >>> half = {"ill": 0.5, "well": 0.5}
    >>> shift_priors(half, new={"ill": 0.01, "well": 0.99}, old=half)
    {'ill': 0.01, 'well': 0.99}
    """
    beliefs = beliefs_from(posterior, classes if classes is not None else _numbered(posterior))
    ratio = _ratio(_prior(new, beliefs.states, "new"), _prior(old, beliefs.states, "old"), beliefs.states)
    rows = _shifted(beliefs.rows, ratio)
    if not beliefs.single:
        return rows
    if isinstance(posterior, Mapping) or hasattr(posterior, "to_dict"):
        return dict(zip(beliefs.states, rows[0].tolist(), strict=True))
    return rows[0]


def estimate_priors(
    posterior: Any,
    old: Any,
    *,
    classes: Iterable[State] | None = None,
    most_steps: int = 10_000,
) -> PriorShift:
    """Estimate the class priors of unlabelled rows by EM (Saerens, Latinne and Decaestecker 2002).

    ``posterior`` holds the probabilities that a classifier trained under the ``old`` priors gives to the new
    rows. They must be calibrated: the estimate is only as good as they are.

    Raises ``BadTable`` if priors are below 0 or do not sum to 1.

    ``most_steps`` is after how many steps it ends at the latest.

    >>> shift = estimate_priors([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.1, 0.9]], [0.5, 0.5])
    >>> shift.converged, bool(shift.new[0] > 0.7)
    (True, True)
    """
    beliefs = beliefs_from(posterior, classes if classes is not None else _numbered(posterior))
    check_probabilities(beliefs.rows)
    if not len(beliefs.rows):
        raise BadData("There are no rows to estimate priors from.")
    start = _prior(old, beliefs.states, "old")
    # P(row | class) up to a factor that depends on the row only.
    likelihood = beliefs.rows * _ratio(np.ones(len(start)), start, beliefs.states)
    new, change, steps = start, np.inf, 0
    while change > SETTLED and steps < most_steps:
        weights = likelihood * new
        ahead = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
        change, new, steps = float(np.abs(ahead - new).max()), ahead, steps + 1
    gain = np.log((likelihood * new).sum(axis=1)).sum() - np.log((likelihood * start).sum(axis=1)).sum()
    return PriorShift(
        beliefs.states,
        start,
        new,
        change <= SETTLED,
        steps,
        change,
        _tail(2 * gain, int((start > 0).sum()) - 1),
    )


def _tail(statistic: float, freedom: int) -> float:
    """The upper tail of the chi-squared distribution; 1 without degrees of freedom."""
    return 1.0 if freedom < 1 else float(chdtrc(freedom, max(statistic, 0.0)))


def _numbered(posterior: Any) -> Iterable[State] | None:
    """The classes of an array without names: 0, 1, …, in the order of the priors; else None."""
    if isinstance(posterior, np.ndarray | list | tuple):
        return range(np.shape(posterior)[-1] if np.ndim(posterior) else 0)
    return None


def _prior(given: Any, states: Sequence[State], which: str) -> FloatArray:
    """Read priors (a mapping or numbers) as an array in the order of ``states``, checked."""
    if isinstance(given, Mapping) or hasattr(given, "to_dict"):
        entries = dict(given if isinstance(given, Mapping) else given.to_dict())
        known = {state_key(plain(state)): value for state, value in entries.items()}
        lacking = [state for state in states if state_key(state) not in known]
        if lacking:
            raise BadTable(f"The {which} priors have no number for the class {lacking[0]!r}.")
        if len(known) > len(states):
            raise BadTable(f"The {which} priors name more classes than there are: {listed(states)}.")
        given = [known[state_key(state)] for state in states]
    try:
        prior = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(f"The {which} priors must be one number per class; got {given!r}.") from None
    if prior.shape != (len(states),):
        raise BadTable(
            f"The {which} priors have {prior.size} numbers; give one for each class: {listed(states)}."
        )
    if not (prior >= 0).all() or not abs(prior.sum() - 1) <= 1e-6:
        raise BadTable(f"The {which} priors must be 0 or more and sum to 1; got {prior.tolist()}.")
    return prior


def _ratio(new: FloatArray, old: FloatArray, states: Sequence[State]) -> FloatArray:
    """``new / old``; 0 where both are 0."""
    undefined = (old == 0) & (new > 0)
    if undefined.any():
        name = states[int(undefined.argmax())]
        raise BadQuestion(
            f"The class {name!r} had the old prior 0, so its posterior under another prior is unknown."
        )
    ratio: FloatArray = np.divide(new, old, out=np.zeros_like(old), where=old > 0)
    return ratio


def _shifted(rows: FloatArray, ratio: FloatArray) -> FloatArray:
    """Multiply each row by the ratio of priors and normalise it."""
    weights = rows * ratio
    totals = weights.sum(axis=1, keepdims=True)
    if (totals == 0).any():
        row = int((totals[:, 0] == 0).argmax())
        raise ImpossibleEvidence(
            f"Row {row} (counting from 0) is only possible in classes whose new prior is 0."
        )
    result: FloatArray = weights / totals
    return result
