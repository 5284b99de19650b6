"""The kind of table that a caller gave, and results of the same kind with the same index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData, MissingPackage, listed
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.sources.tables.read_frames import is_from
from bayou.typing import FloatArray, Name, State

Values = npt.NDArray[Any]
Plain = Literal["text", "int", "float", "truth", "number", "other", "mixed"]


@dataclass(frozen=True)
class TableKind:
    """The package of a caller's table ("none": not a DataFrame), and the index of a pandas one.

    ``wrapped``: the table was wrapped by narwhals, and so are the results. ``backend`` is narwhals' name of
    the package, for tables that only narwhals can read.
    """

    package: Literal["pandas", "polars", "pyarrow", "narwhals", "none"]
    index: Any = None
    wrapped: bool = False
    backend: Any = None

    def frame(self, columns: Mapping[str, FloatArray]) -> Any:
        """Return a DataFrame of this kind with these columns of numbers; of pandas for the kind "none"."""
        if self.package == "polars":
            import polars

            made: Any = polars.DataFrame(dict(columns))
        elif self.package == "pyarrow":
            made = require_pyarrow("to_frame").table(dict(columns))
        elif self.package == "narwhals":
            import narwhals

            made = narwhals.from_dict(dict(columns), backend=self.backend).to_native()
        else:
            made = pandas_frame(columns, "to_frame", self.index)
        return _wrapped(made) if self.wrapped else made

    def series(self, name: Name, values: Values, states: Sequence[State]) -> Any:
        """Return a column of states (None: missing) or, if ``states`` is empty, of numbers.

        It is a Series or array of this kind; for the kind "none", ``values`` itself.
        """
        if self.package == "none":
            return values
        plain = plain_kind(states)
        if self.package == "pandas":
            made = pandas_series(values, plain, self.index, name)
        elif self.package == "polars":
            made = polars_series(str(name), values, plain)
        elif self.package == "pyarrow":
            made = arrow_array(values, plain, name)
        else:
            import narwhals

            made = narwhals.new_series(str(name), values.tolist(), backend=self.backend).to_native()
        return _wrapped(made) if self.wrapped else made


def kind_of(data: Any) -> TableKind:
    """Return the kind of a caller's table.

    >>> kind_of({"a": [1, 2]}).package
    'none'
    """
    if is_from(data, "narwhals", "DataFrame") or is_from(data, "narwhals", "LazyFrame"):
        native = kind_of(data.to_native())
        return TableKind(native.package, native.index, native.package != "none", native.backend)
    if is_from(data, "pandas", "DataFrame"):
        return TableKind("pandas", data.index)
    if is_from(data, "polars", "DataFrame") or is_from(data, "polars", "LazyFrame"):
        return TableKind("polars")
    if hasattr(data, "__arrow_c_stream__") or is_from(data, "pyarrow", "RecordBatch"):
        return TableKind("pyarrow")
    return _narwhals_kind(data)


def _narwhals_kind(data: Any) -> TableKind:
    if isinstance(data, Mapping | Sequence | np.ndarray):
        return TableKind("none")
    import narwhals

    frame = narwhals.from_native(data, pass_through=True)
    if isinstance(frame, narwhals.DataFrame):
        return TableKind("narwhals", backend=frame.implementation)
    return TableKind("none")


def plain_kind(states: Sequence[State]) -> Plain:
    """Return the type of all states: "number" for no states (continuous), "mixed" for several types.

    >>> plain_kind(["a", "b"]), plain_kind([1, True]), plain_kind([])
    ('text', 'mixed', 'number')
    """
    kinds = {type(state) for state in states}
    if not kinds:
        return "number"
    if kinds == {int} and all(isinstance(s, int) and -(2**63) <= s < 2**63 for s in states):
        return "int"
    if kinds == {float}:
        return "float"
    if len(kinds) > 1:
        return "mixed"
    return "text" if kinds == {str} else "truth" if kinds == {bool} else "other"


def state_column_names(pairs: Sequence[tuple[Name, State]]) -> list[str]:
    """Return a column name ``target=state`` for each pair; states that only look alike get distinct names.

    >>> state_column_names([("lung", "yes"), ("n", 1), ("n", "1")])
    ['lung=yes', 'n=1', "n='1'"]
    """
    names: list[str] = []
    for target, state in pairs:
        choices = [f"{label(target)}={label(state)}", f"{label(target)}={state!r}", f"{target!r}={state!r}"]
        name = next((choice for choice in choices if choice not in names), choices[-1])
        while name in names:
            name += "'"
        names.append(name)
    return names


def pandas_series(values: Values, plain: Plain, index: Any, name: Name) -> Any:
    """Return a pandas Series; integers and truth values with None get the nullable types."""
    import pandas

    gaps = any(value is None for value in values.tolist()) if values.dtype == object else False
    types = {"int": "Int64" if gaps else "int64", "truth": "boolean" if gaps else "bool", "mixed": "object"}
    kind: Any = types.get(plain, "float64" if plain in ("float", "number") else None)
    if kind is None and not len(values):
        kind = pandas.Series(["text"]).dtype
    return pandas.Series(values if kind is not None else values.tolist(), index=index, name=name, dtype=kind)


def polars_series(name: str, values: Values, plain: Plain) -> Any:
    """Return a polars Series; states that no polars type can hold become Python objects."""
    import polars

    types: dict[str, Any] = {
        "int": polars.Int64,
        "truth": polars.Boolean,
        "text": polars.String,
        "float": polars.Float64,
        "number": polars.Float64,
    }
    objects = values.tolist()
    if plain in types:
        return polars.Series(name, objects, dtype=types[plain])
    try:
        return polars.Series(name, objects)
    except (TypeError, ValueError, polars.exceptions.PolarsError):
        return polars.Series(name, objects, dtype=polars.Object)


def arrow_array(values: Values, plain: Plain, name: Name) -> Any:
    """Return a pyarrow array; states that no single Arrow type can hold are refused."""
    arrow = require_pyarrow("An Arrow column")
    types = {
        "int": arrow.int64(),
        "truth": arrow.bool_(),
        "text": arrow.string(),
        "float": arrow.float64(),
        "number": arrow.float64(),
    }
    try:
        return arrow.array(values.tolist(), type=types.get(plain))
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError, OverflowError):
        raise no_arrow_type(name, list({id(value): value for value in values.tolist()}.values())) from None


def no_arrow_type(name: Name, states: Sequence[State]) -> BadData:
    """Return the error for states that no single Arrow type can hold."""
    return BadData(
        f"Arrow has no single type for all values of {name!r}, such as {listed(states, 4)}. Give the table "
        "as a pandas DataFrame or a dict of columns."
    )


def require_pyarrow(purpose: str) -> Any:
    """Return the module pyarrow; the error if it is not installed says that ``purpose`` needs it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPackage.needed("pyarrow", purpose) from None
    return pyarrow


def _wrapped(native: Any) -> Any:
    import narwhals

    return narwhals.from_native(native, allow_series=True)
