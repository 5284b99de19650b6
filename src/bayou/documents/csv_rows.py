"""Drawn rows as lines of CSV, quoted after RFC 4180; neighbouring columns are looked up as one, for speed."""

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


def csv_header(names: Iterable[Name]) -> str:
    """The first line.

    >>> csv_header(["a", "b, c", 1])
    'a,"b, c",1\\n'
    """
    return ",".join(csv_field(name) for name in names) + "\n"


def csv_lines(variables: Iterable[Variable], columns: Mapping[Any, npt.NDArray[Any]]) -> Iterator[str]:
    """The lines of some rows, given as a column of codes (or of numbers) for each variable."""
    texts = [_joined(group, columns) for group in _groups(variables)]
    for pieces in zip(*texts, strict=True):
        yield ",".join(pieces) + "\n"


def csv_field(value: object) -> str:
    """One value, in quotes where it would be read as something else (the empty text would be a gap).

    >>> print(csv_field("yes"), csv_field('a "b"'), csv_field(""), csv_field(2.5))
    yes "a ""b""\" "" 2.5
    """
    text = str(value)
    if text and text == text.strip() and not any(sign in text for sign in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _groups(variables: Iterable[Variable]) -> list[list[Variable]]:
    """Neighbouring discrete variables whose states together are few enough to be listed."""
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
    """The text of some neighbouring columns, row by row."""
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
