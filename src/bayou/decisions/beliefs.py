"""Posteriors in any form as one matrix, a row a case and a column a state; labels as codes of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, BadTable, UnknownState, listed
from bayou.schema import is_missing, natural_order, plain, state_key
from bayou.typing import FloatArray, IntArray, State

SUMS_TO_ONE = 1e-5
"""How far a row of probabilities may be from 1 in sum (float32 classifiers are that rough)."""
_TRUTHS = ((False, True), (0, 1))


@dataclass(frozen=True)
class Beliefs:
    """P(state) for one case or many: ``rows`` is cases × states; ``single`` says that one was given."""

    states: tuple[State, ...]
    rows: FloatArray
    single: bool


@dataclass(frozen=True)
class Scored:
    """Predicted probabilities beside what was true: ``truth`` holds the column of each row's class.

    ``binary`` says that one number a row was given, the probability of the last of two classes.
    """

    classes: tuple[State, ...]
    proba: FloatArray
    truth: IntArray
    binary: bool

    @property
    def outcomes(self) -> FloatArray:
        """1 in the column of the class that was true, else 0."""
        return np.eye(len(self.classes))[self.truth]


def beliefs_from(posterior: Any, classes: Iterable[State] | None = None) -> Beliefs:
    """Read a posterior: a mapping, a Posterior, a Series, an array or a matrix with classes, a DataFrame.

    >>> beliefs_from({"ill": 0.2, "well": 0.8}).rows.tolist()
    [[0.2, 0.8]]
    """
    states, values = _states_and_values(posterior)
    if states is None:
        if classes is None:
            raise BadQuestion(
                "These probabilities have no names: say which states they are of with classes=[…]."
            )
        states = class_names(classes)
    elif classes is not None:
        raise BadQuestion("classes= names the columns of an array; this posterior has names of its own.")
    rows = _matrix(values)
    if rows.shape[1] != len(states):
        raise BadTable(
            f"There are {rows.shape[1]} probabilities a row and {len(states)} states: {listed(states)}."
        )
    check_probabilities(rows, allow_nan=np.ndim(values) == 2)
    return Beliefs(states, rows, np.ndim(values) == 1)


def _states_and_values(posterior: Any) -> tuple[tuple[State, ...] | None, Any]:
    """The states, where the object knows them, and the numbers (a row, or a matrix)."""
    if isinstance(posterior, Mapping) and hasattr(posterior, "schema"):
        return _of_rows(posterior)
    if isinstance(posterior, Mapping):
        return class_names(posterior), list(posterior.values())
    if hasattr(posterior, "columns") and hasattr(posterior, "shape"):
        return class_names(posterior.columns), _numbers(posterior)
    if hasattr(posterior, "variables") and hasattr(posterior, "to_array"):
        if len(posterior.variables) == 1:
            return tuple(posterior.variables[0].states), posterior.to_array()
        return _states_and_values(posterior.to_dict())
    if hasattr(posterior, "to_dict"):
        return _states_and_values(posterior.to_dict())
    return None, _numbers(posterior)


def _of_rows(posteriors: Any) -> tuple[tuple[State, ...], FloatArray]:
    """The posteriors of a table's rows, as ``Network.posterior`` gives them for one target."""
    targets = list(posteriors)
    if len(targets) != 1:
        raise BadQuestion(f"These are posteriors of {listed(targets)}: ask for one target at a time.")
    return tuple(posteriors.schema[targets[0]].states), posteriors[targets[0]]


def _numbers(values: Any) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(
            "A posterior is a mapping state -> probability, a Posterior, a DataFrame or an array of "
            f"numbers; got a {type(values).__name__}."
        ) from None


def _matrix(values: Any) -> FloatArray:
    numbers = _numbers(values)
    if numbers.ndim not in (1, 2):
        raise BadTable(
            f"Probabilities are one row or a matrix (rows × states), not an array with {numbers.ndim} axes."
        )
    return np.atleast_2d(numbers)


