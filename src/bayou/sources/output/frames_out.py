"""Columns on their way out: as the data frames of packages that users may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import MissingPackage
from bayou.sources.tables.columns import CodedColumn
from bayou.typing import Name

if TYPE_CHECKING:
    import pandas


def pandas_frame(
    columns: Mapping[Any, CodedColumn | Sequence[Any] | Any], purpose: str, index: Any = None
) -> pandas.DataFrame:
    """A pandas DataFrame; coded columns become categorical ones, with the labels in their order.

    ``purpose`` says who asks, where pandas is not installed; ``index`` is that of the rows.
    """
    try:
        import pandas
    except ImportError:
        raise MissingPackage.needed("pandas", purpose) from None
    ready: dict[Any, Any] = {}
    for name, column in columns.items():
        if isinstance(column, CodedColumn):
            kind = pandas.CategoricalDtype(list(column.labels))
            gaps = column.codes == column.missing_code
            codes = np.where(gaps, -1, column.codes.astype(np.int64))
            ready[name] = pandas.Categorical.from_codes(codes, dtype=kind)
        else:
            ready[name] = column
    return pandas.DataFrame(ready, index=index)


def polars_frame(columns: Mapping[Name, Sequence[Any]], purpose: str) -> Any:
    """A polars DataFrame; its column names are text."""
    try:
        import polars
    except ImportError:
        raise MissingPackage.needed("polars", purpose) from None
    return polars.DataFrame({str(name): list(column) for name, column in columns.items()}, strict=False)
