"""Queries written as text: ``lung, bronc | smoke=yes, 'chest x-ray'=abnormal``."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.typing import Name, State


def parse_question(network: FrozenNetwork, text: str) -> tuple[list[Name], dict[Name, State]]:
    """The targets before the bar and the findings after it; names and states may be quoted.

    States are matched to the variable's own, whatever their type: ``rating=3`` finds the number 3.
    """
    parts = split_unquoted(text, "|")
    if len(parts) > 2:
        raise BadQuestion(f"{text!r} has more than one bar; write for example 'lung | smoke=yes'.")
    targets = [_name(network, piece, text) for piece in split_unquoted(parts[0], ",")]
    return targets, parse_findings(network, parts[1] if len(parts) == 2 else "", text)


def targets_and_findings(network: FrozenNetwork, targets: Any, given: Any) -> tuple[Any, Any]:
    """Targets and findings, where the targets may be a whole query as text; findings of both are merged."""
    if not isinstance(targets, str) or targets in network.schema or not set("|,") & set(targets):
        return targets, given
    names, found = parse_question(network, targets)
    for name in given or {}:
        if name in found:
            raise BadQuestion(f"{targets!r} gives {name!r}, and so does given=; name it in one place.")
    return names, {**found, **(given or {})}


def parse_findings(network: FrozenNetwork, found: str, text: str | None = None) -> dict[Name, State]:
    """Findings such as ``smoke=yes, dysp=no`` (nothing at all is fine)."""
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
        raise BadQuestion(f"{text!r}: a quote {quote} is not closed.")
    return pieces


def typed_state(variable: Variable, text: str) -> State:
    """The state that a piece of text means: the text itself, else the state that prints so."""
    if variable.is_continuous or variable.place(text) is not None:
        return text
    alike = [state for state in variable.states if str(state) == text]
    return alike[0] if len(alike) == 1 else variable.states[variable.code(text)]


def _name(network: FrozenNetwork, piece: str, text: str) -> Name:
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
