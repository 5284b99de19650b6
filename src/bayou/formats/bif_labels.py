"""Typed names and states in a format that only knows text: distinct texts, and a note of the types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

from bayou.schema import label
from bayou.typing import State

NAME_NOTE = "bayou_name"
STATES_NOTE = "bayou_states"
ORDERED_NOTE = "bayou_ordered"

_KINDS: dict[type, str] = {str: "text", bool: "truth", int: "int", float: "float"}


def is_recordable(value: State) -> bool:
    """Tell whether a value's type can be noted: text, a whole number, a float or a truth value.

    >>> is_recordable(1), is_recordable("1"), is_recordable((1, 2))
    (True, True, False)
    """
    return type(value) in _KINDS


def distinct_texts(values: Iterable[State]) -> list[str]:
    """The values as texts, no two alike; text itself never changes.

    >>> distinct_texts([1, "1", True, "yes"])
    ['1_2', '1', 'True', 'yes']
    """
    values = list(values)
    taken = {value for value in values if isinstance(value, str)}
    texts: list[str] = []
    for value in values:
        text = label(value)
        if not isinstance(value, str):
            number = 2
            while text in taken:
                text = f"{label(value)}_{number}"
                number += 1
            taken.add(text)
        texts.append(text)
    return texts


def typed_note(values: Sequence[State]) -> str:
    """Values with their types in characters that no BIF reader minds.

    >>> typed_note([1, "a b", True])
    'int:1 text:a%20b truth:True'
    """
    return " ".join(f"{_KINDS[type(value)]}:{quote(label(value), safe='')}" for value in values)


def values_from_note(note: str) -> list[State]:
    """The values that :func:`typed_note` wrote; a ValueError where the note is not one of its own.

    >>> values_from_note("int:1 text:a%20b truth:True")
    [1, 'a b', True]
    """
    return [_value_of(word) for word in note.split()]


def _value_of(word: str) -> State:
    kind, colon, encoded = word.partition(":")
    text = unquote(encoded, errors="strict")
    if colon and kind == "text":
        return text
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "truth" and text in ("True", "False"):
        return text == "True"
    raise ValueError(f"{word!r} is not a typed value such as int:1 or text:yes")
