"""Queries written as text: ``P(lung, bronc | smoke=yes, 'chest x-ray' != normal, do(asia=no))``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from bayou.errors import BadQuestion, UnknownVariable
from bayou.models.set_findings import SetFinding, both, finding_of_codes
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label, labelled
from bayou.text.quotes import closes_at_end, quotes_hidden, split_unquoted, unquoted
from bayou.typing import Name, State

EXAMPLE = "lung | smoke=yes"
_SPELLING = "A query is written like P(lung, bronc | smoke=yes, xray!=no, age in {30, 40}, do(asia=no))."
_LARGEST_EXACT = 2**53
"""Above it different whole numbers become the same float, so a match by value could be wrong."""
_COMPARISON = re.compile(r"!=|≠|==|=|(?<![\w])(?:not\s+)?in(?=[\s{(\[])")
_PROBABILITY = re.compile(r"(?:[Pp]|Pr|pr|PR|Prob|prob)\s*\(")
_WORDS = re.compile(r"[|,()=≠;&<>]|\b(?:given|and|if)\b")
"""What no plain name has: signs and words of a query that is written in another way."""
_ENDS_IN_DIGITS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})*$")
_GOES_ON = re.compile(r"\d{3}(?!\d)")


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

    ``P(…)`` around it or around the targets may be left out, and ``p`` and ``Pr`` mean the same. A state is
    found by its text, whatever its type: ``rating=3`` finds the number 3. Text that is exactly the name of a
    variable is that variable.
    """
    exact = [name for name in network.schema.names if str(name) == text]
    if len(exact) == 1:
        return QueryText(exact, {}, {}, {})
    before, *after = split_unquoted(_inside_p(text), "|")
    before, *more = split_unquoted(_asked(network, before), "|")
    if len(after) + len(more) > 1:
        raise BadQuestion(f"{text!r} has more than one bar; write for example {EXAMPLE!r}.")
    pieces = split_unquoted(before, ",")
    targets = [_target(network, _asked(network, piece), text) for piece in pieces]
    findings = parse_findings(network, "".join([*more, *after]), text)
    return findings._replace(targets=targets)


def _asked(network: FrozenNetwork, piece: str) -> str:
    """What is asked for: the text inside ``P(…)``, unless that is the name of a variable."""
    return piece if _is_name(network, piece) else _inside_p(piece)


def _inside_p(text: str) -> str:
    """Return the text inside ``P(…)``, ``p(…)`` or ``Pr(…)``; any other text unchanged."""
    bare = text.strip()
    return bare[bare.index("(") + 1 : -1] if _PROBABILITY.match(bare) and closes_at_end(bare) else text


def parse_findings(network: FrozenNetwork, found: str, text: str | None = None) -> QueryText:
    """Parse findings such as ``smoke=yes, dysp!=no, age in {30, 40}, do(asia=no)``; empty text has none.

    ``text`` is what errors quote, by default ``found`` itself.
    """
    text = found if text is None else text
    parsed = QueryText([], {}, {}, {})
    for piece in _separated(found) if found.strip() else []:
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


def _separated(found: str) -> list[str]:
    """Return the findings between commas; in ``price=$1,200`` the comma belongs to the number."""
    pieces: list[str] = []
    for piece in split_unquoted(found, ","):
        goes_on = pieces and _GOES_ON.match(piece) and _comparison(piece) is None
        if goes_on and _ENDS_IN_DIGITS.search(pieces[-1]):
            pieces[-1] += f",{piece}"
        else:
            pieces.append(piece)
    return pieces


def _add_finding(network: FrozenNetwork, piece: str, text: str, parsed: QueryText) -> None:
    """Parse one finding, ``name=state``, ``name!=state`` or ``name in {state, …}``, into ``parsed``."""
    found = _comparison(piece)
    if found is None:
        raise _no_finding(network, piece, text)
    sign, value = found[0].strip(), piece[found.end() :].strip()
    variable = network.schema[_name(network, piece[: found.start()], text)]
    equals = sign in ("=", "==")
    _refuse_again(variable.name, text, parsed, also_sets=equals)
    if equals:
        if _comparison(value) is not None and variable.place(unquoted(value)) is None:
            raise _no_finding(network, piece, text)
        parsed.given[variable.name] = typed_state(variable, value)
        return
    if variable.is_continuous:
        raise BadQuestion(f"{text!r}: {variable.name!r} has no states; give a value of it with =.")
    excluded = sign in ("!=", "≠") or sign.startswith("not")
    listed = [value] if sign in ("!=", "≠") else _listed(value, text)
    codes = [variable.code(typed_state(variable, item)) for item in listed]
    fresh = finding_of_codes(variable, codes, excluded, f"{text!r}")
    parsed.sets[variable.name] = both(variable.name, parsed.sets.get(variable.name), fresh)


