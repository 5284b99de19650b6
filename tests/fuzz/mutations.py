"""Seeded damage: to bytes, to text, and to the nested values of a model file."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

NUMBERS = [0, -1, 1, 2, 3, 7, 255, 2**31, -(2**63), 2**63, 2**64, 10**30, 0.5, -0.0, 1e-320, 1e308, 1e15]
VALUES = [None, True, False, "", "x", "yes", "\ud800", "0", "a" * 300, [], {}, [[]], [0], {"type": "float"}]
ODD_VALUES = [
    {"type": "float", "value": "nan"},
    {"type": "float", "value": "inf"},
    {"type": "tuple", "value": []},
    {"type": "tuple", "value": [1, "a"]},
    {"type": "decimal", "value": "NaN"},
    {"type": "date", "value": "2024-02-29"},
    {"type": "fraction", "value": "1/3"},
    {"type": "interval", "value": "[1, 2)"},
    {"$": "list", "items": [1]},
    {"$": "mapping", "items": [["a", 1]]},
    {"$": "mapping", "items": [[{"$": "list", "items": []}, 1]]},
    {"$": "array", "items": [], "type": "object", "shape": [0]},
    {"$": "scalar", "type": "<f8", "value": 0.5},
    {"$": "prior", "kind": "laplace", "strength": 1.0},
    {"$": "distribution", "kind": "table"},
]
BYTES = [
    b"",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\n",
    b"\r\n",
    b"\r",
    b'"',
    b"'",
    b",",
    b"\t",
    b"-",
    b"0",
]
BYTES += [
    b"1e999",
    b"nan",
    b"NaN",
    b"inf",
    b"-0",
    b"9" * 400,
    b"\xc3\x28",
    b"\xed\xa0\x80",
    "ü".encode(),
    b"()",
    b"{}",
]


def damaged_bytes(data: bytes, random: random.Random, pieces: Sequence[bytes] = ()) -> bytes:
    """Change a few places: bits, pieces put in or taken out, parts repeated, moved or cut off."""
    result = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 3, 6])):
        start = random.randrange(len(result) + 1)
        end = min(len(result), start + random.choice([0, 1, 1, 2, 4, 16, 200]))
        kind = random.randrange(7)
        if kind == 0 and start < len(result):
            result[start] ^= 1 << random.randrange(8)
        elif kind == 1:
            result[start:end] = bytes(random.randrange(256) for _ in range(random.choice([1, 2, 8])))
        elif kind == 2:
            result[start:end] = random.choice([*BYTES, *pieces])
        elif kind == 3:
            result[start:start] = bytes(result[start:end]) * random.choice([1, 2, 50])
        elif kind == 4:
            del result[start:end]
        elif kind == 5:
            other = random.randrange(len(result) + 1)
            result[start:start] = result[other : other + random.choice([1, 8, 60])]
        elif random.random() < 0.3:
            del result[start:]
    return bytes(result)


def damaged_state(state: Any, random: random.Random) -> Any:
    """A copy of nested values with one to three of them changed, taken out, doubled or swapped."""
    result = copy.deepcopy(state)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        places = list(_places(result))
        if not places:
            return result
        holder, key = random.choice(places)
        _damage(holder, key, random, places)
    return result


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in nested dicts and lists."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        yield value, key
        yield from _places(inner)


def _damage(holder: Any, key: Any, random: random.Random, places: list[tuple[Any, Any]]) -> None:
    value = holder[key]
    kind = random.randrange(6)
    if isinstance(value, np.ndarray) and random.random() < 0.7:
        holder[key] = _damaged_array(value, random)
    elif kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = random.choice([*NUMBERS, *VALUES, *ODD_VALUES])
    elif kind == 2:
        other, place = random.choice(places)
        holder[key] = copy.deepcopy(other[place])
    elif kind == 3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif kind == 4 and isinstance(value, list):
        holder[key] = random.choice([value[1:], value[:-1], value * 2, value[::-1]])
    else:
        holder[key] = _other_leaf(value, random)


def _other_leaf(value: Any, random: random.Random) -> Any:
    """A value of the same type, or nearly."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return random.choice([value + 1, -value, value * 2, float(value), *NUMBERS])
    if isinstance(value, str):
        return random.choice([value + "x", value[:-1], value.upper(), "", value * 3])
    return random.choice([*NUMBERS, *VALUES])


def _damaged_array(array: np.ndarray[Any, Any], random: random.Random) -> Any:
    kind = random.randrange(7)
    if kind == 0 and array.size:
        changed = array.copy()
        cell = random.choice([-1, 0, 1, 2**31, 1e300, math.nan, math.inf, -math.inf, 0.5])
        if changed.dtype.kind != "f" and not math.isfinite(cell):
            cell = -1
        with np.errstate(all="ignore"):
            changed.reshape(-1)[random.randrange(array.size)] = np.array(cell).astype(changed.dtype)
        return changed
    if kind == 1:
        return array.reshape(-1)
    if kind == 2:
        return array[..., :-1] if array.ndim else array.reshape(1)
    if kind == 3:
        return array[:0] if array.ndim else np.zeros((0,))
    if kind == 4:
        with np.errstate(all="ignore"):
            return array.astype(random.choice(["<f8", "<i8", "<u1", "<u4", "|b1"]))
    if kind == 5:
        return np.concatenate([array, array]) if array.ndim else np.stack([array, array])
    return array[None]
