"""The states of a node in Netica's text files: names, numbers (levels of a discrete node) or intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bayou.formats.families import TEXTS_NOTE, numbers_in
from bayou.formats.format_labels import STATES_NOTE, distinct_texts, typed_note
from bayou.formats.netica.dne_blocks import DneBlock
from bayou.formats.spelling import identifier
from bayou.schema import Cuts, Interval
from bayou.typing import State

LONGEST_NAME = 30
"""The most characters that Netica allows in a name."""
_MOST_STATES = 10_000
_INFINITE = {"INFINITY": math.inf, "+INFINITY": math.inf, "-INFINITY": -math.inf}


def dne_name(text: str) -> str:
    """A text as a name of Netica: an identifier of at most 30 characters.

    >>> dne_name("Business planning"), len(dne_name("x" * 99))
    ('Business_planning', 26)
    """
    word = identifier(text)
    return word if len(word) <= LONGEST_NAME else word[: LONGEST_NAME - 4]


@dataclass(frozen=True)
class NodeStates:
    """The texts of a node's states, and the notes from which their typed values are made."""

    texts: Sequence[str]
    notes: dict[str, str] = field(default_factory=dict)
    values: Sequence[float] = ()
    """The numbers of a discrete node's states, if it has them."""
    intervals: Sequence[Interval] = ()

    def of_number(self, number: float) -> str:
        """The text of the state that a number means: its value, or the interval that contains it."""
        for text, value in zip(self.texts, self.values, strict=False):
            if value == number:
                return text
        for text, one in zip(self.texts, self.intervals, strict=False):
            if one.lower <= number < one.upper or (one is self.intervals[-1] and number == one.upper):
                return text
        raise ValueError(f"has no state for the number {number:g}")


def states_of(node: DneBlock) -> NodeStates:
    """The states of a node; a ValueError says what is wrong with them."""
    names = [token.text for token in node.values["states"].tokens] if "states" in node.values else []
    levels = _levels(node)
    if node.word("discrete") == "FALSE":
        return _interval_states(node.name, names, levels)
    if not all(map(math.isfinite, levels)):
        raise ValueError("is discrete and has an infinite level; expected a number for each state")
    if names and levels and len(levels) != len(names):
        raise ValueError(f"has {len(names)} states and {len(levels)} levels; expected as many")
    if names:
        return NodeStates(names, values=levels)
    if levels:
        numbers: list[State] = [int(level) if level.is_integer() else level for level in levels]
        texts = distinct_texts(numbers, dne_name)
        return NodeStates(texts, {STATES_NOTE: typed_note(numbers)}, levels)
    count = node.word("numstates")
    if not count.isdecimal() or len(count) > 6 or not 0 < int(count) <= _MOST_STATES:
        raise ValueError("has no list of states")
    return NodeStates([f"s{number}" for number in range(int(count))])


def _levels(node: DneBlock) -> list[float]:
    if "levels" not in node.values:
        return []
    words = " ".join(token.text for token in node.values["levels"].tokens).split()
    levels: list[float] = []
    for word in words:
        number = numbers_in(word)
        if word not in _INFINITE and (number is None or len(number) != 1 or not math.isfinite(number[0])):
            raise ValueError(f"has the level {word!r}; expected a number")
        levels.append(_INFINITE[word] if number is None else float(number[0]))
    return levels


def _interval_states(name: str, names: list[str], levels: list[float]) -> NodeStates:
    if len(levels) < 2:
        raise ValueError(
            "is continuous and has no levels; discretise it in Netica (levels in its properties), save again"
        )
    if names and len(names) != len(levels) - 1:
        raise ValueError(f"has {len(names)} states and {len(levels)} levels; expected one level more")
    if any(lower >= upper for lower, upper in pairwise(levels)):
        raise ValueError("has levels that do not ascend")
    intervals = list(Cuts(levels[1:-1], low=levels[0], high=levels[-1]))
    notes = {STATES_NOTE: typed_note(intervals)}
    if not names:
        return NodeStates(distinct_texts(intervals, dne_name), notes, intervals=intervals)
    return NodeStates(names, {**notes, TEXTS_NOTE: typed_note([name, *names])}, intervals=intervals)
