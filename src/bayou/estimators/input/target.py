"""Reading y: labels of any kind become codes of sorted classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bayou._native import count_families, encode_integer_matrix
from bayou.codes import code_type
from bayou.errors import BadData
from bayou.schema import Variable, is_missing, natural_order, plain
from bayou.sources import CodedColumn, read_columns
from bayou.typing import Name, State


def read_labels(y: Any, rows: int, estimator: str) -> CodedColumn:
    """Check y as scikit-learn does and code it, classes in sorted order; a missing label is an error."""
    if y is None:
        raise BadData(
            f"{estimator} requires y to be passed, but the target y is None. Pass the classes, or the name "
            "of the column of X that holds them, fit(X, 'y'). scikit-learn's cross_val_score takes no such "
            "name: bayou.cross_validate(model, X, 'y') and bayou.evaluate(model, X, 'y') do."
        )
    if isinstance(y, CodedColumn):
        return _read_column(y, rows, estimator)
    values = column_or_1d(_array(y), warn=True)
    if len(values) != rows:
        raise BadData(f"X has {rows} rows and y has {len(values)} labels: one label per row is expected.")
    _refuse_gaps(values)
    states, codes = _coded(values)
    require_classes(states)
    return CodedColumn(codes.astype(code_type(len(states)), copy=False), states, declared=True)


def _read_column(column: CodedColumn, rows: int, estimator: str) -> CodedColumn:
    """The same for a column that has codes already: only its labels are looked at, not every row."""
    own = np.ascontiguousarray(column.codes)
    (counts,) = count_families([own], [len(column.labels)], [[0]])
    used = np.flatnonzero(counts)
    labels = [column.labels[code] for code in used.tolist()]
    if {type(label) for label in labels} not in ({int}, {bool}, {str}) or column.gaps:
        # Gaps, fractions and mixtures: what is wrong with them is found row by row.
        return read_labels(label_array(column.values()), rows, estimator)
    variable = class_variable("class", labels)
    codes = np.zeros(len(column.labels), dtype=code_type(len(labels)))
    codes[used] = [variable.code(label) for label in labels]
    require_classes(variable.states)
    return CodedColumn(codes[own], variable.states, declared=True)


def require_classes(states: Sequence[State]) -> None:
    """Refuse a target of fractions, with scikit-learn's message, which its users know."""
    try:
        with warnings.catch_warnings():
            # Every state is given once, so scikit-learn takes more than twenty for a regression problem.
            warnings.simplefilter("ignore", UserWarning)
            check_classification_targets(label_array(states))
    except ValueError as error:
        if (kind := _kind_of_no_class(states)) is not None:
            raise BadData(
                f"Unknown label type: {kind}. Classes are texts, truth values or whole numbers of 64 bits. "
                "Make the labels text, [str(label) for label in y]."
            ) from None
        raise BadData(f"{error} Cut the numbers into ranges first.") from None


def _kind_of_no_class(states: Sequence[State]) -> str | None:
    """What labels are that are no classes, such as dates; None if they are fractions."""
    for state in states:
        if isinstance(state, int) and not -(2**63) <= state < 2**64:
            return f"y has integers beyond 64 bits, such as {state}"
        if not isinstance(state, str | int | float):
            return f"y has values of the type {type(state).__name__}, such as {str(state)!r}"
    return None


def classes_of(variable: Variable) -> npt.NDArray[Any]:
    """Return the classes as an array, of their common type if they have one, else of objects."""
    return label_array(variable.states)


def label_array(labels: Sequence[State]) -> npt.NDArray[Any]:
    """Return labels as an array, of their common type if they have one, else of objects.

    >>> label_array([1, 0]).dtype.kind, label_array([1, None]).dtype.kind
    ('i', 'O')
    """
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {int, float, bool, str}:
        return np.array(labels)
    result = np.empty(len(labels), dtype=object)
    result[:] = labels
    return result


class NamedLabels(np.ndarray[Any, np.dtype[Any]]):
    """An array of labels with the name of its column, as a Series has."""

    name: Name = "class"

    def __array_finalize__(self, source: Any) -> None:
        """Keep the name in parts of the array."""
        self.name = getattr(source, "name", "class")


def named_labels(labels: Sequence[State], name: Name) -> NamedLabels:
    """Return labels with the name of their column.

    >>> named_labels(["a", "b"], "kind").name
    'kind'
    """
    named = label_array(labels).view(NamedLabels)
    named.name = name
    return named


def class_variable(name: Name, states: Iterable[State]) -> Variable:
    """Return the target as a variable whose states are the sorted classes."""
    return Variable(name, natural_order(states))


def _array(y: Any) -> npt.NDArray[Any]:
    if hasattr(y, "to_pylist"):  # Arrow's to_numpy fails if it has to copy
        return label_array(y.to_pylist())
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    array = y if isinstance(y, np.ndarray) else np.asarray(y)
    if array.dtype.kind == "O" or (array.dtype.kind == "U" and isinstance(y, list | tuple)):
        _refuse_mixtures(array.ravel() if array.dtype.kind == "O" else y)
    return array


def _refuse_mixtures(labels: Iterable[Any]) -> None:
    """Refuse text mixed with numbers: numpy would make 1 and "1" one class."""
    text = number = None
    for label in labels:
        if isinstance(label, str):
            text = label if text is None else text
        elif isinstance(label, Number) and not is_missing(label):
            number = label if number is None else number
    if text is not None and number is not None:
        raise BadData(
            f"y mixes text and numbers, such as {text!r} and {plain(number)!r}: it is not clear which labels "
            "are the same class. Make all labels text, [str(label) for label in y], or all of them numbers."
        )


def _refuse_gaps(values: npt.NDArray[Any]) -> None:
    if values.dtype.kind != "f":
        return
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise gap_in_labels(int(bad[0]), "NaN" if np.isnan(values[bad[0]]) else "infinity")


def gap_in_labels(row: int, what: str) -> BadData:
    """Return the error for a row without a class."""
    return BadData(
        f"Input y contains {what} in row {row} (counting from 0): every training row needs a class. Leave "
        "such rows out."
    )


def _coded(values: npt.NDArray[Any]) -> tuple[tuple[State, ...], npt.NDArray[Any]]:
    """The classes in order, and the code of each row; integers are coded without sorting the rows."""
    if values.dtype.kind in "iu" and values.dtype.isnative:
        codes, known = encode_integer_matrix(values.reshape(-1, 1))
        return tuple(known[0].tolist()), codes[0]
    if values.dtype.kind in "fbiu":
        distinct, places = np.unique(values, return_inverse=True)
        return tuple(distinct.tolist()), places.ravel()
    column = read_columns({"y": values}).coded("y")
    gaps = np.flatnonzero(column.codes == column.missing_code)
    if len(gaps):
        raise gap_in_labels(int(gaps[0]), "NaN")
    variable = class_variable("class", column.labels)
    order = np.array([variable.code(label) for label in column.labels], dtype=np.int64)
    return variable.states, order[column.codes]
