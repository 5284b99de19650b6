"""Fixes as one line of code, for pandas or for polars; the table is called ``data``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayou.typing import Name


class PandasFixes:
    """Fixes for a pandas DataFrame.

    >>> PandasFixes().drop("id")
    "data = data.drop(columns=['id'])"
    """

    dialect = "pandas"

    @property
    def together(self) -> str:
        """One line that stands for all fixes that say how the table is read; "" where none does."""
        return ""

    def drop(self, name: Name) -> str:
        """Drop a column."""
        return f"data = data.drop(columns=[{name!r}])"

    def rename(self, name: Name, better: str) -> str:
        """Rename a column."""
        return f"data = data.rename(columns={{{name!r}: {better!r}}})"

    def whole(self, name: Name) -> str:
        """Convert to integers, keeping missing values."""
        return self._set(name, f"{_at(name)}.astype('Int64')")

    def text(self, name: Name) -> str:
        """Convert all values to text, keeping missing values."""
        return self._set(name, f"{_at(name)}.map(str, na_action='ignore')")

    def number(self, name: Name, lossy: bool = False, comma: bool = False) -> str:
        """Convert text to numbers; ``lossy`` makes other text missing, ``comma`` reads decimal commas."""
        text = f"{_at(name)}.str.replace(',', '.')" if comma else _at(name)
        return self._set(name, f"pandas.to_numeric({text}{', errors=' + repr('coerce') if lossy else ''})")

    def amount(self, name: Name, percent: bool = False, comma: bool = False) -> str:
        """Convert numbers with a currency, thousands or a percent sign; ``comma`` reads decimal commas."""
        bare = f"{_at(name)}.str.replace('[^0-9{',' if comma else '.'}+-]', '', regex=True)"
        bare += ".str.replace(',', '.')" if comma else ""
        return self._set(name, f"pandas.to_numeric({bare}){' / 100' if percent else ''}")

    def thousands(self, name: Name) -> str:
        """Convert numbers with k or M."""
        whole = f"{_at(name)}.str.replace('[kK]', 'e3', regex=True).str.replace('M', 'e6')"
        return self._set(name, f"pandas.to_numeric({whole})")

    def date(self, name: Name, layout: str, lossy: bool = False) -> str:
        """Convert text to dates; ``lossy`` makes other text missing."""
        errors = ", errors='coerce'" if lossy else ""
        return self._set(name, f"pandas.to_datetime({_at(name)}, format={layout!r}{errors})")

    def gaps(self, name: Name, values: Sequence[Any]) -> str:
        """Make some values missing."""
        return self._set(name, f"{_at(name)}.mask({_at(name)}.isin({list(values)!r}))")

    def finite(self, name: Name) -> str:
        """Make infinite values missing."""
        return self._set(name, f"{_at(name)}.mask({_at(name)}.abs() == float('inf'))")

    def tidy(self, name: Name) -> str:
        """Unify the spelling: lower case, single blanks."""
        return self._set(name, f"{_at(name)}.str.split().str.join(' ').str.casefold()")

    def other(self, name: Name, least: int) -> str:
        """Merge rare values into one value 'other'."""
        often = f"{_at(name)}.map({_at(name)}.value_counts()) >= {least}"
        return self._set(name, f"{_at(name)}.where(({often}) | {_at(name)}.isna(), 'other')")

    def log(self, name: Name) -> str:
        """Take log(1 + x)."""
        return self._set(name, f"numpy.log1p({_at(name)})")

    def flag(self, names: Sequence[Name]) -> str:
        """Add columns that mark the missing values."""
        return f"data = data.join(data[{list(names)!r}].isna().add_suffix(' is missing'))"

    def within(self, name: Name, low: float, high: float) -> str:
        """Make numbers outside a range missing."""
        return self._set(name, f"{_at(name)}.where({_at(name)}.between({low!r}, {high!r}))")

    def complete(self, name: Name) -> str:
        """Drop the rows without a value in this column."""
        return f"data = data.dropna(subset=[{name!r}])"

    def frequent(self, name: Name, least: int) -> str:
        """Drop the rows with rare values in this column."""
        return f"data = data[{_at(name)}.map({_at(name)}.value_counts()) >= {least}]"

    def distinct(self) -> str:
        """Drop repeated rows."""
        return "data = data.drop_duplicates()"

    def ranges(self, name: Name) -> str:
        """Cut numbers into a few ranges."""
        return self._set(name, f"pandas.qcut({_at(name)}, 5, duplicates='drop').astype(str)")

    def _set(self, name: Name, value: str) -> str:
        return f"{_at(name)} = {value}"


class PolarsFixes(PandasFixes):
    """Fixes for a polars DataFrame.

    >>> PolarsFixes().whole("age")
    "data = data.with_columns(polars.col('age').fill_nan(None).cast(polars.Int64))"
    """

    dialect = "polars"

    def drop(self, name: Name) -> str:
        return f"data = data.drop({name!r})"

    def rename(self, name: Name, better: str) -> str:
        return f"data = data.rename({{{name!r}: {better!r}}})"

    def whole(self, name: Name) -> str:
        return _with(f"{_col(name)}.fill_nan(None).cast(polars.Int64)")

    def text(self, name: Name) -> str:
        return _with(f"{_col(name)}.cast(polars.String)")

    def number(self, name: Name, lossy: bool = False, comma: bool = False) -> str:
        text = f"{_col(name)}.str.replace(',', '.', literal=True)" if comma else _col(name)
        return _with(f"{text}.cast(polars.Float64{', strict=False' if lossy else ''})")

    def amount(self, name: Name, percent: bool = False, comma: bool = False) -> str:
        bare = f"{_col(name)}.str.replace_all('[^0-9{',' if comma else '.'}+-]', '')"
        bare += ".str.replace(',', '.', literal=True)" if comma else ""
        return _with(f"{bare}.cast(polars.Float64, strict=False){' / 100' if percent else ''}")

    def thousands(self, name: Name) -> str:
        whole = f"{_col(name)}.str.replace('[kK]', 'e3').str.replace('M', 'e6')"
        return _with(f"{whole}.str.strip_chars().cast(polars.Float64)")

    def date(self, name: Name, layout: str, lossy: bool = False) -> str:
        options = ([] if layout == "ISO8601" else [repr(layout)]) + (["strict=False"] if lossy else [])
        return _with(f"{_col(name)}.str.to_datetime({', '.join(options)})")

    def gaps(self, name: Name, values: Sequence[Any]) -> str:
        return _with(f"polars.when(~{_col(name)}.is_in({list(values)!r})).then({_col(name)})")

    def finite(self, name: Name) -> str:
        return _with(f"polars.when({_col(name)}.is_finite()).then({_col(name)})")

    def tidy(self, name: Name) -> str:
        one_blank = r".str.replace_all(r'\s+', ' ')"
        return _with(f"{_col(name)}.str.strip_chars(){one_blank}.str.to_lowercase()")

    def other(self, name: Name, least: int) -> str:
        often = f"(polars.len().over({name!r}) >= {least}) | {_col(name)}.is_null()"
        return _with(
            f"polars.when({often}).then({_col(name)}).otherwise(polars.lit('other')).alias({name!r})"
        )

    def log(self, name: Name) -> str:
        return _with(f"{_col(name)}.log1p()")

    def flag(self, names: Sequence[Name]) -> str:
        return _with(f"polars.col({list(names)!r}).is_null().name.suffix(' is missing')")

    def within(self, name: Name, low: float, high: float) -> str:
        return _with(f"polars.when({_col(name)}.is_between({low!r}, {high!r})).then({_col(name)})")

    def complete(self, name: Name) -> str:
        return f"data = data.drop_nulls([{name!r}])"

    def frequent(self, name: Name, least: int) -> str:
        return f"data = data.filter(polars.len().over({name!r}) >= {least})"

    def distinct(self) -> str:
        return "data = data.unique(maintain_order=True)"

    def ranges(self, name: Name) -> str:
        fifths = f"{_col(name)}.rank('ordinal') * 5 // (polars.len() + 1)"
        return _with(f"({fifths}).cast(polars.String)")


def _at(name: Name) -> str:
    return f"data[{name!r}]"


def _col(name: Name) -> str:
    return f"polars.col({name!r})"


def _with(expression: str) -> str:
    return f"data = data.with_columns({expression})"
