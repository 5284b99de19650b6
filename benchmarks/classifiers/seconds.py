"""Seconds to fit and to predict, and sizes of models: one classifier after the other, on a quiet machine."""

from __future__ import annotations

import os
import time
import warnings
from datetime import date
from typing import Any

import numpy as np

from bayou.errors import BayouError
from classifiers import peers
from classifiers.findings import kept_findings, save_findings
from classifiers.systems import System, systems
from classifiers.tables import Table, read_table, whole_adult

MOST_RUNS = 3
ENOUGH_SECONDS = 15.0
PREDICTED = 10_000


def timed_tables() -> dict[str, tuple[str, Table]]:
    """Tables small, wide and large: what is done with each, in words; fold 0 is predicted."""
    features, target = whole_adult()
    # All rows are learned from; the first ones are predicted again, which takes as long as new ones.
    adult = Table("adult", features, target, np.full(len(target), 1))
    return {
        "titanic": (
            "nine tenths of 891 rows × 7 learned from, the others predicted",
            read_table("titanic"),
        ),
        "soybean": (
            "nine tenths of 683 rows × 35, 19 classes, the others predicted",
            read_table("soybean"),
        ),
        "digits": (
            "nine tenths of 1,797 rows × 64, ten classes, the others predicted",
            read_table("digits"),
        ),
        "adult": (f"all {len(target):,} rows × 14 learned from, {PREDICTED:,} of them predicted", adult),
    }


def measure_seconds(chosen: list[System]) -> None:
    """Time all of them on all tables, and keep what came out."""
    found = kept_findings()
    kept = found.setdefault("seconds", {})
    kept.update(processors=os.cpu_count(), threads=peers.THREADS)
    today, names = date.today().isoformat(), [system.name for system in chosen]
    if len(chosen) < len(systems()) and kept.get("when", today) != today:
        kept["again"] = {"when": today, "systems": names}
    else:
        kept["when"] = today
        kept.pop("again", None)
    kept.setdefault("tables", {})
    for name, (told, table) in timed_tables().items():
        kept.setdefault("told", {})[name] = told
        for system in (each for each in chosen if each.takes(table)):
            cost = costs(system, table)
            if cost is not None:
                kept["tables"].setdefault(name, {})[system.name] = cost
                print(f"{name:10} {system.name:16} {cost}", flush=True)
            save_findings(found)


def costs(system: System, table: Table) -> dict[str, float] | None:
    """The best seconds of a few runs after one on a few rows, and the bytes; None where it refuses."""
    rows = system.rows(table.features)
    learned = table.fold_of_row != 0
    judged = rows[~learned] if not learned.all() else rows[:PREDICTED]
    try:
        _once(system, rows[:200], table.target[:200], judged[:10])
        runs = [_once(system, rows[learned], table.target[learned], judged)]
        while len(runs) < MOST_RUNS and sum(run[0] + run[1] for run in runs) < ENOUGH_SECONDS:
            runs.append(_once(system, rows[learned], table.target[learned], judged))
    except BayouError:
        return None
    fit, predict = (min(run[place] for run in runs) for place in (0, 1))
    return {"fit": round(fit, 4), "predict": round(predict, 4), "bytes": system.bytes_of(runs[-1][2])}


def _once(system: System, rows: Any, target: np.ndarray, judged: Any) -> tuple[float, float, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        model = system.make().fit(rows, target)
        fitted = time.perf_counter()
        model.predict_proba(judged)
        return fitted - started, time.perf_counter() - fitted, model
