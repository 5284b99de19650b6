"""One job: a classifier learns from all folds of a table but one and predicts that; the result is kept."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from bayou.errors import BayouError
from classifiers.scores import judged_rows
from classifiers.systems import System, code_of_bayou
from classifiers.tables import ROOT, Table

CACHE = ROOT / "benchmarks" / "cache" / "accuracy"


def kept_at(system: System, table: Table, fold: int) -> Path:
    """Where the result of a job is: by version, for bayou by its code."""
    version = code_of_bayou() if system.ours else f"{system.package}-{system.version}"
    return CACHE / system.name / version / f"{table.name}-{fold}.npz"


def run_job(system: System, table: Table, fold: int) -> None:
    """Do a job, unless its result is there already."""
    path = kept_at(system, table, fold)
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.npz")
    np.savez(part, **judged(system, table, fold))
    part.rename(path)


def judged(system: System, table: Table, fold: int) -> dict[str, Any]:
    """How good each held-out row was predicted, and the seconds; or why the classifier refused."""
    left_out = table.fold_of_row == fold
    rows = system.rows(table.features)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = system.make().fit(rows[~left_out], table.target[~left_out])
            fitted = time.perf_counter()
            proba = np.asarray(model.predict_proba(rows[left_out]))
        except BayouError as error:
            return {"refused": str(error)}
    seconds = [fitted - started, time.perf_counter() - fitted]
    found = judged_rows(table.target[left_out], proba, list(model.classes_))
    chosen = type(model).__name__
    return {"rows": np.flatnonzero(left_out), "seconds": seconds, "chosen": chosen, **found}


def gathered(system: System, table: Table) -> dict[str, Any] | None:
    """All folds of a table together, rows in their order; None while a fold is missing."""
    paths = [kept_at(system, table, fold) for fold in table.folds]
    if not all(path.exists() for path in paths):
        return None
    parts = [dict(np.load(path)) for path in paths]
    for part in parts:
        if "refused" in part:
            return {"refused": str(part["refused"])}
    order = np.argsort(np.concatenate([part["rows"] for part in parts]))
    columns = ("loss", "brier", "confidence", "right")
    found: dict[str, Any] = {key: np.concatenate([part[key] for part in parts])[order] for key in columns}
    found["seconds"] = np.sum([part["seconds"] for part in parts], axis=0)
    found["chosen"] = [str(part["chosen"]) for part in parts]
    return found