def _no_finding(network: FrozenNetwork, piece: str, text: str) -> BadQuestion:
    """The error for a finding that cannot be read, with the right spelling."""
    problem = f"{text!r}: expected variable=state, found {piece!r}."
    if not _is_name(network, piece):
        return BadQuestion(f"{problem} {_SPELLING}")
    variable = network.schema[_name(network, piece, text)]
    value = label(variable.states[0]) if variable.states else "a text" if variable.is_text else "1.5"
    return BadQuestion(f"{problem} Say which value it has, for example {piece.strip()}={value}.")


def _refuse_again(name: Name, text: str, parsed: QueryText, also_sets: bool = True) -> None:
    if name in parsed.given or name in parsed.do or (also_sets and name in parsed.sets):
        raise BadQuestion(
            f"{text!r} gives {name!r} twice; give it once. (Several states may be possible: "
            f"{label(name)} in {{…}}, or {label(name)}!=….)"
        )


def _comparison(piece: str) -> re.Match[str] | None:
    """The first sign of comparison that is not inside quotes."""
    found = _COMPARISON.search(quotes_hidden(piece))
    return None if found is None else _COMPARISON.match(piece, found.start())


def _listed(value: str, text: str) -> list[str]:
    """The items of a list in brackets."""
    items = split_unquoted(value[1:-1], ",") if value[:1] + value[-1:] in ("{}", "[]", "()") else []
    if not items or not all(item.strip() for item in items):
        raise BadQuestion(f"{text!r}: after 'in' list the states in braces, such as rating in {{3, 4}}.")
    return items


def typed_state(variable: Variable, text: str) -> State:
    """Return the state that a text means: the text itself if it is a state, else one printed or equal to it.

    A number finds the state of the same value, unless it is in quotes; for a continuous variable it is the
    value, in any way that a table may spell it.

    >>> rating = Variable("R", [1, 2, 3])
    >>> typed_state(rating, "3"), typed_state(rating, "3.0"), typed_state(Variable("x"), "$1,200")
    (3, 3, 1200.0)
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
    if variable.is_continuous:
        from bayou.schema.spelled_values import quantity_spelled

        quantity = quantity_spelled(unquoted(text))
        return quantity if quantity is not None and math.isfinite(quantity) else None
    bare = text.strip()
    try:
        number = float(bare)
    except ValueError:
        return None
    if any(str(state) == bare for state in variable.states) or abs(number) > _LARGEST_EXACT:
        return None
    return next((s for s in variable.states if type(s) in (int, float) and s == number), None)


def _target(network: FrozenNetwork, piece: str, text: str) -> Name:
    """Return the variable that is asked for; ``Storm=yes`` before the bar is refused with a remedy."""
    found = None if _is_name(network, piece) else _comparison(piece)
    if found is not None and _is_name(network, piece[: found.start()]):
        name, states = unquoted(piece[: found.start()]), unquoted(piece[found.end() :])
        raise BadQuestion(
            f"{text!r}: name the variable alone before the bar, {name!r}; the answer has the "
            f"probability of each of its states, also of {states!r}."
        )
    return _name(network, piece, text)


def _name(network: FrozenNetwork, piece: str, text: str) -> Name:
    """Return the variable that a piece of the query names; ``text`` is the query that errors quote."""
    if not piece.strip():
        raise BadQuestion(f"{text!r}: a variable's name is missing; write for example {EXAMPLE!r}.")
    name = unquoted(piece)
    alike = [known for known in network.schema.names if str(known) == name]
    if len(alike) == 1:
        return alike[0]
    try:
        return network.schema[name].name
    except UnknownVariable as error:
        if not _WORDS.search(name):
            raise
        raise UnknownVariable(f"{error} {_SPELLING}") from None


def _is_name(network: FrozenNetwork, piece: str) -> bool:
    """Whether a piece of a query is the name of a variable."""
    return unquoted(piece) in {str(name) for name in network.schema.names}


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
