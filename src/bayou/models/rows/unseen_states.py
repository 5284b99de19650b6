"""Log-probabilities of rows with unseen values, smoothed by the prior.

An unseen value gets the probability that the prior gives to one more state without any count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bayou.errors import BadQuestion
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.inference import log_probability
from bayou.learning import estimate
from bayou.models.rows.row_coding import CodedRows, code_rows, never_seen_cells
from bayou.networks import FrozenNetwork, Structure, same_domains
from bayou.schema import Variable
from bayou.sources import Columns
from bayou.typing import CodeArray, FloatArray, Name


class _UnseenState:
    """The state that stands for all unseen values."""

    def __repr__(self) -> str:
        return "(any other value)"


OTHER = _UnseenState()


def smoothed_log_probability(structure: Structure, learned: FittedParameters, table: Columns) -> FloatArray:
    """Return log P of each row, as if every variable with an unseen value in that row had one more state."""
    result = np.empty(table.rows)
    for members, network, part in parts_by_unseen(
        learned.network, table, lambda unseen: widened(structure, learned, unseen)
    ):
        result[members] = log_probability(network, part.codes, part.numbers, part.rows)
    return result


def parts_by_unseen(
    network: FrozenNetwork, table: Columns, widen: Callable[[list[Name]], FrozenNetwork]
) -> Iterator[tuple[npt.NDArray[np.intp], FrozenNetwork, CodedRows]]:
    """Group rows by the set of variables with unseen values: a row's answer does not depend on other rows.

    Each group is (numbers of its rows, the network with one more state for these variables, coded rows).
    """
    never_seen = never_seen_cells(network, table)
    rows = code_rows(network, table, "missing", warn=False)
    names = list(never_seen)
    patterns = np.zeros((table.rows, len(names)), dtype=bool)
    for k, name in enumerate(names):
        patterns[:, k] = never_seen[name]
    for pattern in np.unique(patterns, axis=0):
        members = np.flatnonzero((patterns == pattern).all(axis=1))
        unseen = [name for name, is_unseen in zip(names, pattern, strict=True) if is_unseen]
        used = widen(unseen) if unseen else network
        yield members, used, _part(used, rows, members, unseen)


def with_other_state(variable: Variable) -> Variable:
    """Return the variable with one more state, which stands for all unseen values."""
    return Variable(variable.name, [*variable.states, OTHER], ordered=variable.ordered)


def _part(
    network: FrozenNetwork, rows: CodedRows, members: npt.NDArray[np.intp], unseen: list[Name]
) -> CodedRows:
    """Return the member rows, with the added state in the columns of the unseen variables."""
    codes: dict[Name, CodeArray] = {}
    for name, column in rows.codes.items():
        if name in unseen:
            other = network.schema[name].code(OTHER)
            codes[name] = np.full(len(members), other, dtype=np.uint32)
        else:
            codes[name] = np.ascontiguousarray(column[members])
    numbers = {name: column[members] for name, column in rows.numbers.items()}
    return CodedRows(len(members), codes, numbers)


def widened(structure: Structure, learned: FittedParameters, names: Collection[Name]) -> FrozenNetwork:
    """Return the network with one more state for these variables and those that share tables with them."""
    families = ((kind, learned.network.family(name)) for name, kind in structure.kinds.items())
    if learned.expected and any(kind.expects(family) != kind.needs(family) for kind, family in families):
        raise BadQuestion(
            'unknown="smooth" needs counts, and the noisy nodes of this network were learned from rows with '
            'gaps. Use unknown="missing".'
        )
    declared = {variable.name: variable for variable in learned.network.schema}
    for group in same_domains(structure.dag, structure.sharing):
        if any(name in names for name in group):
            for name in group:
                declared[name] = with_other_state(declared[name])
    kinds = {name: kind.pinned(learned.network.family(name)) for name, kind in structure.kinds.items()}
    return estimate(replace(structure, declared=declared, kinds=kinds), learned.statistics, learned.priors)
