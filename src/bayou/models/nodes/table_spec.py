"""Read conditional tables from user input (nested mappings, rows by parent states, arrays) and check them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from bayou.distributions import check_table_size, normalised_rows
from bayou.errors import BadTable, UnknownState, listed
from bayou.models.query_parser import typed_state
from bayou.schema import Variable, label, labelled, plain
from bayou.text.quotes import split_unquoted, unquoted
from bayou.typing import FloatArray, State

ROUNDING = 1e-6
"""How far the sum of a row may be from 1, because of rounded decimals; the row is divided by its sum."""


def table_from(
    child: Variable, parents: Sequence[Variable], given: Any, normalise: bool = False
) -> FloatArray:
    """Return P(child | parents) as an array with axes (parents …, child). ``given`` is one of:

    - a mapping of states to probabilities (no parents);
    - a mapping of parent states (a tuple if there are several parents) to such mappings or to rows; a key
      may name the parents, in any order: ``"Storm=yes, Bus=no"``;
    - a data frame with one column for each variable of the family and one for the probability, or with
      parent states as its index and the own states as its columns;
    - an array or nested lists of that shape.

    >>> rain, wet = Variable("rain", ["no", "yes"]), Variable("wet", ["no", "yes"])
    >>> table_from(wet, [rain], {"no": {"no": 0.9, "yes": 0.1}, "yes": [0.2, 0.8]}).tolist()
    [[0.9, 0.1], [0.2, 0.8]]
    """
    check_table_size(child, parents)
    has_entries = hasattr(given, "columns") and child.name in list(given.columns)
    given = _from_frame(child, parents, given) if has_entries else labelled(given)
    shape = (*(parent.cardinality for parent in parents), child.cardinality)
    values = _from_mapping(child, parents, given) if isinstance(given, Mapping) else _array(child, given)
    if values.shape != shape:
        axes = ", ".join(f"{axis.name} ({axis.cardinality})" for axis in (*parents, child))
        raise BadTable(
            f"The table of {child.name!r} has shape {values.shape}, expected {shape}: its axes are {axes}."
        )
    describe = row_description(child, parents)
    if not normalise:
        return normalised_rows(values, describe, ROUNDING)
    sums = values.sum(axis=-1, keepdims=True)
    if np.any(sums <= 0):
        row = tuple(int(k) for k in np.argwhere(sums[..., 0] <= 0)[0])
        raise BadTable(f"{describe(row)} has no positive entry, so it cannot be normalised.")
    return normalised_rows(values / sums, describe, ROUNDING)


def row_description(child: Variable, parents: Sequence[Variable]) -> Callable[[tuple[int, ...]], str]:
    """Return a function that names a row of the table in errors: P(child | parent=state, …)."""

    def describe(row: tuple[int, ...]) -> str:
        given = ", ".join(
            f"{parent.name}={label(parent.states[code])}" for parent, code in zip(parents, row, strict=True)
        )
        return f"P({child.name} | {given})" if given else f"P({child.name})"

    return describe


def _array(child: Variable, given: Any) -> FloatArray:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(
            f"The table of {child.name!r} is neither a mapping of states nor an array of numbers."
        ) from None


def _from_frame(child: Variable, parents: Sequence[Variable], frame: Any) -> dict[Any, Any]:
    """Return a data frame with a row for each entry, as :meth:`ProbabilityTable.to_frame` makes it."""
    family = [variable.name for variable in (*parents, child)]
    columns = list(frame.columns)
    others = [name for name in columns if name not in family]
    if len(others) != 1 or any(name not in columns for name in family):
        raise BadTable(
            f"A data frame for the table of {child.name!r} needs the columns {listed(family)} and one with "
            f"the probabilities; it has {listed(columns)}."
        )
    entries: dict[Any, Any] = {}
    cells = zip(*(list(frame[name]) for name in (*family, *others)), strict=True)
    for *states, probability in cells:
        key = tuple(map(plain, states)) if parents else plain(states[0])
        if key in entries:
            raise BadTable(f"The data frame for the table of {child.name!r} has two rows for {key!r}.")
        entries[key] = probability
    return entries


def _from_mapping(child: Variable, parents: Sequence[Variable], given: Mapping[Any, Any]) -> FloatArray:
    """Return the table of a mapping; raise if a row is missing or given twice."""
    values = np.full((*(parent.cardinality for parent in parents), child.cardinality), np.nan)
    for path, row in _rows(parents, given):
        index = _index(child, parents, path)
        if not np.isnan(values[index]).all():
            raise BadTable(f"{row_description(child, parents)(index)} is given twice.")
        values[index] = _row(child, parents, index, row)
    absent = np.argwhere(np.isnan(values).all(axis=-1))
    if len(absent):
        names = [row_description(child, parents)(tuple(int(k) for k in row)) for row in absent]
        raise BadTable(f"The table of {child.name!r} has no rows for {listed(names, 4)}.")
    return values


def _rows(parents: Sequence[Variable], given: Mapping[Any, Any]) -> Iterator[tuple[tuple[State, ...], Any]]:
    """Walk nested mappings down to the rows; a key may be one parent's state or a tuple of several."""
    if not parents:
        yield (), given
        return
    if given and all(isinstance(key, tuple) and len(key) == len(parents) + 1 for key in given):
        # A whole table as one mapping of (parent states …, own state), as returned by to_dict().
        rows: dict[tuple[State, ...], dict[State, Any]] = {}
        for key, probability in given.items():
            rows.setdefault(key[:-1], {})[key[-1]] = probability
        yield from rows.items()
        return
    for key, inner in given.items():
        path = _path(parents, key)
        rest = parents[len(path) :]
        if rest and not isinstance(inner, Mapping):
            raise BadTable(f"After {listed(path)} the states of {listed(p.name for p in rest)} are missing.")
        for tail, row in _rows(rest, inner) if rest else [((), inner)]:
            yield (*path, *tail), row


