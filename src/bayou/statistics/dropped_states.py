"""States that occur only in forgotten rows: after a subtraction they are removed from the axes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bayou.schema.states import state_key
from bayou.statistics.result import Key, Result
from bayou.typing import Name


def dropped_states(
    before: Iterable[Result], forgotten: Collection[Result], after: Iterable[Result]
) -> dict[Name, set[Key]]:
    """Return for each variable the states that have counts before the subtraction and none after it.

    If the forgotten rows' axis has states that these rows do not have, the states of that variable were
    declared (such as the categories of a column): they stay, with or without counts.
    """
    counted_before, counted_after = _counted(before), _counted(after)
    counted_forgotten = _counted(forgotten)
    declared = {
        axis.name
        for result in forgotten
        for axis in result.labels
        if any(state_key(state) not in counted_forgotten[axis.name] for state in axis.states)
    }
    return {
        name: states - counted_after[name]
        for name, states in counted_before.items()
        if name not in declared and counted_after[name] and states - counted_after[name]
    }


def _counted(results: Iterable[Result]) -> dict[Name, set[Key]]:
    """The states with counts, by variable."""
    counted: dict[Name, set[Key]] = {}
    for result in results:
        for dimension, axis in enumerate(result.labels):
            present = result.present(dimension)
            found = {state_key(state) for state, is_in in zip(axis.states, present, strict=True) if is_in}
            counted.setdefault(axis.name, set()).update(found)
    return counted
