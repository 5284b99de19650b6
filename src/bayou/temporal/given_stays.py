"""What users say of how long states last (``duration=``), read as shares of lengths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, listed
from bayou.memory import require_memory
from bayou.schema import Variable
from bayou.temporal.state_stays import CLOSE, Stays


def stays_given(states: Variable, given: Any) -> Stays:
    """Read ``duration=``: one rule for all states, or a mapping from states.

    A rule is a number (the least length), a pair (least, most; None: no most), or a list of shares of the
    lengths 1, 2, …; None: any length.
    """
    if isinstance(given, Stays):
        return given
    if states.cardinality < 2:
        raise BadQuestion("duration= needs at least two states: a stay ends when another state follows.")
    if isinstance(given, Mapping):
        unknown = [state for state in given if states.find(state) is None]
        if unknown:
            raise BadQuestion(
                f"duration: there is no state {listed(unknown)}; they are {listed(states.states)}."
            )
        rules = [given.get(state) for state in states.states]
    else:
        rules = [given] * states.cardinality
    read = [_rule(state, rule) for state, rule in zip(states.states, rules, strict=True)]
    made = Stays(states, tuple(one[0] for one in read), tuple(one[1] for one in read))
    _require_room(len(made.owner))
    return made


def _require_room(steps: int) -> None:
    """Raise TooWide if the moves of so many sub-states do not fit in memory."""
    size = float(steps)
    require_memory(8 * size * size, f"A model with {size:,.0f} sub-states", "Use shorter durations.")


def _rule(state: Any, rule: Any) -> tuple[tuple[float, ...], bool]:
    """(shares of the lengths, whether the last one stands for all longer ones, too)."""
    if rule is None:
        return (1.0,), True
    if isinstance(rule, int | np.integer) and not isinstance(rule, bool):
        rule = (int(rule), None)
    if isinstance(rule, tuple) and len(rule) == 2 and all(one is None or _is_whole(one) for one in rule):
        least, most = 1 if rule[0] is None else rule[0], rule[1]
        if least < 1 or (most is not None and most < least):
            raise BadQuestion(f"duration of {state!r}: {rule!r} has no length; give (least, most) from 1 on.")
        _require_room(least if most is None else most)
        if most is None:
            return (*[0.0] * (least - 1), 1.0), True
        return (*[0.0] * (least - 1), *[1 / (most - least + 1)] * (most - least + 1)), False
    shares = np.asarray(list(rule) if isinstance(rule, Iterable) and not isinstance(rule, str) else [], float)
    if shares.ndim != 1 or not len(shares) or not np.all(shares >= 0) or abs(shares.sum() - 1) > CLOSE:
        raise BadQuestion(
            f"duration of {state!r}: give the least length, a pair (least, most), or the shares of the "
            f"lengths 1, 2, … (which sum to 1), not {rule!r}."
        )
    shares = np.trim_zeros(shares / shares.sum(), "b")
    return tuple(shares.tolist()), False


def _is_whole(one: Any) -> bool:
    return isinstance(one, int | np.integer) and not isinstance(one, bool)