def _path(parents: Sequence[Variable], key: Any) -> tuple[State, ...]:
    """Return the parent states in a key: a state of the first parent, or a tuple of states of several."""
    if parents[0].find(plain(key)) is not None:
        return (key,)
    if isinstance(key, str) and "=" in key:
        return _named_path(parents, key)
    if not isinstance(key, tuple):
        return (key,)
    if len(key) > len(parents):
        raise BadTable(f"{key!r} names {len(key)} parent states, but there are {len(parents)} parents.")
    return key


def _named_path(parents: Sequence[Variable], key: str) -> tuple[State, ...]:
    """Return the parent states of a key that names the parents: ``"Storm=yes, Bus=no"``."""
    by_name = {str(parent.name): parent for parent in parents}
    found: dict[Any, State] = {}
    for piece in split_unquoted(key, ","):
        name, _, state = piece.partition("=")
        parent = by_name.get(unquoted(name))
        if parent is None:
            raise BadTable(f"{key!r}: {unquoted(name)!r} is not one of the parents {listed(by_name)}.")
        if parent.name in found:
            raise BadTable(f"{key!r} names {parent.name!r} twice.")
        found[parent.name] = typed_state(parent, state)
    absent = [parent.name for parent in parents if parent.name not in found]
    if absent:
        raise BadTable(f"{key!r} does not name the state of {listed(absent)}.")
    return tuple(found[parent.name] for parent in parents)


def _index(child: Variable, parents: Sequence[Variable], path: tuple[State, ...]) -> tuple[int, ...]:
    """Return the codes of parent states; an unknown state may be one of another parent."""
    try:
        return tuple(parent.code(state) for parent, state in zip(parents, path, strict=True))
    except UnknownState as error:
        if len(parents) == 1:
            raise
        names = listed([parent.name for parent in parents])
        example = ", ".join(f"{parent.name}={label(parent.states[0])}" for parent in parents)
        raise UnknownState(
            f"{error} The keys of the table of {child.name!r} are states of {names}, in this order; to be "
            f"sure, name them in the keys: {example!r}."
        ) from None


