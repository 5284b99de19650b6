"""After a subtraction: states that only the forgotten rows had are taken off the axes again."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bayou.schema import Variable
from bayou.schema.states import state_key
from bayou.statistics.counts import Counts
from bayou.statistics.moments import GroupMoments
from bayou.statistics.pair_tables import PairTables
from bayou.statistics.row_counts import RowCounts
from bayou.statistics.value_histogram import ValueCounts
from bayou.typing import CountArray, Name, State

Result = Counts | PairTables | GroupMoments | RowCounts | ValueCounts
Key = tuple[str, State]


def lost_states(
    before: Iterable[Result], gone: Iterable[Result], after: Iterable[Result]
) -> dict[Name, set[Key]]:
    """For each variable the states that were counted before the subtraction and nowhere after it.

    A variable whose forgotten rows come with states that they do not have was declared with them (such as
    the categories of a column): its states stay, counted or not.
    """
    gone = list(gone)
    counted_before, counted_gone, counted_after = _counted(before), _counted(gone), _counted(after)
    declared = {
        axis.name
        for result in gone
        for axis in _axes(result)
        if any(state_key(state) not in counted_gone[axis.name] for state in axis.states)
    }
    return {
        name: states - counted_after[name]
        for name, states in counted_before.items()
        if name not in declared and counted_after[name] and states - counted_after[name]
    }


def without_states(result: Result, lost: dict[Name, set[Key]]) -> Result:
    """The same statistic on axes that lack these states."""
    if not any(axis.name in lost for axis in _axes(result)):
        return result
    return result.aligned([_without(axis, lost.get(axis.name, set())) for axis in _axes(result)])


def _without(axis: Variable, lost: set[Key]) -> Variable:
    kept = [state for state in axis.states if state_key(state) not in lost]
    return axis if len(kept) == axis.cardinality else Variable(axis.name, kept, ordered=axis.ordered)


def _counted(results: Iterable[Result]) -> dict[Name, set[Key]]:
    counted: dict[Name, set[Key]] = {}
    for result in results:
        for dimension, axis in enumerate(_axes(result)):
            present = _present(result, dimension, axis)
            found = {state_key(state) for state, is_in in zip(axis.states, present, strict=True) if is_in}
            counted.setdefault(axis.name, set()).update(found)
    return counted


def _present(result: Result, dimension: int, axis: Variable) -> npt.NDArray[np.bool_]:
    """Which states of an axis were counted at all."""
    if isinstance(result, PairTables):
        return result.present(dimension)
    if isinstance(result, RowCounts):
        return np.bincount(result.codes[:, dimension], minlength=axis.cardinality) > 0
    if isinstance(result, ValueCounts):
        codes = np.unravel_index(result.codes, [group.cardinality for group in result.groups])[dimension]
        return np.bincount(codes, minlength=axis.cardinality) > 0
    cells: CountArray = result.values if isinstance(result, Counts) else result.n
    others = tuple(k for k in range(cells.ndim) if k != dimension)
    present: npt.NDArray[np.bool_] = np.any(cells != 0, axis=others)
    return present


def _axes(result: Result) -> tuple[Variable, ...]:
    if isinstance(result, PairTables):
        return (*result.given, *result.axes)
    return result.groups if isinstance(result, GroupMoments) else result.axes
