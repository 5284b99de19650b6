"""Numbers cut into ranges that tell the classes apart, as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bayou._native import digitise
from bayou.codes import is_missing_code
from bayou.errors import BadData
from bayou.estimators.input.labelled_input import read_table
from bayou.estimators.input.table_input import FeatureTable, read_features
from bayou.schema import is_number
from bayou.sources.tables.columns import CodedColumn, NumberColumn
from bayou.text_table import Cell, TextTable
from bayou.typing import CodeArray, FloatArray, Name

Self = TypeVar("Self", bound="MDLDiscretizer")


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """Cut each number where that tells most about the class, as long as the MDL rule says that it pays.

    Fayyad and Irani's method, with the stopping rule of the lecture. ``transform`` gives the number of the
    range: 0 up to and including the first cut. ``missing="nan"`` leaves gaps gaps (the result is then of
    floats), ``"code"`` makes them one more range. ``other="passthrough"`` leaves columns that are no numbers
    alone, ``"error"`` refuses them.

    >>> ages, answers = [23, 25, 31, 48, 52, 60], ["no", "no", "no", "yes", "yes", "yes"]
    >>> model = MDLDiscretizer().fit({"age": ages}, answers)
    >>> model.cuts_
    {'age': array([39.5])}
    >>> model.transform({"age": [30, 39.5, 70]}).tolist()
    [[0], [0], [1]]
    >>> print(model)
    MDLDiscretizer
    column  ranges  cuts
    age          2  39.5
    """

    cuts_: dict[Name, FloatArray]
    n_features_in_: int

    def __init__(self, *, missing: str = "nan", other: str = "error") -> None:
        self.missing = missing
        self.other = other

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts of every column of X from the classes y (or the name of X's column of classes)."""
        self._check_settings()
        rows = read_table(self, X, y, sample_weight, reset=True)
        numeric = self._numeric(rows.table)
        self.cuts_ = rows.cuts_of({name: _numbers(rows.table, name) for name in numeric})
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """The range that each value lies in, counted from 0; as many columns as X has."""
        check_is_fitted(self)
        table = read_features(self, X, reset=False)
        names = self._names()
        if len(self.cuts_) < len(names):
            return self._mixed(table, names)
        codes = np.empty((table.rows, len(names)), dtype=np.int64)
        gaps = [(k, self._put(codes[:, k], table, name)) for k, name in enumerate(names)]
        if self.missing == "code" or not any(missing.any() for _, missing in gaps):
            return codes
        result = codes.astype(np.float64)
        for k, missing in gaps:
            result[missing, k] = np.nan
        return result

    def cuts_table(self) -> TextTable:
        """The cut points of every column, to be read."""
        check_is_fitted(self)
        rows: list[list[Cell]] = [
            [str(name), len(cuts) + 1, ", ".join(f"{cut:.6g}" for cut in cuts) or "–"]
            for name, cuts in self.cuts_.items()
        ]
        return TextTable(["column", "ranges", "cuts"], rows, title=type(self).__name__)

    def __str__(self) -> str:
        return str(self.cuts_table()) if hasattr(self, "cuts_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_settings(self) -> None:
        for setting, allowed in (("missing", ("nan", "code")), ("other", ("error", "passthrough"))):
            if getattr(self, setting) not in allowed:
                raise BadData(
                    f"{setting}={getattr(self, setting)!r}: expected {' or '.join(map(repr, allowed))}."
                )

    def _names(self) -> list[Name]:
        return list(self._columns)

    def _numeric(self, features: FeatureTable) -> list[Name]:
        """The columns that can be cut; the others are passed through or refused by name."""
        self._columns: tuple[Name, ...] = features.names
        strange = [name for name in features.names if not _is_numeric(features, name)]
        if strange and self.other == "error":
            features.numbers(strange[0])  # says which value is no number
        return [name for name in features.names if name not in strange]

    def _put(self, out: npt.NDArray[np.int64], table: FeatureTable, name: Name) -> npt.NDArray[np.bool_]:
        """Write a column's ranges, and say which cells are gaps."""
        cuts = self.cuts_[name]
        codes: CodeArray = digitise(_numbers(table, name), cuts)
        missing = is_missing_code(codes)
        out[:] = codes
        out[missing] = len(cuts) + 1
        return missing

    def _mixed(self, table: FeatureTable, names: list[Name]) -> npt.NDArray[Any]:
        result = np.empty((table.rows, len(names)), dtype=object)
        for k, name in enumerate(names):
            if name not in self.cuts_:
                result[:, k] = table.columns.coded(name).values() if table.has(name) else None
                continue
            codes = np.empty(table.rows, dtype=np.int64)
            missing = self._put(codes, table, name)
            result[:, k] = codes
            if self.missing == "nan":
                result[missing, k] = np.nan
        return result


def _is_numeric(features: FeatureTable, name: Name) -> bool:
    column = features.columns[name]
    if isinstance(column, NumberColumn):
        return True
    return all(is_number(label) or isinstance(label, bool) for label in column.labels)


def _numbers(table: FeatureTable, name: Name) -> npt.NDArray[Any]:
    """A column as the kernels take it: a view of the matrix where X was one."""
    if table.matrix is not None and table.matrix.dtype == np.float64:
        return np.asarray(table.matrix[:, table.names.index(name)])
    column = table.columns[name] if table.has(name) else None
    if isinstance(column, CodedColumn) and all(isinstance(label, bool) for label in column.labels):
        meanings = np.array([*column.labels, np.nan], dtype=np.float64)  # truth values are 0 and 1
        return meanings[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
    return table.numbers(name)
