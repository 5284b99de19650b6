"""Posteriors in any form as one matrix, one row per case and one column per state; labels as codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, BadTable, UnknownState, counted, listed, warn_user
from bayou.schema import is_missing, natural_order, plain, state_key
from bayou.sources.weights import weights_from
from bayou.typing import FloatArray, IntArray, State

SUMS_TO_ONE = 1e-5
"""The largest allowed difference between the sum of a row of probabilities and 1 (enough for float32)."""
_TRUTHS = ((False, True), (0, 1))
_FEWEST_TO_JUDGE, _FAR = 20, 4.0
"""Of fewer rows it is not told that probabilities fit the other class; nor within so many standard errors."""


@dataclass(frozen=True)
class Beliefs:
    """P(state) for one case or many: ``rows`` is cases × states; ``single``: the input was one case."""

    states: tuple[State, ...]
    rows: FloatArray
    single: bool


@dataclass(frozen=True)
class LabelledBeliefs:
    """Predicted probabilities with the true classes: ``truth`` holds the column of each row's class.

    ``binary`` says that the input was one number per row, the probability of the second of two classes.
    """

    classes: tuple[State, ...]
    proba: FloatArray
    truth: IntArray
    binary: bool

    @property
    def outcomes(self) -> FloatArray:
        """1 in the column of each row's true class, 0 elsewhere."""
        return np.eye(len(self.classes))[self.truth]


def beliefs_from(posterior: Any, classes: Iterable[State] | None = None) -> Beliefs:
    """Read a posterior: a mapping, a Posterior, a Series, a DataFrame, or an array with ``classes``.

    >>> beliefs_from({"ill": 0.2, "well": 0.8}).rows.tolist()
    [[0.2, 0.8]]
    """
    states, values = _states_and_values(posterior)
    if states is None:
        if classes is None:
            raise BadQuestion(
                "These probabilities have no state names: name the states in order with classes=[…]."
            )
        states = class_names(classes)
    elif classes is not None:
        raise BadQuestion(
            "classes= names the columns of an array; this posterior names its states already: omit classes=."
        )
    rows = _matrix(values)
    if rows.shape[1] != len(states):
        raise BadTable(
            f"There are {rows.shape[1]} probabilities per row and {len(states)} states: {listed(states)}."
        )
    check_probabilities(rows, allow_nan=np.ndim(values) == 2)
    return Beliefs(states, rows, np.ndim(values) == 1)


def _states_and_values(posterior: Any) -> tuple[tuple[State, ...] | None, Any]:
    """The states, None if the object does not name them, and the numbers (one row, or a matrix)."""
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
    """The states and posteriors of a table's rows, from the result of ``Network.posterior``."""
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
    """Return states as plain Python values; refuse duplicates and text in place of a list."""
    if isinstance(classes, str):
        raise BadQuestion(f"classes= takes a list of states; {classes!r} is text.")
    names = tuple(plain(state) for state in classes)
    if len({state_key(name) for name in names}) < len(names):
        raise BadQuestion(f"A state occurs twice in {listed(names)}; name each once.")
    return names


def check_probabilities(rows: FloatArray, allow_nan: bool = False) -> None:
    """Check that each row has numbers from 0 to 1 that sum to 1; an error names the first bad row."""
    gaps = np.isnan(rows).any(axis=1)
    if gaps.any() and not allow_nan:
        raise BadTable(f"{_row(gaps, rows)} has a missing probability (NaN). Leave such rows out.")
    with np.errstate(invalid="ignore"):
        outside = ((rows < 0) | (rows > 1 + SUMS_TO_ONE)).any(axis=1)
        wrong_sum = ~gaps & ~(np.abs(rows.sum(axis=1) - 1) <= SUMS_TO_ONE)
    if outside.any():
        raise BadTable(f"{_row(outside, rows)} has a probability outside 0 … 1.")
    if wrong_sum.any():
        total = rows[int(wrong_sum.argmax())].sum()
        raise BadTable(f"{_row(wrong_sum, rows)} sums to {total:.6g}, not to 1: divide it by its sum.")


def _row(bad: Any, rows: FloatArray) -> str:
    """Text that names the first bad row and shows its values."""
    number = int(bad.argmax())
    values = listed([float(value) for value in rows[number]], limit=6)
    return f"The posterior ({values})" if len(rows) == 1 else f"Row {number}, counting from 0, ({values})"


