"""Findings about one variable as the text of a cell, and back."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayou.errors import BadData, UnknownState
from bayou.models.set_findings import Not, is_set
from bayou.schema import Variable, state_labels
from bayou.schema.spelled_values import quantity_spelled
from bayou.sources.files.case_text import UNKNOWN, set_in
from bayou.typing import State

_SPECIAL = tuple('{}[],~*?"')
_LARGEST = sys.float_info.max


@dataclass(frozen=True)
class CaseColumn:
    """A variable and how a file writes it: the name of its column, and the text of each state.

    ``holds_all``: the file has a place for likelihoods and do(), too.
    """

    variable: Variable
    name: str
    texts: Sequence[str]
    holds_all: bool

    @classmethod
    def plain(cls, variable: Variable, name: str) -> CaseColumn:
        """The column of a file that takes any text; states that could be misread are in quotes."""
        return cls(variable, name, [_safe(text) for text in state_labels(variable.states)], True)

    def cell(self, given: Any) -> str:
        """A finding as text: a state, a number, several states (``{a, b}``), or excluded ones (``~a``).

        >>> column = CaseColumn.plain(Variable("x", ["a", "b", "c"]), "x")
        >>> column.cell("a"), column.cell({"a", "b"}), column.cell(Not("c")), column.cell(Not("a", "b"))
        ('a', '{a, b}', '~c', '~{a, b}')
        """
        variable = self.variable
        if is_set(variable, given):
            states = given.states if isinstance(given, Not) else given
            codes = sorted(variable.code(state) for state in states)
            inner = ", ".join(self.texts[code] for code in codes)
            if isinstance(given, Not):
                return f"~{inner}" if len(codes) == 1 else f"~{{{inner}}}"
            return f"{{{inner}}}"
        if variable.is_continuous:
            return repr(_finite(given))
        return self.texts[variable.code(given)]

    def finding(self, cell: str) -> tuple[str, Any] | None:
        """What a cell says: the kind of the finding and its value; None if it says nothing.

        >>> column = CaseColumn.plain(Variable("x", [1, 2, 3]), "x")
        >>> column.finding("2"), column.finding("~{1, 3}"), column.finding("do(1)"), column.finding("*")
        (('given', 2), ('given', Not(1, 3)), ('do', 1), None)
        """
        if cell in UNKNOWN:
            return None
        if self.holds_all and cell.startswith("do(") and cell.endswith(")"):
            return "do", self._value(cell[3:-1])
        if self.holds_all and cell.startswith("["):
            return "likelihood", self._weights(cell)
        found = None if cell.startswith('"') else set_in(cell)
        if found is None:
            return "given", self._value(cell)
        states = [self._value(text) for text in found[0]]
        if not states or self.variable.is_continuous:
            raise BadData(f"{cell!r} names no states")
        return "given", Not(*states) if found[1] else frozenset(states)

    def _value(self, text: str) -> State:
        """The state or number that a text stands for."""
        text = text.strip()
        for known in self._places:
            if text in known:
                return self.variable.states[known[text]]
        plain = _unquoted(text)
        if self.variable.is_continuous:
            number = quantity_spelled(plain)
            return _finite(plain if number is None else number)
        code = self.variable.find(plain)
        if code is None:
            raise UnknownState.of(self.variable.name, plain, self.variable.states)
        return self.variable.states[code]

    @property
    def _places(self) -> list[Mapping[str, int]]:
        """The places of states by their texts: as this file writes them, then as people do."""
        labels = state_labels(self.variable.states)
        return [{text: place for place, text in enumerate(texts)} for texts in (self.texts, labels)]

    def _weights(self, cell: str) -> list[float]:
        try:
            weights = json.loads(cell)
        except ValueError:
            weights = None
        good = isinstance(weights, list) and all(type(one) in (int, float) for one in weights)
        if (
            not good
            or not all(0 <= one <= _LARGEST for one in weights)
            or len(weights) != self.variable.cardinality
            or not any(weights)
        ):
            raise BadData(
                f"{cell!r} is no list of weights; expected {self.variable.cardinality} numbers, such as "
                f"{[1] * self.variable.cardinality}"
            )
        return [float(one) for one in weights]


def _finite(value: Any) -> float:
    """A number that is neither infinite nor missing; anything else is an error that names it."""
    if isinstance(value, int | float) and abs(value) <= _LARGEST:
        return float(value)
    raise BadData(f"{value!r} is not a number")


def _safe(text: str) -> str:
    """A text that is read as itself: in quotes if it could be anything else."""
    odd = not text or text != text.strip() or text.startswith(("do(", "//", "'"))
    return json.dumps(text, ensure_ascii=False) if odd or any(sign in text for sign in _SPECIAL) else text


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, str) else text
