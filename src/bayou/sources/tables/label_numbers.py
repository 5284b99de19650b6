"""The labels of a column as numbers: a text that spells a number is that number."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bayou.errors import BadData
from bayou.schema import is_number
from bayou.typing import FloatArray, Name, State


def numbers_of_labels(name: Name, labels: Sequence[State]) -> FloatArray:
    """Return the number of each label, then NaN for a missing cell; a label that is none is an error.

    >>> numbers_of_labels("x", [3, "$5"])
    array([ 3.,  5., nan])
    """
    if amounts := sorted(amounts_in_several_currencies(labels)):
        raise BadData(
            f"The column {name!r} must hold numbers, but it has amounts in several currencies, such as "
            f"{amounts[0]!r} and {amounts[-1]!r}. Convert them to one currency, or do not declare the column "
            "continuous: its values are states then."
        )
    _refuse_merged(name, labels)
    return np.array([*(_number(name, label) for label in labels), np.nan], dtype=np.float64)


def _refuse_merged(name: Name, labels: Sequence[State]) -> None:
    """Raise if two long integers of a column would be one number as floats."""
    long = sorted(label for label in labels if type(label) is int and abs(label) >= 2**53)
    for first, second in pairwise(long):
        if _number(name, first) == _number(name, second):
            raise BadData(
                f"The column {name!r} has whole numbers beyond 2^53, such as {first} and {second}, which "
                "cannot be told apart as floats. Convert it: to text if they name things, to floats if they "
                "measure something. If they only number the rows, leave it out."
            )


def seen_numbers_of_labels(name: Name, labels: Sequence[State]) -> FloatArray:
    """Return the same for new rows (dates: days), with NaN for a text that is no number.

    >>> seen_numbers_of_labels("x", [3, "XL"])
    array([ 3., nan, nan])
    """
    from bayou.schema.spelled_values import quantity_spelled

    amounts = amounts_in_several_currencies(labels)

    def number(label: State) -> float:
        if not isinstance(label, str):
            return _number(name, label)
        found = None if label in amounts else quantity_spelled(label)
        return float("nan") if found is None else found

    return np.array([*map(number, labels), np.nan], dtype=np.float64)


def amounts_in_several_currencies(labels: Sequence[State]) -> frozenset[str]:
    """Return the amounts among the labels if they are in several currencies: they are no numbers then.

    >>> sorted(amounts_in_several_currencies(["$5", "6 €", "7"])), amounts_in_several_currencies(["$5", "$6"])
    (['$5', '6 €'], frozenset())
    """
    texts = [label for label in labels if isinstance(label, str)]
    if not texts:
        return frozenset()
    from bayou.schema.spelled_values import is_marked, units_spelled

    return frozenset(filter(is_marked, texts)) if len(units_spelled(texts)) > 1 else frozenset()


def _number(name: Name, label: State) -> float:
    """A label as a number; any other value is an error that names it."""
    if is_number(label):
        return float(label)  # type: ignore[arg-type]  # is_number has checked it
    from bayou.schema.spelled_values import number_spelled

    number = number_spelled(label) if isinstance(label, str) else None
    if number is None:
        raise BadData(
            f"The column {name!r} must hold numbers, but it has the value {label!r} "
            f"(a {type(label).__name__}). Convert it to numbers, or do not declare it continuous: "
            f"its values are states then (states={{{name!r}: […]}} fixes their order)."
        )
    return number
