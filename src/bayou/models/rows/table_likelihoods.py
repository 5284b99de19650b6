"""The log-likelihood of complete rows, split into one term for each local distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.distributions import FamilyRows
from bayou.errors import BadData
from bayou.models.rows.row_answers import log_likelihoods, weighted
from bayou.models.rows.row_chunks import RowChunk
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import FloatArray, Name


def likelihood_by_table(
    network: FrozenNetwork, data: Any, weights: Any, unknown: str, columns: Sequence[Name] | None
) -> dict[Name, float]:
    """Return Σ log P(variable | parents) over the rows for each variable; their sum is log P(all rows)."""
    network.require(network.dag.nodes)
    found: list[dict[Name, FloatArray]] = []

    def logs_of(chunk: RowChunk) -> FloatArray:
        found.append(_terms(network, chunk))
        return np.zeros(chunk.coded.rows)

    sums: dict[Name, list[float]] = {name: [] for name in network.dag.nodes}
    for _, _, weight in log_likelihoods(network, data, weights, unknown, columns, logs_of):
        for name, logs in found.pop().items():
            sums[name].append(math.fsum(weighted(logs, weight).tolist()))
    return {name: math.fsum(parts) for name, parts in sums.items()}


def _terms(network: FrozenNetwork, chunk: RowChunk) -> dict[Name, FloatArray]:
    coded = chunk.coded
    batch = Batch(coded.rows, coded.codes, coded.numbers, first=chunk.first)
    all_columns = {**coded.codes, **coded.numbers}
    for name in network.dag.nodes:
        gaps = batch.missing(name) if name in all_columns else np.ones(coded.rows, dtype=bool)
        if gaps.any():
            raise BadData(
                f"{name!r} is missing in row {batch.number(int(gaps.argmax()))} (counting from 0): the "
                "log-likelihood of a row with gaps has no term for each table. Leave by= out, fill the gaps "
                "(net.impute), or leave such rows out."
            )
    terms: dict[Name, FloatArray] = {}
    for name in network.dag.nodes:
        family = network.family(name)
        parents = [coded.codes[parent.name] for parent in family.discrete]
        inputs = [coded.numbers[parent.name] for parent in family.continuous]
        stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((coded.rows, 0))
        rows = FamilyRows(coded.rows, parents, stacked, all_columns[name])
        terms[name] = network.distribution(name).log_density(rows)
    return terms
