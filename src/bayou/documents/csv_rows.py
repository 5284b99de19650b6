"""Rows as lines of CSV, quoted as in RFC 4180.

For speed the texts of neighbouring discrete columns are looked up together in one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from bayou.schema import Variable
    from bayou.typing import Name

_LARGEST_GROUP = 4096
"""The most combinations of states in the table of a group of columns."""


def csv_header(names: Iterable[Name]) -> str:
    """The header line.

    >>> csv_header(["a", "b, c", 1])
    'a,"b, c",1\\n'
    """
    return ",".join(csv_field(name) for name in names) + "\n"


def csv_lines(variables: Iterable[Variable], columns: Mapping[Any, npt.NDArray[Any]]) -> Iterator[str]:
    """Yield the lines of rows that are given as one column of codes (or numbers) per variable."""
    texts = [_joined(group, columns) for group in _groups(variables)]
    for pieces in zip(*texts, strict=True):
        yield ",".join(pieces) + "\n"


def csv_field(value: object) -> str:
    """One value as text, in quotes if needed; the empty text is quoted, because an empty field is missing.

    >>> print(csv_field("yes"), csv_field('a "b"'), csv_field(""), csv_field(2.5))
    yes "a ""b""\" "" 2.5
    """
    text = str(value)
    if text and text == text.strip() and not any(sign in text for sign in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _groups(variables: Iterable[Variable]) -> list[list[Variable]]:
    """Group neighbouring discrete variables whose combinations of states are few enough to be listed."""
    groups: list[list[Variable]] = []
    size = _LARGEST_GROUP
    for variable in variables:
        size *= variable.cardinality
        if variable.is_continuous or not 0 < size <= _LARGEST_GROUP or not groups:
            groups.append([])
            size = variable.cardinality
        groups[-1].append(variable)
    return groups


def _joined(group: Sequence[Variable], columns: Mapping[Any, npt.NDArray[Any]]) -> list[str]:
    """Return the joined text of a group of columns, one per row."""
    first = columns[group[0].name]
    if group[0].is_continuous:
        return [repr(value) for value in first.tolist()]
    places: npt.NDArray[Any] = np.zeros(len(first), dtype=np.int64)
    for variable in group:
        places = places * variable.cardinality + columns[variable.name]
    fields = product(*([csv_field(state) for state in variable.states] for variable in group))
    texts = np.array([",".join(row) for row in fields], dtype=object)
    joined: list[str] = texts[places].tolist()
    return joined
