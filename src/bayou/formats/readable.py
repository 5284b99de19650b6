"""Bayou's own file as a text to read and compare: one JSON document, with a row of a table in each line.

Numbers are written with as many digits as tell them apart, so what is read is the same to the last bit. An
array is ``{"$array": "f8", "shape": [2, 2], "rows": [[0.9, 0.1], [0.2, 0.8]]}``; its rows are read one after
the other.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadFile
from bayou.formats.file_content import FileContent, FilePath
from bayou.formats.unpacking import DOCUMENT, UnpackingLimit

ENDINGS = (".json", ".json.gz")
_KEY = "$array"
_TYPES = {name: np.dtype(f"<{name}") for name in ("f8", "i8", "u1", "u2", "u4")} | {"b1": np.dtype("bool")}
_BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"bayou"')
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SPELLED = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_WIDTH = 100
_LONGEST_ROW = 16


def looks_readable(head: bytes) -> bool:
    """Whether a file that starts with these bytes is such a text."""
    return _BEGINNING.match(head) is not None


def readable_text(document: Mapping[str, Any]) -> str:
    """Return the text of a document of JSON values and arrays.

    >>> print(readable_text({"format": "bayou", "cpt": np.array([[0.9, 0.1], [1/3, 2/3]])}), end="")
    {
     "format": "bayou",
     "cpt": {"$array": "f8", "shape": [2, 2], "rows": [
      [0.9, 0.1],
      [0.3333333333333333, 0.6666666666666666]
     ]}
    }
    """
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", _text(document, 0)) + "\n"


def read_document(content: FileContent, path: FilePath) -> Any:
    """Return the document in the content of a file, with its arrays."""
    UnpackingLimit(path, content.size, DOCUMENT, "unpack it first").add(len(content.data))
    try:
        text = content.data.decode("utf-8")
        return json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant, parse_float=_finite)
    except BadFile as error:
        raise BadFile.at(path, str(error)) from None
    except (ValueError, RecursionError) as error:  # also UnicodeDecodeError and JSONDecodeError
        raise BadFile.at(path, f"cannot be read as JSON: {error}.") from None


def _text(value: Any, indent: int) -> str:
    """The text of a value: in one line if it fits, else with a line for each of its parts."""
    if isinstance(value, np.ndarray):
        return _array_text(value, indent)
    if not isinstance(value, (Mapping, list, tuple)):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    if not _has_arrays(value):
        plain = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if len(plain) + indent <= _WIDTH:
            return plain
    pad = " " * (indent + 1)
    if isinstance(value, Mapping):
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {_text(v, indent + 1)}" for k, v in value.items()]
    else:
        parts = [_text(each, indent + 1) for each in value]
    first, last = "{}" if isinstance(value, Mapping) else "[]"
    lines = ",\n".join(pad + part for part in parts)
    return f"{first}\n{lines}\n{' ' * indent}{last}"


def _has_arrays(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_has_arrays(each) for each in value.values())
    if isinstance(value, list | tuple):
        return any(_has_arrays(each) for each in value)
    return isinstance(value, np.ndarray)


def _array_text(array: npt.NDArray[Any], indent: int) -> str:
    """An array with its type and shape; a row of a table is a line, long rows are several."""
    kind = next(name for name, dtype in _TYPES.items() if dtype == array.dtype)
    head = f'{{"{_KEY}": "{kind}", "shape": {list(array.shape)}, "rows": ['
    width = array.shape[-1] if array.ndim > 1 else array.size
    rows = [_row_text(row) for row in _rows(array.ravel(), width)]
    if sum(map(len, rows)) + len(head) + indent <= _WIDTH and len(rows) <= 1:
        return f"{head}{''.join(rows)}]}}"
    pad = " " * (indent + 1)
    return head + "\n" + ",\n".join(pad + row for row in rows) + "\n" + " " * indent + "]}"


def _rows(flat: npt.NDArray[Any], width: int) -> Iterator[npt.NDArray[Any]]:
    """Parts of an array: its rows, or parts of these."""
    for start in range(0, flat.size, max(width, 1)):
        row = flat[start : start + width]
        for at in range(0, len(row), _LONGEST_ROW):
            yield row[at : at + _LONGEST_ROW]


def _row_text(row: npt.NDArray[Any]) -> str:
    cells = [_spelled(cell) if isinstance(cell, float) else cell for cell in row.tolist()]
    return json.dumps(cells, allow_nan=False)


def _spelled(number: float) -> float | str:
    """A number; the word of one that JSON has no number for."""
    if math.isfinite(number):
        return number
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def _members(pairs: list[tuple[str, Any]]) -> Any:
    """The mapping of an object of JSON, or its array; a member that is there twice is damage."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadFile(f"has {twice!r} twice in one object.")
    return _array(found) if _KEY in found else found


def _array(found: Mapping[str, Any]) -> npt.NDArray[Any]:
    if list(found) != [_KEY, "shape", "rows"] or not isinstance(found[_KEY], str):
        raise BadFile(f"has an array without its type, shape and rows: {str(dict(found))[:100]}.")
    shape, rows, dtype = found["shape"], found["rows"], _TYPES.get(found[_KEY])
    if dtype is None:
        raise BadFile(f"has an array of the type {found[_KEY]!r}; expected one of {', '.join(_TYPES)}.")
    good = isinstance(shape, list) and all(type(size) is int and 0 <= size < 2**63 for size in shape)
    if not good or not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise BadFile("has an array whose shape is not a list of sizes, or whose rows are not lists.")
    cells = [cell for row in rows for cell in row]
    if prod(shape) != len(cells) or len(shape) > 32:
        raise BadFile(f"has an array of shape {shape}, which does not fit its {len(cells):,} numbers.")
    return np.array([_cell(cell, dtype) for cell in cells], dtype=dtype).reshape(shape)


def _cell(cell: Any, dtype: np.dtype[Any]) -> Any:
    """A number as the array holds it; anything else is damage."""
    kind = type(cell)
    if dtype.kind == "f":
        if kind is str and cell in _SPELLED:
            return _SPELLED[cell]
        if kind is float or (kind is int and abs(cell) <= 2**53):
            return float(cell)
    elif dtype.kind == "b":
        if kind is bool:
            return cell
    elif kind is int and np.iinfo(dtype).min <= cell <= np.iinfo(dtype).max:
        return cell
    raise BadFile(f"has {cell!r} in an array of the type {dtype.str[1:]}.")


def _no_constant(word: str) -> Any:
    raise BadFile(f'has the number {word} without quotes; write "{word}".')


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise BadFile(f"has the number {text}, which is too large.")
    return number
