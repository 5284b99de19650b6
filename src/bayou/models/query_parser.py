"""Queries written as text: ``lung, bronc | smoke=yes, 'chest x-ray'=abnormal``."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.typing import Name, State


def parse_question(network: FrozenNetwork, text: str) -> tuple[list[Name], dict[Name, State]]:
    """Return the targets before the bar and the findings after it; names and states may be quoted.

    A state is found by its text, whatever its type: ``rating=3`` finds the number 3.
    """
    parts = split_unquoted(text, "|")
    if len(parts) > 2:
        raise BadQuestion(f"{text!r} has more than one bar; write for example 'lung | smoke=yes'.")
    targets = [_name(network, piece, text) for piece in split_unquoted(parts[0], ",")]
    return targets, parse_findings(network, parts[1] if len(parts) == 2 else "", text)


def targets_and_findings(network: FrozenNetwork, targets: Any, given: Any) -> tuple[Any, Any]:
    """Return targets and findings; ``targets`` may be a query as text, whose findings join ``given``."""
    if not isinstance(targets, str) or targets in network.schema or not set("|,") & set(targets):
        return targets, given
    names, found = parse_question(network, targets)
    for name in given or {}:
        if name in found:
            raise BadQuestion(f"{name!r} is given in {targets!r} and in given=; give it once.")
    return names, {**found, **(given or {})}


def parse_findings(network: FrozenNetwork, found: str, text: str | None = None) -> dict[Name, State]:
    """Parse findings such as ``smoke=yes, dysp=no``; empty text has no findings.

    ``text`` is what errors quote, by default ``found`` itself.
    """
    text = found if text is None else text
    given: dict[Name, State] = {}
    for piece in split_unquoted(found, ",") if found.strip() else []:
        sides = split_unquoted(piece, "=")
        if len(sides) != 2:
            raise BadQuestion(f"{text!r}: expected variable=state, found {piece.strip()!r}.")
        name = _name(network, sides[0], text)
        if name in given:
            raise BadQuestion(f"{text!r} gives {name!r} twice.")
        given[name] = typed_state(network.schema[name], _unquoted(sides[1]))
    return given


def split_unquoted(text: str, sign: str) -> list[str]:
    """Split at every ``sign`` that is not inside quotes.

    >>> split_unquoted("a, 'b, c'", ",")
    ['a', " 'b, c'"]
    """
    pieces, quote = [""], ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == sign:
            pieces.append("")
            continue
        pieces[-1] += letter
    if quote:
        raise BadQuestion(f"{text!r}: the quote {quote} is not closed.")
    return pieces


def typed_state(variable: Variable, text: str) -> State:
    """Return the state that a text means: the text itself if it is a state, else one printed like it."""
    if variable.is_continuous or variable.place(text) is not None:
        return text
    alike = [state for state in variable.states if str(state) == text]
    return alike[0] if len(alike) == 1 else variable.states[variable.code(text)]


def _name(network: FrozenNetwork, piece: str, text: str) -> Name:
    """Return the variable that a piece of the query names; ``text`` is the query that errors quote."""
    if not piece.strip():
        raise BadQuestion(f"{text!r}: a variable's name is missing; write for example 'lung | smoke=yes'.")
    name = _unquoted(piece)
    alike = [known for known in network.schema.names if str(known) == name]
    return alike[0] if len(alike) == 1 else network.schema[name].name


def _unquoted(piece: str) -> str:
    bare = piece.strip()
    if len(bare) >= 2 and bare[0] == bare[-1] and bare[0] in "'\"":
        return bare[1:-1]
    return bare
