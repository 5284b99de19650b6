"""Edits as people type them: ``add-arc asia -> lung``, ``set-row lung | smoke=yes: 0.2, 0.8``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING

from bayou.cli.argument_parsing import findings_from_text, known_name, known_names, states_from_text
from bayou.errors import BadQuestion
from bayou.suggestions import did_you_mean
from bayou.text.quotes import quotes_hidden, split_unquoted, unquoted

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.typing import Name, State


def apply_edit(net: Network, text: str) -> None:
    """Make one edit; what cannot be read or done is an error that names it, and the network stays as it was.

    >>> import bayou
    >>> net = bayou.examples.rain_and_wet_grass()
    >>> apply_edit(net, "rename-node WetGrass: 'wet grass'")
    >>> apply_edit(net, "set-row 'wet grass' | Rain=yes: 1/10, 90%")
    >>> net.cpt("wet grass")["yes", "yes"]
    0.9
    """
    word, _, rest = text.strip().partition(" ")
    if word not in _EDITS:
        close = did_you_mean(word, list(_EDITS))
        raise BadQuestion(f"There is no edit {word!r}.{close} The edits are: {', '.join(_EDITS)}.")
    act, example = _EDITS[word]
    try:
        act(net, rest)
    except _Unreadable:
        raise BadQuestion(f'{text!r} cannot be read; write for example "{word} {example}".') from None


class _Unreadable(Exception):
    """A text that does not have the form of its edit."""


def _halves(text: str, sign: str) -> tuple[str, str]:
    """The two parts of a text beside a sign; neither may be empty."""
    pieces = split_unquoted(text, sign)
    if len(pieces) != 2 or not all(map(unquoted, pieces)):
        raise _Unreadable
    return pieces[0], pieces[1]


def _one(net: Network, text: str) -> Name:
    if not unquoted(text):
        raise _Unreadable
    return known_name(net, text)


def _arc(net: Network, text: str) -> tuple[Name, Name]:
    place = quotes_hidden(text).find("->")
    if place < 0:
        raise _Unreadable
    return _one(net, text[:place]), _one(net, text[place + 2 :])


def _states(text: str) -> list[State]:
    """Typed states: whole numbers are numbers, quotes make them text."""
    return states_from_text([f"states={text}"])["states"]


def _one_state(text: str) -> State:
    """One typed state; two, or an empty text, are not read."""
    if not all(map(unquoted, split_unquoted(text, ","))) or len(found := _states(text)) != 1:
        raise _Unreadable
    return found[0]


def _known_state(net: Network, name: Name, text: str) -> State:
    from bayou.models.query_parser import typed_state

    return typed_state(net.variables[name], text)


def _add_node(net: Network, text: str) -> None:
    told, *parents = split_unquoted(text, "|")
    if len(parents) > 1:
        raise _Unreadable
    name, states = _halves(told, ":")
    if not all(map(unquoted, split_unquoted(states, ","))):
        raise _Unreadable
    net.add_node(unquoted(name), _states(states), known_names(net, "".join(parents)), table="uniform")


def _rename_node(net: Network, text: str) -> None:
    old, new = _halves(text, ":")
    net.rename_node(_one(net, old), unquoted(new))


def _add_state(net: Network, text: str) -> None:
    name, state = _halves(text, ":")
    net.add_state(_one(net, name), _one_state(state))


def _rename_state(net: Network, text: str) -> None:
    given, change = _halves(text, ":")
    old, new = _halves(change, "=")
    name = _one(net, given)
    net.rename_state(name, _known_state(net, name, old), _one_state(new))


def _remove_state(net: Network, text: str) -> None:
    given, state = _halves(text, ":")
    name = _one(net, given)
    net.remove_state(name, _known_state(net, name, state))


def _set_row(net: Network, text: str) -> None:
    told, numbers = _halves(text, ":")
    pieces = split_unquoted(told, "|")
    name = _one(net, pieces[0])
    given = findings_from_text(net, pieces[1:]).given
    net.set_row(name, [_number(piece) for piece in numbers.replace(",", " ").split()], given or None)


def _number(text: str) -> float:
    """A number, a fraction or a percentage."""
    bare, percent, rest = text.partition("%")
    try:
        found = float(Fraction(bare)) if "/" in bare else float(bare)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise _Unreadable from None
    if rest or not isfinite(found):
        raise _Unreadable
    return found / (100 if percent else 1)


_EDITS: dict[str, tuple[Callable[[Network, str], object], str]] = {
    "add-node": (_add_node, "fever: no, yes | flu"),
    "remove-node": (lambda net, text: net.remove_node(_one(net, text)), "fever"),
    "absorb-node": (lambda net, text: net.absorb_node(_one(net, text)), "fever"),
    "rename-node": (_rename_node, "fever: temperature"),
    "add-arc": (lambda net, text: net.add_arc(*_arc(net, text)), "flu -> fever"),
    "remove-arc": (lambda net, text: net.remove_arc(*_arc(net, text)), "flu -> fever"),
    "reverse-arc": (lambda net, text: net.reverse_arc(*_arc(net, text)), "flu -> fever"),
    "add-state": (_add_state, "fever: high"),
    "rename-state": (_rename_state, "fever: yes=low"),
    "remove-state": (_remove_state, "fever: high"),
    "set-row": (_set_row, "fever | flu=yes: 0.2, 0.8"),
}
"""The edits by their first word, and what may follow it."""
