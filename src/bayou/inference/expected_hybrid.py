"""The E-step of EM with continuous variables: expected counts and moments of rows with gaps.

Rows whose missing states have few combinations go through :mod:`bayou.inference.expected_hybrid_rows`, all
together; the others, and networks with a variance of 0, through
:mod:`bayou.inference.expected_hybrid_wide`, a pattern of gaps at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou.errors import ImpossibleEvidence
from bayou.inference.expected_hybrid_rows import add_rows, chunks, combinations
from bayou.inference.expected_hybrid_sums import RealFamily, Sums, real_families
from bayou.inference.expected_hybrid_wide import add_wide_rows
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch, GroupMoments
from bayou.typing import FloatArray, Name

_SHOWN = 12
"""Cells of a row listed in a message."""
_MOST_COMBINATIONS = 512
"""A row that lacks more combinations of states than this is not written out."""


@dataclass(frozen=True)
class ExpectedMoments:
    """What incomplete rows are expected to count and to measure.

    ``log_likelihood`` is that of the observed cells, ``rows`` their number or weight. ``tables`` are the
    expected counts of discrete variables, axes (parents …, variable); ``moments`` those of a continuous
    variable with its continuous parents before it, by its discrete parents. They add.
    """

    log_likelihood: float
    rows: float
    tables: Mapping[Name, FloatArray]
    moments: Mapping[Name, GroupMoments]

    def __add__(self, other: ExpectedMoments) -> ExpectedMoments:
        return ExpectedMoments(
            self.log_likelihood + other.log_likelihood,
            self.rows + other.rows,
            {name: table + other.tables[name] for name, table in self.tables.items()},
            {name: moments + other.moments[name] for name, moments in self.moments.items()},
        )


def expected_moments(network: FrozenNetwork, batch: Batch) -> ExpectedMoments:
    """Expected counts and moments of rows with gaps, exactly; the states and numbers missing are hidden.

    A row that can not occur under the network is refused (ImpossibleEvidence, rows count from 0).

    >>> import bayou
    >>> net = bayou.Network("Art -> x", states={"Art": ["a", "b"]}, continuous=["x"])
    >>> net = net.set_cpt("Art", [0.5, 0.5]).set_gaussian("x", {"a": (-1, 1), "b": (1, 1)})
    >>> batch = Batch(2, {"Art": np.array([255, 0], np.uint8)}, {"x": np.array([0.0, np.nan])})
    >>> found = expected_moments(net.frozen, batch)
    >>> found.tables["Art"].tolist(), found.moments["x"].n.tolist()
    ([1.5, 0.5], [1.5, 0.5])
    """
    network.require(network.dag.nodes)
    families = real_families(network)
    sums = Sums(network, families)
    rows: npt.NDArray[np.intp] = np.arange(batch.rows)
    if batch.weights is not None and not np.all(batch.weights > 0):
        rows = np.flatnonzero(batch.weights > 0)
    chosen = _taken(network, batch, rows)
    counts = combinations(network, chosen)
    wide = counts > _MOST_COMBINATIONS
    if any((family.deviation == 0).any() for family in families):
        wide = np.ones(len(rows), dtype=bool)
    _add_narrow(network, families, sums, batch, rows[~wide], counts[~wide])
    if wide.any():
        part = _taken(network, batch, rows[wide])
        _check(network, batch, rows[wide], add_wide_rows(network, families, sums, part))
    return ExpectedMoments(sums.log_likelihood, batch.total, sums.tables, sums.moments)


def _add_narrow(
    network: FrozenNetwork,
    families: Sequence[RealFamily],
    sums: Sums,
    batch: Batch,
    rows: npt.NDArray[np.intp],
    counts: FloatArray,
) -> None:
    chosen = _taken(network, batch, rows)
    for stretch in chunks(families, chosen, counts):
        whole = stretch.stop - stretch.start == batch.rows
        part = chosen if whole else _taken(network, chosen, np.arange(stretch.start, stretch.stop))
        logs = add_rows(network, families, sums, part, counts[stretch])
        _check(network, batch, rows[stretch], logs)


def _taken(network: FrozenNetwork, batch: Batch, rows: npt.NDArray[np.intp]) -> Batch:
    """Some rows, and only the variables of the network."""
    whole = len(rows) == batch.rows
    names = network.dag.nodes
    return Batch(
        len(rows),
        {n: batch.codes[n] if whole else batch.codes[n][rows] for n in names if n in batch.codes},
        {n: batch.numbers[n] if whole else batch.numbers[n][rows] for n in names if n in batch.numbers},
        batch.weights if whole or batch.weights is None else batch.weights[rows],
    )


def _check(network: FrozenNetwork, batch: Batch, rows: npt.NDArray[np.intp], logs: FloatArray) -> None:
    """Refuse rows with the log density -inf; names the first of them and what it holds."""
    bad = np.flatnonzero(~np.isfinite(logs))
    if not len(bad):
        return
    row = int(rows[bad[0]])
    cells = [f"{name} = {_value(network, batch, name, row)!r}" for name in network.dag.nodes]
    seen = [cell for cell, name in zip(cells, network.dag.nodes, strict=True) if not batch.missing(name)[row]]
    raise ImpossibleEvidence(
        f"Row {row} (counting from 0) can not occur under this network (its probability is 0): "
        f"{', '.join(seen[:_SHOWN])}{' …' if len(seen) > _SHOWN else ''}. Drop or correct the row, or start "
        "from tables without zeros."
    )


def _value(network: FrozenNetwork, batch: Batch, name: Name, row: int) -> object:
    if name in batch.numbers:
        return float(batch.numbers[name][row])
    states, code = network.schema[name].states, int(batch.codes[name][row])
    return states[code] if code < len(states) else None
