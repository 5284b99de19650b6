"""X of a text classifier: documents in any container, or a matrix of word counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_non_negative, validate_data

from bayou.errors import BadData, UnknownVariable, listed, warn_of_unlabelled
from bayou.estimators.input.column_matching import learned_names, tell_of_columns
from bayou.estimators.input.containers import chosen_columns, collected, column_names, is_column_name
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.table_input import array_column_names, open_rows
from bayou.estimators.input.target import named_labels
from bayou.estimators.input.unlabelled_rows import kept_weights
from bayou.schema import is_missing, plain
from bayou.sources import Columns, NumberColumn, read_columns, row_tables
from bayou.sources.tables.read_frames import is_from
from bayou.statistics import Source
from bayou.statistics.text.token_rules import checked_documents
from bayou.typing import Name

_GLANCE = 50
"""The number of rows that are inspected to find out whether a column holds text."""


class WordTable(FeatureTable):
    """Documents (None if missing), or rows of word counts (``counts``, a sparse matrix)."""

    def __init__(
        self,
        names: Sequence[Name],
        rows: int,
        documents: list[str | None] | None = None,
        counts: sparse.csr_array | None = None,
    ) -> None:
        self._columns, self._cells, self._places, self._read = None, None, None, _no_column
        self.matrix, self.sparse, self.names, self.rows = None, None, tuple(names), rows
        self.documents, self.counts = documents, counts

    def taken(self, rows: npt.NDArray[np.intp]) -> WordTable:
        """Return some of the rows."""
        if self.documents is not None:
            return WordTable(self.names, len(rows), documents=[self.documents[row] for row in rows])
        counts = None if self.counts is None else self.counts[rows]
        return WordTable(self.names, len(rows), counts=counts)


def read_texts(estimator: Any, X: Any, *, reset: bool) -> WordTable:
    """Read X; with ``reset`` the estimator stores its form and columns, otherwise they are checked."""
    if isinstance(X, WordTable):
        return X
    X = X if reset else _asked_by_name(estimator, as_columns(X))
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
        if _names(X) is not None:
            estimator.feature_names_in_ = np.array([_text_column(X)], dtype=object)
    texts = checked_documents(documents)
    return WordTable(["text"], len(texts), documents=texts)


def as_columns(X: Any) -> Any:
    """Return a list of dicts, an Arrow table or a lazy frame as a mapping of columns; others unchanged."""
    X = collected(X)
    rows = isinstance(X, list | tuple) and bool(X) and isinstance(X[0], Mapping)
    arrow = is_from(X, "pyarrow", "Table") or is_from(X, "pyarrow", "RecordBatch")
    if not rows and not arrow and not isinstance(X, Columns):
        return X
    table = read_columns(X)
    return {name: _values(table, name) for name in table.names}


def _values(table: Columns, name: Name) -> Any:
    column = table[name]
    return column.values if isinstance(column, NumberColumn) else column.values()


def _asked_by_name(estimator: Any, X: Any) -> Any:
    """The columns that were learned from, if the target's name was given in training; others unchanged."""
    names = _names(X)
    if names is None or not getattr(estimator, "by_name_", False):
        return X
    tell_of_columns(estimator, names)
    known = learned_names(estimator)
    if isinstance(X, Mapping):
        return {name: X[name] for name in known}
    return chosen_columns(X, known)


def split_target(X: Any, y: Any) -> tuple[Any, Any]:
    """Split a table whose column ``y`` holds the classes; anything else is returned unchanged."""
    if not is_column_name(y, X):
        return X, y
    X = as_columns(X)
    names = _names(X)
    if names is None:
        return X, y
    if y not in names:
        raise UnknownVariable.named(y, names, "in the data")
    others = [name for name in names if name != y]
    has_name = isinstance(y, str) and hasattr(X[y], "name")
    labels = X[y] if has_name else named_labels([plain(label) for label in _series(X[y])], y)
    if not isinstance(X, Mapping):
        return X[others], labels
    return {name: X[name] for name in others}, labels


def documents_of(rows: LabelledSource, estimator: Any, first: bool) -> Name:
    """Return the name of the one text column of a file or another source; numeric columns are ignored."""
    texts = [name for name in rows.features if not rows.is_numeric(name)]
    if len(texts) != 1:
        raise BadData(
            f"A text classifier reads one column of documents; there are {len(texts)}: {listed(texts)}. "
            "Leave out the others."
        )
    if first:
        estimator.reads_, estimator.n_features_in_ = "documents", 1
        estimator.feature_names_in_ = np.array(texts, dtype=object)
    elif estimator.reads_ == "counts":
        raise BadData(f"This {type(estimator).__name__} learned from counts; X holds documents.")
    return texts[0]


def document_tables(estimator: Any, X: Source | os.PathLike[str]) -> Iterator[tuple[int, WordTable]]:
    """Yield the documents of a file or another source in batches, with the number of the first row."""
    first = 0
    if getattr(estimator, "by_name_", False):
        tell_of_columns(estimator, column_names(X))
    known = getattr(estimator, "feature_names_in_", ())
    for rows in row_tables(open_rows(X, None)):
        texts = [name for name in rows.names if not isinstance(rows[name], NumberColumn)]
        table = {name: rows.coded(name).values() for name in rows.names if name in known}
        table = table or {name: rows.coded(name).values() for name in texts}
        yield first, read_texts(estimator, table, reset=False)
        first += rows.rows