def row_codes(child: Variable, parents: Sequence[Variable], key: Any) -> tuple[int, ...]:
    """Return the codes of the parent states that a key of a table names; () or None without parents."""
    if key is None or (isinstance(key, tuple) and not key):
        path: tuple[State, ...] = ()
    else:
        path = _path(parents, key) if parents else (key,)
    if len(path) != len(parents):
        needed = (
            f"the states of {listed(parent.name for parent in parents)}" if parents else "no parent states"
        )
        raise BadTable(f"A row of {child.name!r} is told by {needed}; {key!r} does not name it.")
    return _index(child, parents, path)


def row_from(
    child: Variable, parents: Sequence[Variable], index: tuple[int, ...], given: Any, normalise: bool
) -> FloatArray:
    """Return one row of a table as probabilities; ``normalise`` divides it by its sum."""
    values = _row(child, parents, index, labelled(given))
    describe = row_description(child, parents)
    total = values.sum()
    if normalise and np.all(np.isfinite(values)) and np.all(values >= 0):
        if total <= 0:
            raise BadTable(f"{describe(index)} has no positive entry, so it cannot be normalised.")
        values = values / total
    elif np.isfinite(total) and abs(total - 1) > ROUNDING and np.all(values >= 0):
        raise BadTable(
            f"{describe(index)} sums to {total:.10g}, not to 1. Correct it, or have it divided by its sum: "
            "net.set_row(…, normalise=True)."
        )
    result: FloatArray = normalised_rows(values[None], lambda _: describe(index), ROUNDING)[0]
    return result


def _row(child: Variable, parents: Sequence[Variable], index: tuple[int, ...], row: Any) -> FloatArray:
    """Return one row of the table; a single omitted state gets the remaining probability."""
    describe = row_description(child, parents)
    if not isinstance(row, Mapping):
        values = _array(child, row)
        if values.shape != (child.cardinality,):
            raise BadTable(
                f"{describe(index)} needs {child.cardinality} numbers, one per state of {child.name!r}."
            )
        return values
    values = np.zeros(child.cardinality)
    seen = set()
    for state, probability in row.items():
        code = child.find(state)
        if code is None:
            raise UnknownState.of(child.name, state, child.states, f"in {describe(index)}")
        if code in seen:
            raise BadTable(f"{describe(index)} has two entries for {child.states[code]!r}.")
        values[code] = _number(describe(index), state, probability)
        seen.add(code)
    if len(seen) == child.cardinality - 1 and 0 <= values.sum() <= 1:
        (omitted,) = set(range(child.cardinality)) - seen
        values[omitted] = 1 - values.sum()
    elif len(seen) < child.cardinality:
        absent = [state for code, state in enumerate(child.states) if code not in seen]
        raise BadTable(f"{describe(index)} has no entry for {listed(absent)}.")
    return values


def _number(row: str, state: State, probability: Any) -> float:
    try:
        return float(probability)
    except (TypeError, ValueError):
        raise BadTable(f"{row}: the entry of {state!r} is {probability!r}, not a number.") from None


def states_in(given: Any, parents: int) -> list[State] | None:
    """Return the child's states as named in a mapping, for an undeclared variable; None for other input.

    ``parents`` is the number of parents: their states are the outer keys.
    """
    if not isinstance(given, Mapping) or not given:
        return None
    if parents == 0:
        return list(given)
    first = next(iter(given))
    depth = len(first) if isinstance(first, tuple) else max(1, str(first).count("="))
    return states_in(given[first], max(0, parents - depth))


def all_rows(parents: Sequence[Variable]) -> Iterator[tuple[tuple[int, ...], tuple[State, ...]]]:
    """Yield every combination of parent states, as codes and as states; the last parent varies fastest."""
    codes = product(*(range(parent.cardinality) for parent in parents))
    for index in codes:
        yield index, tuple(parent.states[code] for parent, code in zip(parents, index, strict=True))
