"""Queries written as text: ``P(lung, bronc | smoke=yes, 'chest x-ray' != normal, do(asia=no))``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bayou.errors import BadQuestion
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label, labelled
from bayou.typing import FloatArray, Name, State

EXAMPLE = "lung | smoke=yes"
_LARGEST_EXACT = 2**53
"""Above it different whole numbers become the same float, so a match by value could be wrong."""
_COMPARISON = re.compile(r"!=|≠|==|=|(?<![\w])(?:not\s+)?in(?=[\s{(\[])")


class SetFinding(NamedTuple):
    """A finding that leaves several states possible: ``Rain!=no``, ``Rating in {3, 4}``."""

    weights: FloatArray
    """1 for each state that is possible, 0 for the others."""
    text: str


class QueryText(NamedTuple):
    """What a query says: targets, findings, interventions, and findings of several states."""

    targets: list[Name]
    given: dict[Name, State]
    do: dict[Name, State]
    sets: dict[Name, SetFinding]


def is_query_text(network: FrozenNetwork, targets: Any) -> bool:
    """Whether the targets of a query are a query as text, parsed or not, and not the name of a variable."""
    if isinstance(targets, QueryText):
        return True
    return isinstance(targets, str) and targets not in network.schema and bool(set("|,()=≠") & set(targets))


def parse_question(network: FrozenNetwork, text: str) -> QueryText:
    """Parse the targets before the bar and the findings after it; names and states may be quoted.

    ``P(…)`` around it may be left out. A state is found by its text, whatever its type: ``rating=3`` finds
    the number 3. Text that is exactly the name of a variable is that variable.
    """
    exact = [name for name in network.schema.names if str(name) == text]
    if len(exact) == 1:
        return QueryText(exact, {}, {}, {})
    bare = text.strip()
    if re.match(r"P\s*\(", bare) and bare.endswith(")") and _closes_at_end(bare):
        bare = bare[bare.index("(") + 1 : -1]
    parts = split_unquoted(bare, "|")
    if len(parts) > 2:
        raise BadQuestion(f"{text!r} has more than one bar; write for example {EXAMPLE!r}.")
    targets = [_target(network, piece, text) for piece in split_unquoted(parts[0], ",")]
    findings = parse_findings(network, parts[1] if len(parts) == 2 else "", text)
    return findings._replace(targets=targets)


def parse_findings(network: FrozenNetwork, found: str, text: str | None = None) -> QueryText:
    """Parse findings such as ``smoke=yes, dysp!=no, age in {30, 40}, do(asia=no)``; empty text has none.

    ``text`` is what errors quote, by default ``found`` itself.
    """
    text = found if text is None else text
    parsed = QueryText([], {}, {}, {})
    for piece in split_unquoted(found, ",") if found.strip() else []:
        bare = piece.strip()
        inside = re.fullmatch(r"do\s*\((.*)\)", bare, re.DOTALL)
        if inside is None:
            _add_finding(network, bare, text, parsed)
            continue
        set_by_hand = parse_findings(network, inside[1], text)
        if set_by_hand.do or set_by_hand.sets or not set_by_hand.given:
            raise BadQuestion(f"{text!r}: do(…) sets variables to one state each, such as do(smoke=no).")
        for name, state in set_by_hand.given.items():
            _refuse_again(name, text, parsed)
            parsed.do[name] = state
    return parsed


def _add_finding(network: FrozenNetwork, piece: str, text: str, parsed: QueryText) -> None:
    """Parse one finding, ``name=state``, ``name!=state`` or ``name in {state, …}``, into ``parsed``."""
    found = _comparison(piece)
    if found is None:
        raise BadQuestion(f"{text!r}: expected variable=state, found {piece!r}.")
    sign, value = found[0].strip(), piece[found.end() :].strip()
    variable = network.schema[_name(network, piece[: found.start()], text)]
    _refuse_again(variable.name, text, parsed)
    if sign in ("=", "=="):
        if _comparison(value) is not None and variable.place(unquoted(value)) is None:
            raise BadQuestion(f"{text!r}: expected variable=state, found {piece!r}.")
        parsed.given[variable.name] = typed_state(variable, value)
        return
    if variable.is_continuous:
        raise BadQuestion(f"{text!r}: {variable.name!r} has no states; give a value of it with =.")
    excluded = sign in ("!=", "≠") or sign.startswith("not")
    listed = [value] if sign in ("!=", "≠") else _listed(value, text)
    codes = [variable.code(typed_state(variable, item)) for item in listed]
    weights = np.full(variable.cardinality, float(excluded))
    weights[codes] = float(not excluded)
    states = [label(variable.states[code]) for code in codes]
    shown = f"≠{states[0]}" if sign in ("!=", "≠") else f" {sign} {{{', '.join(states)}}}"
    parsed.sets[variable.name] = SetFinding(weights, f"{label(variable.name)}{shown}")


def _refuse_again(name: Name, text: str, parsed: QueryText) -> None:
    if name in parsed.given or name in parsed.do or name in parsed.sets:
        raise BadQuestion(f"{text!r} gives {name!r} twice.")


def _comparison(piece: str) -> re.Match[str] | None:
    """The first sign of comparison that is not inside quotes."""
    hidden = re.sub(r"'[^']*'|\"[^\"]*\"", lambda quoted: "\0" * len(quoted[0]), piece)
    found = _COMPARISON.search(hidden)
    return None if found is None else _COMPARISON.match(piece, found.start())


def _listed(value: str, text: str) -> list[str]:
    """The items of a list in brackets."""
    items = split_unquoted(value[1:-1], ",") if value[:1] + value[-1:] in ("{}", "[]", "()") else []
    if not items or not all(item.strip() for item in items):
        raise BadQuestion(f"{text!r}: after 'in' list the states in braces, such as rating in {{3, 4}}.")
    return items


def split_unquoted(text: str, sign: str) -> list[str]:
    """Split at every ``sign`` that is neither inside quotes nor inside brackets that are closed.

    >>> split_unquoted("a, 'b, c', do(d=e, f=g)", ",")
    ['a', " 'b, c'", ' do(d=e, f=g)']
    """
    pieces, quote, inside = [""], "", _bracketed(text)
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == sign and place not in inside:
            pieces.append("")
            continue
        pieces[-1] += letter
    if quote:
        raise BadQuestion(f"{text!r}: the quote {quote} is not closed.")
    return pieces


def _bracketed(text: str) -> set[int]:
    """The places of the letters inside brackets that are closed; quoted brackets do not count."""
    hidden = re.sub(r"'[^']*'|\"[^\"]*\"", lambda quoted: "\0" * len(quoted[0]), text)
    inside: set[int] = set()
    opened: list[tuple[int, str]] = []
    for place, letter in enumerate(hidden):
        if letter in "({[":
            opened.append((place, {"(": ")", "{": "}", "[": "]"}[letter]))
        elif opened and letter == opened[-1][1]:
            start, _ = opened.pop()
            inside.update(range(start + 1, place))
    return inside


def _closes_at_end(text: str) -> bool:
    """Whether the first bracket of a text is closed by its last letter."""
    return {*range(text.index("(") + 1, len(text) - 1)} <= _bracketed(text)


def typed_state(variable: Variable, text: str) -> State:
    """Return the state that a text means: the text itself if it is a state, else one printed or equal to it.

    A number finds the state of the same value, unless it is in quotes; for a continuous variable it is the
    value.

    >>> rating = Variable("R", [1, 2, 3])
    >>> typed_state(rating, "3"), typed_state(rating, "3.0"), typed_state(Variable("x"), " 1.50")
    (3, 3, 1.5)
    """
    number = number_from_text(variable, text)
    if number is not None:
        return number
    bare = unquoted(text)
    if variable.is_continuous or variable.place(bare) is not None:
        return bare
    alike = [state for state in variable.states if str(state) == bare]
    return alike[0] if len(alike) == 1 else variable.states[variable.code(bare)]


def number_from_text(variable: Variable, text: str) -> State | None:
    """Return the number that a text means: a value of a continuous variable, or the state of equal value.

    None if the text is not a number, if it is exactly the text of a state, and for a variable of texts.

    >>> number_from_text(Variable("R", [1, 2, 3]), "3.0"), number_from_text(Variable("x"), " 1.50")
    (3, 1.5)
    """
    if variable.is_text:
        return None
    bare = unquoted(text) if variable.is_continuous else text.strip()
    try:
        number = float(bare)
    except ValueError:
        return None
    if variable.is_continuous:
        return number if math.isfinite(number) else None
    if any(str(state) == bare for state in variable.states) or abs(number) > _LARGEST_EXACT:
        return None
    return next((s for s in variable.states if type(s) in (int, float) and s == number), None)


def _target(network: FrozenNetwork, piece: str, text: str) -> Name:
    """Return the variable that is asked for; ``Storm=yes`` before the bar is refused with a remedy."""
    sides = split_unquoted(piece, "=")
    names = {str(name) for name in network.schema.names}
    if len(sides) == 2 and unquoted(piece) not in names and unquoted(sides[0]) in names:
        raise BadQuestion(
            f"{text!r}: name the variable alone before the bar, {unquoted(sides[0])!r}; the answer has the "
            f"probability of each of its states, also of {unquoted(sides[1])!r}."
        )
    return _name(network, piece, text)


def _name(network: FrozenNetwork, piece: str, text: str) -> Name:
    """Return the variable that a piece of the query names; ``text`` is the query that errors quote."""
    if not piece.strip():
        raise BadQuestion(f"{text!r}: a variable's name is missing; write for example {EXAMPLE!r}.")
    name = unquoted(piece)
    alike = [known for known in network.schema.names if str(known) == name]
    return alike[0] if len(alike) == 1 else network.schema[name].name


def unquoted(piece: str) -> str:
    """Remove the blanks and quotes around a word."""
    bare = piece.strip()
    if len(bare) >= 2 and bare[0] == bare[-1] and bare[0] in "'\"":
        return bare[1:-1]
    return bare


def joined_findings(found: Mapping[Name, State], argument: Any, where: str, parsed: QueryText) -> Any:
    """Join findings of a query as text with those of the argument ``where``; none may be given twice."""
    if argument is None:
        return found or None
    given = labelled(argument)
    if not isinstance(given, Mapping):
        return given  # refused later, with the name of the argument
    for name in given:
        if name in parsed.given or name in parsed.do or name in parsed.sets:
            raise BadQuestion(f"{name!r} is given in the query's text and in {where}=; give it once.")
    return {**found, **given}
