"""Arcs between slices as text: ``Rain -> Rain'``, ``Rain[t-1] -> Rain[t]``.

A prime marks a later slice: ``X'`` is X one step later than ``X``, ``X''`` two steps later. Brackets say the
same with the newest slice as ``t``: ``X[t-2] -> X[t]``; a name without brackets beside one with them stands
for slice t.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bayou.errors import BadGraph
from bayou.graphs import Dag, dag_from
from bayou.graphs.arrows import parse_arrows
from bayou.typing import Name

PRIME = "'"
_MARK = "\u2032"
"""Stands for a prime in arrow text, in which ' begins a quoted name."""
_BRACKET = "\ue000"
"""Stands between a name and the number of steps that its bracket goes back."""
_BRACKETS = re.compile(r"\[\s*t\s*(?:[-\u2212]\s*(\d+)\s*)?\]")
_BETWEEN_NAMES = ",;>-<\u2192\u2190\n"


class TimedName(NamedTuple):
    """A name in an arc: its variable, its primes, and how many steps its bracket goes back (None: no
    bracket).
    """

    variable: Name
    primes: int
    back: int | None


class LaggedArc(NamedTuple):
    """An arc from ``parent``, ``lag`` slices earlier, to ``child``."""

    parent: Name
    child: Name
    lag: int


def lagged_arcs(structure: Any) -> tuple[tuple[Name, ...], tuple[LaggedArc, ...]]:
    """The variables in the order in which they come, and the arcs of a structure: text, pairs or a mapping.

    >>> lagged_arcs("Rain -> Rain'; Rain -> Umbrella")[1]
    (LaggedArc(parent='Rain', child='Rain', lag=1), LaggedArc(parent='Rain', child='Umbrella', lag=0))
    >>> lagged_arcs("X[t-2] -> X")[1]
    (LaggedArc(parent='X', child='X', lag=2),)
    """
    dag, children = _dag(structure)
    names = dict.fromkeys(timed_name(name).variable for name in dag.nodes)
    arcs = dict.fromkeys(
        _arc(timed_name(parent), timed_name(child)) for child in children for parent in dag.parents(child)
    )
    return tuple(names), tuple(arcs)


def _dag(structure: Any) -> tuple[Dag, list[Name]]:
    """(the arcs with marks in their names, the children in the order in which their arcs come)."""
    if isinstance(structure, str):
        text = _marked(structure)
        return Dag.from_text(text), list(parse_arrows(text).parents)
    if isinstance(structure, Mapping):
        parents = {_mark_of(child): [_mark_of(p) for p in _several(own)] for child, own in structure.items()}
        return dag_from(parents), list(parents)
    if isinstance(structure, Dag) or not isinstance(structure, Iterable):
        dag = dag_from(structure)
        return dag, list(dag.nodes)
    given = list(structure)
    dag_from(given)  # refuses what is no pair
    pairs = [tuple(_mark_of(name) for name in pair) for pair in given]
    return dag_from(pairs), list(dict.fromkeys(pair[-1] for pair in pairs))


def _several(names: Any) -> list[Any]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


def _mark_of(name: Any) -> Any:
    """A name outside of arrow text, with marks for its primes and its bracket."""
    if not isinstance(name, str):
        return name
    plain = name.rstrip(PRIME)
    primed = plain + _MARK * (len(name) - len(plain))
    return _BRACKETS.sub(lambda found: f"{_BRACKET}{found.group(1) or 0}", primed)


def _marked(text: str) -> str:
    """Arrow text in which primes and brackets are marks, inside the quotes of a quoted name."""
    made: list[str] = []
    place = 0
    while place < len(text):
        sign = text[place]
        before = "".join(made).rstrip(" \t")
        if sign == "#":
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif sign in "'\"" and (not before or before[-1] in _BETWEEN_NAMES):
            place = _quoted(text, place, made)
        elif sign == PRIME:
            made.append(_MARK)
            place += 1
        elif sign == "[":
            mark, place = _bracket(text, place)
            made.append(mark)
        else:
            made.append(sign)
            place += 1
    return "".join(made)


def _quoted(text: str, place: int, made: list[str]) -> int:
    """Copy a quoted name and draw the primes or the bracket after it into its quotes."""
    quote, end = text[place], place + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    made.append(text[place:end])
    after = end + 1
    while text[after : after + 1] == PRIME:
        made.append(_MARK)
        after += 1
    if text[after : after + 1] == "[":
        mark, after = _bracket(text, after)
        made.append(mark)
    made.append(text[end : end + 1])
    return after


def _bracket(text: str, place: int) -> tuple[str, int]:
    found = _BRACKETS.match(text, place)
    if found is None:
        line = text[place:].split("\n")[0]
        raise BadGraph(
            f"{line!r}: a bracket after a name says the slice, [t] or [t-1]; put a name with brackets in "
            "quotes."
        )
    return f"{_BRACKET}{found.group(1) or 0}", found.end()


def timed_name(name: Name) -> TimedName:
    """A name with marks, taken apart."""
    if not isinstance(name, str):
        return TimedName(name, 0, None)
    base, bracket, back = name.partition(_BRACKET)
    variable = base.rstrip(_MARK)
    primes = len(base) - len(variable)
    if bracket and primes:
        raise BadGraph(
            f"{variable + PRIME * primes + '[…]'!r} has a prime and a bracket; use one of the two."
        )
    return TimedName(variable, primes, int(back) if bracket else None)


def _arc(parent: TimedName, child: TimedName) -> LaggedArc:
    if parent.back is None and child.back is None:
        lag = child.primes - parent.primes
    elif parent.primes or child.primes:
        raise BadGraph(
            f"The arc {parent.variable} -> {child.variable} has a prime at one end and a bracket at the "
            "other; use the same at both."
        )
    else:
        lag = (parent.back or 0) - (child.back or 0)
    if lag < 0:
        raise BadGraph(
            f"An arc from {parent.variable!r} to {child.variable!r} goes back in time: the child is {-lag} "
            f"slice{'s' if lag < -1 else ''} earlier than its parent. Write {parent.variable} -> "
            f"{child.variable}{PRIME} for an arc to the next slice."
        )
    if lag == 0 and parent.variable == child.variable:
        raise BadGraph(
            f"An arc from {child.variable!r} to itself within one slice. Write {child.variable} -> "
            f"{child.variable}{PRIME} for an arc to the next slice."
        )
    return LaggedArc(parent.variable, child.variable, lag)
