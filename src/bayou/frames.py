"""Data frames made from arrays, for results that users take to pandas or polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.codes import is_missing_code
from bayou.errors import MissingPackage
from bayou.typing import CodeArray, Name, State

if TYPE_CHECKING:
    import pandas


def pandas_frame(columns: Mapping[Any, Any], purpose: str, index: Any = None) -> pandas.DataFrame:
    """Return a pandas DataFrame with these columns: arrays, lists or :func:`pandas_categorical` ones.

    ``purpose`` is named in the error where pandas is not installed; ``index`` holds the row labels.

    >>> pandas_frame({"n": [1, 2]}, "This example")["n"].tolist()
    [1, 2]
    """
    frame: pandas.DataFrame = _pandas(purpose).DataFrame(dict(columns), index=index)
    return frame


def pandas_categorical(codes: CodeArray, labels: Sequence[State], purpose: str) -> pandas.Categorical:
    """Return codes as a categorical column, its categories in the order of the labels.

    >>> column = pandas_categorical(np.array([1, 255], dtype=np.uint8), ["no", "yes"], "This example")
    >>> list(column), list(column.categories)
    (['yes', nan], ['no', 'yes'])
    """
    module = _pandas(purpose)
    positions = np.where(is_missing_code(codes), -1, codes.astype(np.int64))
    dtype = module.CategoricalDtype(list(labels))
    column: pandas.Categorical = module.Categorical.from_codes(positions, dtype=dtype)
    return column


def polars_frame(columns: Mapping[Name, Sequence[Any]], purpose: str) -> Any:
    """Return a polars DataFrame with these columns; their names become text."""
    try:
        import polars
    except ImportError:
        raise MissingPackage.needed("polars", purpose) from None
    return polars.DataFrame({str(name): list(column) for name, column in columns.items()}, strict=False)


def _pandas(purpose: str) -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingPackage.needed("pandas", purpose) from None
    return pandas
