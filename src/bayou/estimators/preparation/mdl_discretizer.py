"""A scikit-learn transformer that cuts numbers into ranges that separate the classes."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bayou._native import digitise
from bayou.arguments import weights_named
from bayou.codes import is_missing_code
from bayou.errors import BadData
from bayou.estimators.input.containers import collected, opened_rows
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_input import read_training
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.estimators.input.table_input import feature_tables
from bayou.schema import is_number
from bayou.sources.prepared_source import PreparedSource
from bayou.sources.streams.batch_source import opened_reader
from bayou.sources.tables.columns import CodedColumn, NumberColumn
from bayou.statistics import ValueHistogram
from bayou.text.tables import Cell, TextTable
from bayou.typing import CodeArray, FloatArray, Name, State

Self = TypeVar("Self", bound="MDLDiscretizer")


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """Cut each numeric column where the class entropy falls most, until the MDL rule stops.

    The method of Fayyad and Irani (1993), with the stopping rule of the lecture. ``transform`` returns the
    number of each value's range; range 0 reaches up to and including the first cut. ``missing="nan"`` keeps
    missing cells as NaN (the result then has floats), ``"code"`` makes them one more range.
    Columns that are not numeric are returned unchanged; ``other="error"`` refuses them. A large file or
    another source is counted, not read into memory.

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

    def __init__(self, *, missing: str = "nan", other: str = "passthrough") -> None:
        self.missing = missing
        self.other = other

    @weights_named("sample_weight")
    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cuts of every column of X from the classes y (or the name of the column that has them).

        Raises ``UnknownVariable`` for a column that is not there, and ``BadData`` for settings that do not
        fit, a table that cannot be read or classes of another length.

        >>> import bayou
        >>> cutter = bayou.MDLDiscretizer().fit({"x": [1.0, 2.0, 8.0, 9.0] * 9}, ["a", "a", "b", "b"] * 9)
        >>> cutter.cuts_
        {'x': array([5.])}
        """
        self._check_settings()
        rows = read_training(self, *opened_rows(opened_reader(X), y, sample_weight), reset=True)
        self._columns: tuple[Name, ...] = rows.features
        if isinstance(rows, LabelledTable):
            numeric = self._numeric(rows.table)
            self.cuts_ = rows.cuts_of({name: _numbers(rows.table, name) for name in numeric})
        else:
            self.cuts_ = self._counted_cuts(rows)
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the number of each value's range, counted from 0; one column per column of X.

        Raises scikit-learn's ``NotFittedError`` before the first fit.

        >>> import bayou
        >>> cutter = bayou.MDLDiscretizer().fit({"x": [1.0, 2.0, 8.0, 9.0] * 9}, ["a", "a", "b", "b"] * 9)
        >>> cutter.transform({"x": [1.5, 7.0]}).tolist()
        [[0], [1]]
        """
        check_is_fitted(self)
        X = opened_reader(collected(X))
        parts = [self._ranges(table) for _, table in feature_tables(self, X)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _ranges(self, table: FeatureTable) -> npt.NDArray[Any]:
        """The ranges of some rows."""
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
        """The cut points of every column as a printable table.

        Raises scikit-learn's ``NotFittedError`` before the first fit.

        >>> import bayou
        >>> cutter = bayou.MDLDiscretizer().fit({"x": [1.0, 2.0, 8.0, 9.0] * 9}, ["a", "a", "b", "b"] * 9)
        >>> print(cutter.cuts_table())
        MDLDiscretizer
        column  ranges  cuts
        x            2  5
        """
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
                raise BadData(f"{setting}={getattr(self, setting)!r}: use {' or '.join(map(repr, allowed))}.")

    def _names(self) -> list[Name]:
        return list(self._columns)

    def _numeric(self, features: FeatureTable) -> list[Name]:
        """The columns that can be cut; the others are passed through or refused by name."""
        others = [name for name in features.names if not _is_numeric(features, name)]
        if others and self.other == "error":
            features.numbers(others[0])  # raises an error that names the value that is not a number
        return [name for name in features.names if name not in others]

    def _counted_cuts(self, rows: LabelledSource) -> dict[Name, FloatArray]:
        """The cuts of rows that are not in memory, from their values by class.

        With more than 2**20 different values of a column they are counted in narrow bins.
        """
        asked = {name: ValueHistogram(name, (rows.target,)) for name in rows.features}
        direct = [name for name in rows.features if rows.kind(name) in ("int", "float")]
        source = rows.labelled_part()
        coded = source.with_all_states([name for name in rows.features if name not in direct])
        meanings = {v.name: np.array(v.states, float) for v in coded if all(map(_is_measured, v.states))}
        others = [variable.name for variable in coded if variable.name not in meanings]
        if others and self.other == "error":
            raise BadData(
                f"The column {others[0]!r} is not numeric: leave it out, or let other='passthrough' keep it."
            )
        found = rows.collect([asked[name] for name in direct])
        cuts = {name: found[asked[name]].cuts() for name in direct}
        if meanings:
            found = PreparedSource(source, meanings=meanings).collect([asked[name] for name in meanings])
            cuts.update({name: found[asked[name]].cuts() for name in meanings})
        return {name: cuts[name] for name in rows.features if name in cuts}

    def _put(self, out: npt.NDArray[np.int64], table: FeatureTable, name: Name) -> npt.NDArray[np.bool_]:
        """Write a column's ranges to ``out``; return which cells are missing."""
        cuts = self.cuts_[name]
        codes: CodeArray = digitise(_numbers(table, name), cuts)
        missing = is_missing_code(codes)
        out[:] = codes
        out[missing] = len(cuts) + 1
        return missing

    def _mixed(self, table: FeatureTable, names: list[Name]) -> npt.NDArray[Any]:
        """Ranges and columns that are passed through, as an array of objects."""
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
    return isinstance(column, NumberColumn) or all(map(_is_measured, column.labels))


def _is_measured(label: State) -> bool:
    """Whether a value is a number or a truth value."""
    return is_number(label) or isinstance(label, bool)


def _numbers(table: FeatureTable, name: Name) -> npt.NDArray[Any]:
    """A column of numbers for the kernels: a view of the matrix if X was one; booleans become 0 and 1."""
    if table.matrix is not None and table.matrix.dtype == np.float64:
        return np.asarray(table.matrix[:, table.names.index(name)])
    column = table.columns[name] if table.has(name) else None
    if isinstance(column, CodedColumn) and all(isinstance(label, bool) for label in column.labels):
        values = np.array([*column.labels, np.nan], dtype=np.float64)
        return values[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
    return table.numbers(name)