def without_unlabelled(table: WordTable, y: Any, weights: Any, target: Name) -> tuple[WordTable, Any, Any]:
    """Leave out documents without a class, with a warning."""
    missing = np.array([is_missing(label) for label in _series(y)], dtype=bool)
    if not missing.any() or len(missing) != table.rows:
        return table, y, weights
    if missing.all():
        raise BadData.without_classes(target)
    warn_of_unlabelled(target, int(missing.sum()), int(missing.argmax()))
    kept = np.flatnonzero(~missing)
    labels = read_columns({target: _series(y)}).coded(target).values()  # whole numbers with gaps are integers
    named = named_labels([labels[row] for row in kept.tolist()], target)
    return table.taken(kept), named, kept_weights(weights, kept, table.rows)


def without_weightless(table: WordTable, y: Any, weights: Any) -> tuple[WordTable, Any, Any]:
    """Leave out rows of weight 0, so that their words do not enter the vocabulary."""
    if weights is None or y is None:
        return table, y, weights
    numbers = np.asarray(weights)
    labels = np.asarray(y)
    if not numbers.shape == labels.shape == (table.rows,) or numbers.all() or not numbers.any():
        return table, y, weights
    kept = np.flatnonzero(numbers)
    return table.taken(kept), labels[kept], numbers[kept]


def _names(X: Any) -> list[Any] | None:
    """The columns of a table; None for anything else."""
    if sparse.issparse(X):  # some sparse matrices are dictionaries
        return None
    if isinstance(X, Mapping):
        return list(X)
    return list(X.columns) if hasattr(X, "columns") else None


def documents_in(X: Any) -> list[Any] | None:
    """Return the documents of a list, an array, a Series or a table of one text column; None for numbers."""
    if isinstance(X, str | bytes):
        raise BadData(
            "X is a single text (there is no such file), not a list of documents: put it in brackets, [text]."
        )
    names = _names(X)
    if names is not None:
        return _column_of(X, names)
    if isinstance(X, list | tuple) and not len(X):
        return []
    if isinstance(X, np.ndarray):
        is_column = X.ndim == 1 or (X.ndim == 2 and X.shape[1] == 1)
        values = X.ravel().tolist() if is_column and X.dtype.kind in "OUTS" else []
    else:
        values = _series(X)
    return values if _are_texts(values) else None


def _column_of(table: Any, names: list[Any]) -> list[Any] | None:
    """The documents of a table with one column of text; None if it has numbers only."""
    if len(names) == 1:
        values = _series(table[names[0]])
        return values if _are_texts(values) else None
    texts = _text_columns(table, names)
    if len(texts) > 1:
        raise BadData(
            f"A text classifier reads one column of text; this table has {len(names)} columns: "
            f"{listed(names)}. Pass one of them, such as X[{texts[0]!r}]."
        )
    return _series(table[texts[0]]) if texts else None


def _text_columns(table: Any, names: list[Any]) -> list[Any]:
    """The columns of text; the first rows decide, because turning numbers into lists would be slow."""
    return [name for name in names if _are_texts(_series(table[name][:_GLANCE]))]


def _text_column(table: Any) -> Any:
    """The one column of text of a table; columns of numbers are ignored, as in a file."""
    names = _names(table) or []
    return names[0] if len(names) == 1 else _text_columns(table, names)[0]


def _series(values: Any) -> list[Any]:
    """A column of any library as a list; an empty list if it is not a column."""
    if isinstance(values, list | tuple):
        return list(values)
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(values, method) and not sparse.issparse(values):
            found = getattr(values, method)()
            return found if isinstance(found, list) else []
    return []


def _are_texts(values: list[Any]) -> bool:
    """Whether there is a text among the values, or all of them are None."""
    if any(isinstance(value, str | bytes) for value in values):
        return True
    return bool(values) and all(value is None for value in values)


def _read_counts(estimator: Any, X: Any, reset: bool) -> WordTable:
    """Read a matrix of word counts, checked as scikit-learn does."""
    _refuse_rows_of_texts(X)
    array = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype="numeric")
    check_non_negative(array, f"{type(estimator).__name__} (input X)")
    if not sparse.issparse(array) and (array.dtype.char == "e" or not array.dtype.isnative):
        array = array.astype(np.float64)  # sparse matrices support neither float16 nor foreign byte order
    counts = sparse.csr_array(array)
    if not counts.data.all():
        counts = counts.copy()  # the arrays inside belong to the caller
        counts.eliminate_zeros()
    names = array_column_names(estimator, counts.shape[1])
    if reset:
        estimator.reads_ = "counts"
    return WordTable(names, counts.shape[0], counts=counts)


def _refuse_rows_of_texts(X: Any) -> None:
    """Refuse rows of several texts, which are neither documents nor counts."""
    rows = X[:_GLANCE] if isinstance(X, list | tuple | np.ndarray) else []
    if any(isinstance(cell, str) for row in rows if np.ndim(row) == 1 for cell in row):
        raise BadData(
            "A text classifier reads one text per row: join the texts of each row, or pass one column."
        )


def _no_column() -> Any:
    raise BadData("Documents have no feature columns: their words are counted.")
