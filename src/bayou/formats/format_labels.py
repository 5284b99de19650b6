"""Typed names and states in formats that only have text: distinct texts, and notes with the typed values.

A format writes each name and state as a text that it allows. Where that text is not the value itself (a
number, or a name with a blank in a format of identifiers), a note beside it records the value with its type;
other programs ignore the note, bayou's reader takes the value from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar
from urllib.parse import quote, unquote

from bayou.errors import BadFile, BadVariable
from bayou.schema import Interval, Variable, label
from bayou.typing import Name, State

NAME_NOTE = "bayou_name"
STATES_NOTE = "bayou_states"
ORDERED_NOTE = "bayou_ordered"
NOTES = (NAME_NOTE, STATES_NOTE, ORDERED_NOTE)

Spelling = Callable[[str], str]
"""A function that returns a text as the format spells it: the text itself if it is allowed, else another."""

_KINDS: dict[type, str] = {str: "text", bool: "truth", int: "int", float: "float", Interval: "interval"}
_Typed = TypeVar("_Typed")


def as_it_is(text: str) -> str:
    """The spelling of a format that allows every text."""
    return text


def is_recordable(value: State) -> bool:
    """Whether the type of a value can be noted: text, a number, a truth value or an interval.

    >>> is_recordable(1), is_recordable("1"), is_recordable((1, 2))
    (True, True, False)
    """
    return type(value) in _KINDS


def distinct_texts(values: Iterable[State], spelling: Spelling = as_it_is) -> list[str]:
    """Return the values as distinct texts; a text that the format allows is not changed.

    >>> distinct_texts([1, "1", True, "yes"])
    ['1_2', '1', 'True', 'yes']
    """
    values = list(values)
    spelt = [spelling(label(value)) for value in values]
    taken = {text for value, text in zip(values, spelt, strict=True) if value == text}
    numbers: dict[str, int] = {}
    texts: list[str] = []
    for value, base in zip(values, spelt, strict=True):
        text = base
        if not isinstance(value, str) or value != base:
            number = numbers.get(base, 2)
            while text in taken:
                text = f"{base}_{number}"
                number += 1
            numbers[base] = number
            taken.add(text)
        texts.append(text)
    return texts


def typed_note(values: Sequence[State]) -> str:
    """Return values with their types, in characters that are safe in every format.

    >>> typed_note([1, "a b", True])
    'int:1 text:a%20b truth:True'
    """
    exact = ((value.notation if isinstance(value, Interval) else label(value), value) for value in values)
    return " ".join(f"{_KINDS[type(value)]}:{quote(text, safe='')}" for text, value in exact)


def values_from_note(note: str) -> list[State]:
    """Return the values that :func:`typed_note` wrote; a ValueError for any other text.

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
    if kind == "interval":
        return Interval.from_notation(text)
    if kind == "truth" and text in ("True", "False"):
        return text == "True"
    raise ValueError(f"{word!r} is not a typed value such as int:1 or text:yes")


def notes_of(variable: Variable, name_text: str, state_texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (key, note) for what the texts of a variable's name and states cannot express.

    >>> list(notes_of(Variable("a b", [1, 2], ordered=True), "a_b", ["1", "2"]))
    [('bayou_name', 'text:a%20b'), ('bayou_states', 'int:1 int:2'), ('bayou_ordered', 'true')]
    """
    if variable.name != name_text:
        yield NAME_NOTE, typed_note([variable.name])
    if list(variable.states) != list(state_texts):
        yield STATES_NOTE, typed_note(variable.states)
    if variable.ordered:
        yield ORDERED_NOTE, "true"


def noted_variable(
    name: str,
    states: Sequence[str],
    notes: Mapping[str, str],
    source: object,
    texts_of: Callable[[Sequence[State]], list[str]] = distinct_texts,
) -> Variable:
    """Return the variable that texts and notes describe; a note that does not fit its text is refused."""
    typed_name: Name = name
    typed_states: Sequence[State] = states
    if NAME_NOTE in notes:
        typed_name = _from_note(notes[NAME_NOTE], NAME_NOTE, name, source, _only)
    if STATES_NOTE in notes:
        typed_states = _from_note(notes[STATES_NOTE], STATES_NOTE, name, source, list)
        if texts_of(typed_states) != list(states):
            raise BadFile.at(
                source, f"the property {STATES_NOTE} of {name!r} does not fit its list of states."
            )
    try:
        return Variable(typed_name, typed_states, ordered=notes.get(ORDERED_NOTE) == "true")
    except BadVariable as error:
        raise BadFile.at(source, str(error)) from None


def check_names(texts: Sequence[str], names: Sequence[Name], source: object) -> None:
    """Refuse noted names that do not fit their texts, or of which two are equal in Python."""
    if list(names) == list(texts):
        return
    if distinct_texts(names) != list(texts):
        raise BadFile.at(source, f"the properties {NAME_NOTE} do not fit the names of the variables.")
    if len(set(names)) != len(names):
        raise BadFile.at(source, "two variables have names that are equal in Python, such as 1 and True.")


def _from_note(
    note: str, key: str, name: str, source: object, convert: Callable[[list[State]], _Typed]
) -> _Typed:
    try:
        return convert(values_from_note(note))
    except ValueError as error:
        raise BadFile.at(source, f"the property {key} of {name!r} cannot be read: {error}.") from None


def _only(values: list[State]) -> State:
    if len(values) != 1:
        raise ValueError(f"expected one value, found {len(values)}")
    return values[0]
