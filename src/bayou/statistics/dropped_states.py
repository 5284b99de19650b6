"""After a subtraction: which states only the forgotten rows had, so that axes can lose them again."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bayou.schema.states import state_key
from bayou.statistics.result import Key, Result
from bayou.typing import Name


def lost_states(
    before: Iterable[Result], gone: Collection[Result], after: Iterable[Result]
) -> dict[Name, set[Key]]:
    """For each variable the states that were counted before the subtraction and nowhere after it.

    A variable whose forgotten rows come with states that they do not have was declared with them (such as
    the categories of a column): its states stay, counted or not.
    """
    counted_before, counted_gone, counted_after = _counted(before), _counted(gone), _counted(after)
    declared = {
        axis.name
        for result in gone
        for axis in result.labels
        if any(state_key(state) not in counted_gone[axis.name] for state in axis.states)
    }
    return {
        name: states - counted_after[name]
        for name, states in counted_before.items()
        if name not in declared and counted_after[name] and states - counted_after[name]
    }


def _counted(results: Iterable[Result]) -> dict[Name, set[Key]]:
    counted: dict[Name, set[Key]] = {}
    for result in results:
        for dimension, axis in enumerate(result.labels):
            present = result.present(dimension)
            found = {state_key(state) for state, is_in in zip(axis.states, present, strict=True) if is_in}
            counted.setdefault(axis.name, set()).update(found)
    return counted