def scored_from(
    labels: Any, proba: Any, classes: Iterable[State] | None = None, positive: Any = None
) -> LabelledBeliefs:
    """Read labels and predicted probabilities, and check that they fit each other.

    ``proba`` is rows × classes, or one number per row: the probability of the second of two classes.
    ``classes`` are by default the distinct labels in natural order, as in a classifier's ``classes_``.
    ``positive`` is the class whose probability the one number of a row is, where it is not the second.

    >>> scored_from(["no", "yes"], [0.25, 0.5]).proba.tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    >>> scored_from(["fraud", "ok"], [0.75, 0.5], positive="fraud").classes
    ('ok', 'fraud')
    """
    values = [plain(label) for label in _listed_labels(labels)]
    if hasattr(proba, "columns") and classes is None and np.ndim(proba) == 2:
        classes = proba.columns
    numbers = _numbers(proba)
    binary = numbers.ndim == 1
    if binary:
        numbers = np.column_stack([1 - numbers, numbers])
    if numbers.ndim != 2 or len(numbers) != len(values):
        found = f"{counted(len(values), 'label')} and {counted(len(numbers), 'row')}"
        raise BadData(f"There are {found} of probabilities.")
    if not values:
        raise BadData("There are no rows to score.")
    inferred = classes is None
    names = _classes_of(values, numbers.shape[1]) if classes is None else class_names(classes)
    if len(names) != numbers.shape[1]:
        raise BadTable(
            f"There are {numbers.shape[1]} columns of probabilities and {len(names)} classes: "
            f"{listed(names)}."
        )
    check_probabilities(numbers)
    if positive is not None:
        names = _with_second(names, positive, binary)
    scored = LabelledBeliefs(names, numbers, codes_of(values, names), binary)
    if binary and inferred and positive is None:
        _warn_if_upside_down(scored)
    return scored


def _with_second(names: tuple[State, ...], positive: Any, binary: bool) -> tuple[State, ...]:
    """The two classes, the one whose probability is given as the second."""
    if not binary:
        raise BadQuestion(
            f"positive={positive!r} says which class one number per row is the probability of; here each "
            "class has its own column: classes= names them, of= chooses one."
        )
    place = _place_of(names, positive, "positive")
    return (*names[:place], *names[place + 1 :], names[place])


def _place_of(names: Sequence[State], wanted: Any, argument: str) -> int:
    keys = [state_key(name) for name in names]
    if state_key(plain(wanted)) not in keys:
        raise BadQuestion(f"{argument}={wanted!r} is not one of the classes: {listed(names)}.")
    return keys.index(state_key(plain(wanted)))


def _warn_if_upside_down(scored: LabelledBeliefs) -> None:
    """Warn where 1 − p fits the labels far better than p: probably p is that of the other class."""
    rows = len(scored.truth)
    given = scored.proba[:, 1]
    worse = np.where(scored.truth == 1, 1 - 2 * given, 2 * given - 1)  # squared error of p less that of 1 − p
    if rows < _FEWEST_TO_JUDGE or worse.mean() <= _FAR * float(worse.std()) / np.sqrt(rows) + 0.1:
        return
    first, second = scored.classes
    warn_user(
        f"The probabilities are taken for those of {second!r}, the second of two classes in natural order, "
        f"and they fit {first!r} far better. If they are those of {first!r}, say so: "
        f"classes=[{second!r}, {first!r}], the class of the probabilities last."
    )


def one_class(scored: LabelledBeliefs, of: Any) -> int:
    """Return the column of the class ``of``; by default the second of two classes."""
    if of is None:
        if len(scored.classes) == 2:
            return 1
        raise BadQuestion(f"Name one of the {len(scored.classes)} classes: of={scored.classes[0]!r}.")
    return _place_of(scored.classes, of, "of")


def weights_of_rows(weights: Any, rows: int) -> FloatArray | None:
    """Check weights of rows: finite numbers, 0 or more, one per row and not all 0; None stays None."""
    if weights is None:
        return None
    numbers: FloatArray = weights_from(weights, rows).astype(np.float64)
    if not numbers.any():
        raise BadData("All weights are 0: there is nothing to score.")
    return numbers


def _listed_labels(labels: Any) -> Sequence[Any]:
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise BadData(f"Labels must be a list or an array with one class per row; got {labels!r}.")
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def _classes_of(values: Sequence[State], columns: int) -> tuple[State, ...]:
    """The classes of the columns, from the labels; False/True or 0/1 if only one of the two occurs."""
    seen = natural_order({state_key(value): value for value in values if not is_missing(value)}.values())
    if len(seen) == columns:
        return seen
    if columns == 2:
        for pair in _TRUTHS:
            if {state_key(value) for value in seen} <= {state_key(value) for value in pair}:
                return pair
    raise BadQuestion(
        f"The labels have the classes {listed(seen)}, and there are {columns} columns of probabilities: "
        "name the class of each column with classes=[…]."
    )


def codes_of(values: Iterable[State], classes: Sequence[State]) -> IntArray:
    """Return the position of each value among the classes; an unknown or missing value is an error."""
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
