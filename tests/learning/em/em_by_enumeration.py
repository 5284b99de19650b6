"""A slow and simple reference of EM that enumerates every completion of every row."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

Tables = dict[str, npt.NDArray[np.float64]]


def expectations(
    parents: dict[str, list[str]], tables: Tables, rows: list[dict[str, int | None]], weights: list[float]
) -> tuple[float, Tables]:
    """Σ weight · log P(row), and the expected counts of every family."""
    names = list(parents)
    sizes = {name: tables[name].shape[-1] for name in names}
    counts = {name: np.zeros_like(table) for name, table in tables.items()}
    total = 0.0
    for row, weight in zip(rows, weights, strict=True):
        choices = [range(sizes[name]) if row[name] is None else [row[name]] for name in names]
        worlds = [dict(zip(names, world, strict=True)) for world in product(*choices)]
        chances = [np.prod([_chance(parents, tables, name, world) for name in names]) for world in worlds]
        whole = float(np.sum(chances))
        total += weight * float(np.log(whole))
        for world, chance in zip(worlds, chances, strict=True):
            for name in names:
                counts[name][_cell(parents, name, world)] += weight * chance / whole
    return total, counts


def em(
    parents: dict[str, list[str]],
    tables: Tables,
    rows: list[dict[str, int | None]],
    weights: list[float],
    pseudo: float,
    iterations: int,
) -> tuple[list[float], Tables]:
    """The log-likelihood before and after each iteration, and the last tables."""
    trace = []
    for _ in range(iterations):
        value, counts = expectations(parents, tables, rows, weights)
        trace.append(value)
        weighed = {name: count + pseudo for name, count in counts.items()}
        tables = {name: count / count.sum(axis=-1, keepdims=True) for name, count in weighed.items()}
    return [*trace, expectations(parents, tables, rows, weights)[0]], tables


def _cell(parents: dict[str, list[str]], name: str, world: dict[str, Any]) -> tuple[int, ...]:
    return (*(world[parent] for parent in parents[name]), world[name])


def _chance(parents: dict[str, list[str]], tables: Tables, name: str, world: dict[str, Any]) -> float:
    return float(tables[name][_cell(parents, name, world)])
