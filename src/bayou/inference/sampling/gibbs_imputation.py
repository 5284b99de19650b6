"""Imputation by Gibbs sampling, for networks in which exact posteriors need too large tables.

Each gap is drawn in turn from its distribution given all other cells of its row,

    P(x | all others) ∝ P(x | parents of x) · Π_(children c) P(c | parents of c).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import BoolArray, CodeArray, FloatArray, IntArray, Name

SWEEPS = 20
"""How often every gap is drawn again, given the current values of all other cells."""


def gibbs_completed(network: FrozenNetwork, rows: Batch, seed: int, sweeps: int = SWEEPS) -> Batch:
    """Return the rows with every gap filled by an approximate draw from P(gaps | observed cells).

    Only for networks of discrete variables. The approximation improves with the number of ``sweeps``; the
    initial values are drawn from the observed values of each column.
    """
    random = np.random.default_rng(seed)
    gaps = {name: rows.missing(name) for name in rows.codes}
    gaps = {name: where for name, where in gaps.items() if where.any()}
    codes = {name: column.astype(np.int64) for name, column in rows.codes.items()}
    for name, where in gaps.items():
        seen = codes[name][~where]
        choices = seen if len(seen) else np.arange(network.schema[name].cardinality)
        codes[name][where] = random.choice(choices, int(where.sum()))
    logs = _log_tables(network)
    for _ in range(sweeps):
        for name, where in gaps.items():
            codes[name][where] = _drawn(network, logs, codes, name, where, random)
    filled: dict[Name, CodeArray] = {name: column.copy() for name, column in rows.codes.items()}
    for name, where in gaps.items():
        filled[name][where] = codes[name][where].astype(filled[name].dtype)
    return replace(rows, codes=filled)


def _log_tables(network: FrozenNetwork) -> dict[Name, FloatArray]:
    # Zeros become tiny probabilities: a chain that starts in an impossible combination could not leave it.
    smallest = np.finfo(np.float64).tiny
    return {name: np.log(np.maximum(network.table(name), smallest)) for name in network.dag.nodes}


def _drawn(
    network: FrozenNetwork,
    logs: Mapping[Name, FloatArray],
    codes: Mapping[Name, IntArray],
    name: Name,
    where: BoolArray,
    random: np.random.Generator,
) -> IntArray:
    """New states of one variable in some rows, drawn given its Markov blanket."""
    states = network.schema[name].cardinality
    weights = np.zeros((int(where.sum()), states))
    for child in (name, *network.dag.children(name)):
        family = (*network.dag.parents(child), child)
        steps = np.array(logs[child].strides) // logs[child].itemsize
        place = np.zeros(len(weights), dtype=np.int64)
        for member, step in zip(family, steps, strict=True):
            if member != name:
                place += codes[member][where] * step
        own = int(steps[family.index(name)])
        weights += logs[child].reshape(-1)[place[:, None] + own * np.arange(states)]
    # The argmax of log-weights plus Gumbel noise is a draw with probabilities proportional to the weights.
    drawn: IntArray = (weights + random.gumbel(size=weights.shape)).argmax(axis=1).astype(np.int64)
    return drawn