def class_names(classes: Iterable[State]) -> tuple[State, ...]:
    """States as plain values; the same one twice is refused."""
    if isinstance(classes, str):
        raise BadQuestion(f"classes= takes a list of states; {classes!r} is text.")
    names = tuple(plain(state) for state in classes)
    if len({state_key(name) for name in names}) < len(names):
        raise BadQuestion(f"A state is named twice in {listed(names)}.")
    return names


def check_probabilities(rows: FloatArray, allow_nan: bool = False) -> None:
    """Refuse a row with a negative number, a gap or another sum than 1, by its number."""
    gaps = np.isnan(rows).any(axis=1)
    if gaps.any() and not allow_nan:
        raise BadTable(f"{_row(gaps, rows)} has a probability that is missing (NaN). Leave such rows out.")
    with np.errstate(invalid="ignore"):
        outside = ((rows < 0) | (rows > 1 + SUMS_TO_ONE)).any(axis=1)
        wrong_sum = ~gaps & ~(np.abs(rows.sum(axis=1) - 1) <= SUMS_TO_ONE)
    if outside.any():
        raise BadTable(f"{_row(outside, rows)} has a probability outside 0 … 1.")
    if wrong_sum.any():
        total = rows[int(wrong_sum.argmax())].sum()
        raise BadTable(f"{_row(wrong_sum, rows)} sums to {total:.6g}, not to 1: divide it by its sum.")


def _row(bad: Any, rows: FloatArray) -> str:
    number = int(bad.argmax())
    values = listed([float(value) for value in rows[number]], limit=6)
    return f"The posterior ({values})" if len(rows) == 1 else f"Row {number}, counting from 0, ({values})"


def scored_from(labels: Any, proba: Any, classes: Iterable[State] | None = None) -> Scored:
    """Labels and predicted probabilities, checked against each other.

    ``proba`` is rows × classes, or one number a row: the probability of the second of two classes. Without
    ``classes`` they are the distinct labels in natural order, as classifiers have them.

    >>> scored_from(["no", "yes"], [0.25, 0.5]).proba.tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    values = [plain(label) for label in _listed_labels(labels)]
    if hasattr(proba, "columns") and classes is None and np.ndim(proba) == 2:
        classes = proba.columns
    numbers = _numbers(proba)
    binary = numbers.ndim == 1
    if binary:
        numbers = np.column_stack([1 - numbers, numbers])
    if numbers.ndim != 2 or len(numbers) != len(values):
        raise BadData(f"There are {len(values)} labels and {len(numbers)} rows of probabilities.")
    if not values:
        raise BadData("There are no rows to judge.")
    names = _classes_of(values, numbers.shape[1]) if classes is None else class_names(classes)
    if len(names) != numbers.shape[1]:
        raise BadTable(f"There are {numbers.shape[1]} columns of probabilities for {listed(names)}.")
    check_probabilities(numbers)
    return Scored(names, numbers, codes_of(values, names), binary)


def _listed_labels(labels: Any) -> Sequence[Any]:
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise BadData(f"Labels are a list or an array with one class a row; got {labels!r}.")
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def _classes_of(values: Sequence[State], columns: int) -> tuple[State, ...]:
    seen = natural_order({state_key(value): value for value in values if not is_missing(value)}.values())
    if len(seen) == columns:
        return seen
    if columns == 2:
        for pair in _TRUTHS:
            if {state_key(value) for value in seen} <= {state_key(value) for value in pair}:
                return pair
    raise BadQuestion(
        f"The labels have the classes {listed(seen)}, and there are probabilities for {columns}: "
        "say which class each column is of with classes=[…]."
    )


def codes_of(values: Iterable[State], classes: Sequence[State]) -> IntArray:
    """The position of each value among the classes; an unknown or missing one is named with its row."""
    position = {state_key(name): code for code, name in enumerate(classes)}
    codes = []
    for row, value in enumerate(values):
        if is_missing(value):
            raise BadData(f"The label of row {row} (counting from 0) is missing. Leave such rows out.")
        try:
            codes.append(position[state_key(plain(value))])
        except (KeyError, TypeError):
            raise UnknownState.of("the class", value, classes, f"(row {row}, counting from 0)") from None
    return np.array(codes, dtype=np.int64)
