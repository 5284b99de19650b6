"""Means over the tables: what the first screen of the page tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from classifiers.names import TITLES
from classifiers.tables import TOYS

NEARLY_SOLVED = ("mushroom",)
"""Left out of geometric means: losses near 0 would decide them."""
SMALL_AND_HEAVY = (*NEARLY_SOLVED, "wine")
NOT_FOR_ALL = ("gaussian-nb",)
"""Classifiers that cannot read every table by design are in no mean."""
FEWEST_PAIRED_ROWS = 300


@dataclass(frozen=True)
class Mean:
    """One classifier's means over all tables."""

    name: str
    log_loss: float
    without_wine: float
    share_of_entropy: float
    accuracy: float
    ece: float
    brier: float
    rank: float
    best: int


def scored(entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The classifiers that have numbers on a table."""
    return {name: each for name, each in entry["models"].items() if "log_loss" in each}


def real_tables(found: Mapping[str, Any]) -> list[str]:
    """The tables that are no toys, small ones first."""
    tables = found["tables"]
    return sorted(
        (name for name in tables if name not in TOYS), key=lambda name: (tables[name]["rows"], name)
    )


def common(found: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The tables of the means, where BayesEnsemble has numbers, and the classifiers that have all of them."""
    models = {table: scored(found["tables"][table]) for table in real_tables(found)}
    tables = [table for table, each in models.items() if "ensemble" in each] or list(models)
    every = [name for name in TITLES if name not in NOT_FOR_ALL]
    return [name for name in every if all(name in models[table] for table in tables)], tables


def lacking(found: Mapping[str, Any]) -> dict[str, int]:
    """The classifiers that are in no mean because they have not all tables, and how many they have."""
    names, tables = common(found)
    counts = {
        name: sum(name in scored(found["tables"][table]) for table in tables)
        for name in TITLES
        if name not in names and name not in NOT_FOR_ALL
    }
    return {name: count for name, count in counts.items() if count}


def means(found: Mapping[str, Any]) -> list[Mean]:
    """Every classifier's means, the best first."""
    names, tables = common(found)
    ranks = {name: [rank_of(name, found["tables"][table], names) for table in tables] for name in names}
    made = [_mean(name, found, tables, ranks[name]) for name in names]
    return sorted(made, key=lambda each: each.log_loss)


def rank_of(name: str, entry: Mapping[str, Any], names: Iterable[str]) -> float:
    """The place of a classifier by log-loss on a table, from 1; the mean place of equals."""
    models = entry["models"]
    own = models[name]["log_loss"]
    losses = [models[each]["log_loss"] for each in names]
    return sum(loss < own for loss in losses) + (1 + sum(loss == own for loss in losses)) / 2


def _mean(name: str, found: Mapping[str, Any], tables: list[str], ranks: list[float]) -> Mean:
    entries = [found["tables"][table] for table in tables]
    of = [entry["models"][name] for entry in entries]
    shares = [each["log_loss"] / entry["entropy"] for each, entry in zip(of, entries, strict=True)]
    return Mean(
        name,
        geometric(found, name, [table for table in tables if table not in NEARLY_SOLVED]),
        geometric(found, name, [table for table in tables if table not in SMALL_AND_HEAVY]),
        float(np.mean(shares)),
        *(float(np.mean([each[key] for each in of])) for key in ("accuracy", "ece", "brier")),
        rank=float(np.mean(ranks)),
        best=sum(rank < 2 for rank in ranks),
    )


def geometric(found: Mapping[str, Any], name: str, tables: Iterable[str]) -> float:
    """The geometric mean of a classifier's log-losses."""
    losses = [found["tables"][table]["models"][name]["log_loss"] for table in tables]
    return float(np.exp(np.mean(np.log(np.maximum(losses, 1e-15)))))


@dataclass(frozen=True)
class Comparison:
    """One of bayou's classifiers against a rival on the rows of a table."""

    table: str
    own: float
    rival: str
    theirs: float
    difference: float
    error: float

    @property
    def allowed(self) -> float:
        """3 % of the rival's log-loss or one paired standard error, whichever is larger."""
        return max(0.03 * self.theirs, self.error)

    @property
    def met(self) -> bool:
        return self.difference <= self.allowed


def comparisons(found: Mapping[str, Any], name: str, against: str) -> list[Comparison]:
    """On every table of 300 rows or more: against the ``bar`` (forest, boosting), or the ``best`` of all."""
    made = []
    for table in real_tables(found):
        entry = found["tables"][table]
        told = entry.get("paired", {}).get(name, {}).get(against)
        if told is None or entry["rows"] < FEWEST_PAIRED_ROWS:
            continue
        models = entry["models"]
        losses = models[name]["log_loss"], models[told["rival"]]["log_loss"]
        made.append(Comparison(table, losses[0], told["rival"], losses[1], told["difference"], told["error"]))
    return made
