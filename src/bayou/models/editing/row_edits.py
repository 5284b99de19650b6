"""One row of a table, and one cell of it: the rest of the row adapts, all other rows stay to the bit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayou.arguments import is_real
from bayou.distributions import Family, Table
from bayou.errors import BadQuestion, BadTable, NotFitted, UnknownVariable, listed
from bayou.models.editing.network_content import NetworkContent
from bayou.models.editing.refusals import cannot_follow
from bayou.models.nodes.table_spec import row_codes, row_description, row_from
from bayou.schema import Variable, plain
from bayou.typing import FloatArray, Name, State

_ROUNDING = 1e-9
"""How far locked probabilities may be above what is left for them."""


def row_set(content: NetworkContent, name: Name, row: Any, given: Any, normalise: bool) -> Table:
    """Return the table of a variable with one row replaced, for these states of the parents."""
    table, family = editable_table(content, name)
    index = row_index(family, given)
    values = row_from(family.child, family.parents, index, row, normalise)
    return _with_row(table, index, values)


def probability_set(
    content: NetworkContent, name: Name, state: State, probability: Any, given: Any, locked: Any
) -> Table:
    """Return the table of a variable with one probability replaced.

    The others of the row share what is left in proportion to what they have (evenly, if they have nothing);
    the ``locked`` states keep theirs.
    """
    table, family = editable_table(content, name)
    index, child = row_index(family, given), family.child
    code = child.code(plain(state))
    if not is_real(probability) or not 0 <= probability <= 1:
        raise BadQuestion(f"probability={probability!r}: give a number from 0 to 1.")
    fixed = sorted({child.code(plain(each)) for each in _states(locked, child)} - {code})
    row = np.array(table.values[index])
    free = [k for k in range(child.cardinality) if k != code and k not in fixed]
    held = float(row[fixed].sum())
    rest = 1.0 - float(probability) - held
    where = row_description(child, family.parents)(index)
    if rest < -_ROUNDING or (not free and rest > _ROUNDING):
        kept = (
            f"the locked states {listed(child.states[k] for k in fixed)} keep {held:.6g}, so "
            if fixed
            else ""
        )
        most = f"at most {1 - held:.6g} is left" if free else f"it must be {1 - held:.6g}"
        raise BadTable(f"{where}: {state!r} cannot have {probability:g}: {kept}{most}. Unlock a state.")
    row[code] = probability
    share = row[free]
    total = float(share.sum())
    if free:
        row[free] = share / total * max(rest, 0.0) if total > 0 else max(rest, 0.0) / len(free)
    return _with_row(table, index, row / row.sum())


def editable_table(content: NetworkContent, name: Name) -> tuple[Table, Family]:
    """Return the table of a variable and its family; raise if it has another distribution or none."""
    distribution = content.distribution(content.dag.only(name))
    if distribution is None:
        raise NotFitted(
            f"{name!r} has no table yet, of which a row could be set: set it as a whole first "
            "(net.set_cpt), or fit the network."
        )
    if content.is_real(name):
        raise BadTable(
            f"{name!r} holds real numbers, so it has no table with rows: set its distribution as a whole "
            "(net.set_gaussian)."
        )
    if not isinstance(distribution, Table):
        raise cannot_follow(content, name, "it has no rows that could be set one by one")
    return distribution, content.family(name)


def row_index(family: Family, given: Any) -> tuple[int, ...]:
    """Return the codes of the parents' states: a mapping by name, or a key as in the mapping of a table."""
    parents = family.parents
    if not isinstance(given, Mapping):
        key = tuple(given) if isinstance(given, list) else given
        if not _is_hashable(key):
            raise BadTable(
                f"A row of {family.child.name!r} is told by states of its parents, not by {given!r}."
            )
        return row_codes(family.child, parents, key)
    names = [parent.name for parent in parents]
    for name in given:
        if name not in names:
            raise UnknownVariable.named(name, names, f"among the parents of {family.child.name!r}")
    absent = [name for name in names if name not in given]
    if absent:
        raise BadTable(
            f"The row of {family.child.name!r} is not determined: give the state of {listed(absent)}, too."
        )
    return tuple(parent.code(plain(given[parent.name])) for parent in parents)


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _states(given: Any, variable: Variable) -> Iterable[State]:
    """One state or several, as a list."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [given]
    one: Any = given
    try:
        if variable.place(plain(one)) is not None:
            return [one]
    except TypeError:  # not hashable, so not a state
        pass
    return list(given)


def _with_row(table: Table, index: tuple[int, ...], row: FloatArray) -> Table:
    values = np.array(table.values)
    values[index] = row
    return Table(values)
