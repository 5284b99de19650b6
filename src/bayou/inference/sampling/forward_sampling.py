"""Forward sampling: parents before children; each row has its own counter-based random numbers."""

from __future__ import annotations

from math import prod
from weakref import WeakKeyDictionary

import numpy as np

from bayou._native import RowSampler
from bayou.distributions import FamilyRows, RandomStream
from bayou.inference.sampling.factor_graph import LARGEST_TABLE
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, Name

_BLOCK = 2**20
"""The number of rows that are drawn together."""

_samplers: WeakKeyDictionary[FrozenNetwork, RowSampler] = WeakKeyDictionary()


def draw(network: FrozenNetwork, n: int, seed: int, first_row: int = 0) -> dict[Name, ColumnArray]:
    """Draw rows ``first_row … first_row + n − 1`` of the infinite sample defined by ``seed``.

    Returns codes for discrete variables and values for continuous ones, in the order of the network. Rows of
    real variables are drawn in blocks, so that little more memory is needed than for the result.
    """
    network.require(network.dag.nodes)
    drawn = _tabled_columns(network, n, seed, first_row)
    rest = [name for name in network.dag.topological_order if name not in drawn]
    if rest:
        add_columns(network, drawn, rest, n, seed, first_row)
    return {name: drawn[name] for name in network.dag.nodes}


def add_columns(
    network: FrozenNetwork,
    drawn: dict[Name, ColumnArray],
    names: list[Name],
    n: int,
    seed: int,
    first_row: int = 0,
) -> None:
    """Draw further variables given the columns of their parents; ``names`` has parents before children."""
    for start in range(0, max(n, 1), _BLOCK):
        rows = slice(start, min(n, start + _BLOCK))
        size = rows.stop - rows.start
        for name in names:
            stream = RandomStream(seed, network.schema.index(name), first_row + start)
            part = network.distribution(name).sample(_parents(network, name, drawn, rows, size), stream)
            if not start:
                drawn[name] = part if size == n else np.empty(n, dtype=part.dtype)
            if size < n:
                drawn[name][rows] = part


def _tabled_columns(network: FrozenNetwork, n: int, seed: int, first_row: int) -> dict[Name, ColumnArray]:
    """The columns of all variables with a table whose parents have one too: drawn by one call of the core."""
    names = tabled(network)
    if not names:
        return {}
    sampler = _samplers.get(network)
    if sampler is None:
        sampler = _samplers[network] = _sampler(network, names)
    columns, _ = sampler.draw(seed, first_row, n, list(range(len(names))), False)
    return dict(zip(names, columns, strict=True))


def tabled(network: FrozenNetwork) -> list[Name]:
    """The variables with a small table, all of whose ancestors have one; parents come before children."""
    found: dict[Name, None] = {}
    for name in network.dag.topological_order:
        finite = network.distribution(name).finite
        if finite is None or not all(parent in found for parent in network.dag.parents(name)):
            continue
        if finite.is_tabled or prod(finite.shape) <= LARGEST_TABLE:
            found[name] = None
    return list(found)


def _sampler(network: FrozenNetwork, names: list[Name]) -> RowSampler:
    place = {name: position for position, name in enumerate(names)}
    scopes = [[place[member] for member in network.family(name).names] for name in names]
    return RowSampler(
        [network.schema[name].cardinality for name in names],
        list(range(len(names))),
        [network.schema.index(name) for name in names],
        [[scope] for scope in scopes],
        [[np.ascontiguousarray(network.table(name))] for name in names],
        [[] for _ in names],
        [[] for _ in names],
        [],
        [],
    )


def _parents(
    network: FrozenNetwork, name: Name, drawn: dict[Name, ColumnArray], rows: slice, size: int
) -> FamilyRows:
    family = network.family(name)
    inputs = [drawn[parent.name][rows] for parent in family.continuous]
    stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((size, 0))
    return FamilyRows(size, [drawn[parent.name][rows] for parent in family.discrete], stacked)
