"""Columns of a text file whose first values are numbers with a decimal comma."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bayou.sources.files.file_options import FileOptions
from bayou.sources.files.text.text_layout import TextLayout
from bayou.sources.tables.decimal_commas import have_decimal_commas, have_decimal_points, tell_decimal_commas
from bayou.typing import Name


def can_take_decimal_commas(layout: TextLayout, options: FileOptions) -> bool:
    """Whether ``decimal=","`` would read the file: the comma is free, and no column has decimal points."""
    if options.decimal or layout.separator == ",":
        return False
    columns = range(len(layout.names))
    return not any(have_decimal_points(layout.first_values(position)) for position in columns)


def tell_of_comma_columns(
    layout: TextLayout, options: FileOptions, positions: Iterable[int], names: Sequence[Name]
) -> Iterator[int]:
    """Warn of each of these columns that seems to have decimal commas, and yield its position."""
    for position in positions if not options.decimal else ():
        values = layout.first_values(position) if position < len(layout.names) else []
        if have_decimal_commas(values):
            cell = next(value for value in values if "," in value)
            tell_decimal_commas(names[position], cell, can_take_decimal_commas(layout, options))
            yield position
