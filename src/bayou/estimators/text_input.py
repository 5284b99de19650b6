"""X of a text classifier: documents in any container, or a matrix that counts words already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_non_negative, validate_data

from bayou.errors import BadData, listed
from bayou.estimators.table_input import FeatureTable, matrix_names
from bayou.schema import is_missing
from bayou.sources import Columns
from bayou.statistics.token_rules import checked_documents


@dataclass(frozen=True)
class TextTable(FeatureTable):
    """Documents, or rows of word counts (``counts``, sparse)."""

    documents: list[str | None] | None = None
    counts: sparse.csr_array | None = None

    def taken(self, rows: npt.NDArray[np.intp]) -> TextTable:
        """Some of the rows."""
        columns = Columns(self.columns.names, [_no_column] * len(self.columns.names), len(rows))
        if self.documents is not None:
            return TextTable(columns, documents=[self.documents[row] for row in rows])
        return TextTable(columns, counts=None if self.counts is None else self.counts[rows])


def read_texts(estimator: Any, X: Any, *, reset: bool) -> TextTable:
    """Read X; with ``reset`` the estimator learns whether it is text, and its columns, else they are checked."""
    if isinstance(X, TextTable):
        return X
    documents = documents_in(X)
    if not reset and (documents is None) != (estimator.reads_ == "counts"):
        raise BadData(
            f"This {type(estimator).__name__} learned from {estimator.reads_}; "
            f"X holds {'numbers' if documents is None else 'documents'}."
        )
    if documents is None:
        return _read_counts(estimator, X, reset)
    if not documents:
        raise BadData(
            f"Found array with 0 sample(s) while a minimum of 1 is required by {type(estimator).__name__}."
        )
    if reset:
        estimator.reads_, estimator.n_features_in_ = "documents", 1
        if hasattr(X, "columns"):
            estimator.feature_names_in_ = np.array(list(X.columns), dtype=object)
    texts = checked_documents(documents)
    return TextTable(Columns(["text"], [_no_column], len(texts)), documents=texts)


def documents_in(X: Any) -> list[Any] | None:
    """The documents of a list, an array, a Series or a table of one text column; None for numbers."""
    if isinstance(X, str | bytes):
        raise BadData("One text is no list of documents: put it in brackets, [text].")
    if hasattr(X, "columns"):
        return _column_of(X)
    if isinstance(X, np.ndarray):
        if X.dtype.kind not in "OUTS" or X.ndim > 2 or (X.ndim == 2 and X.shape[1] != 1):
            return None
        values = X.ravel().tolist()
    elif isinstance(X, list | tuple):
        values = list(X)
    else:
        values = _series(X)
    return values if values is not None and _are_texts(values) else None


def _column_of(table: Any) -> list[Any] | None:
    names = list(table.columns)
    texts = {name: values for name in names if (values := _series(table[name])) and _are_texts(values)}
    if not texts:
        return None
    if len(names) > 1:
        raise BadData(
            f"A text classifier reads one column of text; these have {len(names)}: {listed(names)}. "
            f"Give it one of them, such as X[{next(iter(texts))!r}]."
        )
    return next(iter(texts.values()))


def _series(values: Any) -> list[Any] | None:
    """A column of any library as a list; None where it is none."""
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, method) and not sparse.issparse(values):
            found = getattr(values, method)()
            return found if isinstance(found, list) else None
    return None


def _are_texts(values: list[Any]) -> bool:
    """The first value that is there decides."""
    first = next((value for value in values if not _is_gap(value)), None)
    return isinstance(first, str | bytes) or (first is None and bool(values) and None in values)


def _is_gap(value: Any) -> bool:
    return not isinstance(value, str | bytes | list | tuple | np.ndarray) and is_missing(value)


def _read_counts(estimator: Any, X: Any, reset: bool) -> TextTable:
    array = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype="numeric")
    check_non_negative(array, f"{type(estimator).__name__} (input X)")
    counts = sparse.csr_array(array)
    counts.eliminate_zeros()
    names = matrix_names(estimator, counts.shape[1])
    if reset:
        estimator.reads_ = "counts"
    return TextTable(Columns(names, [_no_column] * len(names), counts.shape[0]), counts=counts)


def _no_column() -> Any:
    raise BadData("The words of documents are counted, they are no columns of a table.")
