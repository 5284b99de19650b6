"""The accuracy of bayou's classifiers at default settings beside other libraries', on the same folds.

``python benchmarks/accuracy.py [table …]`` reads the tables, folds and the other libraries' numbers from
``../shared/data`` beside the repository, keeps what it finds in ``benchmarks/accuracy.json`` and writes
``docs/accuracy.md``; ``--page`` only writes the page again.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from pathlib import Path
from typing import Any

import bayou
from accuracy_page import accuracy_page
from bayou.errors import BayouError

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = REPOSITORY.parent / "shared" / "data"
if not SHARED.is_dir():
    # A git worktree lies one folder deeper.
    SHARED = REPOSITORY.parents[1] / "shared" / "data"
KEPT = REPOSITORY / "benchmarks" / "accuracy.json"
PAGE = REPOSITORY / "docs" / "accuracy.md"
TEXT_CODED = ("mushroom", "house_votes", "car", "soybean")
"""Tables whose numerals are codes, not quantities."""
FEWEST_ROWS = 300
MODELS = ("nb", "gaussian", "tan", "aode", "kdb", "chow-liu")


def references() -> dict[str, Any]:
    """What other libraries reached, by table."""
    found: dict[str, Any] = json.loads((SHARED / "reference" / "classifiers.json").read_text("utf-8"))
    return {
        name: entry
        for name, entry in found["results"].items()
        if entry.get("rows", 0) >= FEWEST_ROWS and not name.startswith("text:")
    }


def folds() -> dict[str, list[int]]:
    """The fold of every row, by table."""
    with gzip.open(SHARED / "reference" / "folds.json.gz", "rt", encoding="utf-8") as file:
        found: dict[str, list[int]] = json.load(file)
    return found


def read_table(name: str) -> tuple[Any, Any]:
    """Features and target (the last column, as text); only empty fields are gaps."""
    import pandas

    frame = pandas.read_csv(
        SHARED / "tables" / f"{name}.csv.gz",
        dtype=str if name in TEXT_CODED else None,
        keep_default_na=False,
        na_values=[""],
    )
    return frame.iloc[:, :-1], frame.iloc[:, -1].astype(str)


def measure(name: str, fold_of_row: list[int]) -> dict[str, Any]:
    """Every model on one table; a table that a model can not read has the reason instead of numbers."""
    features, target = read_table(name)
    found: dict[str, Any] = {}
    for model in MODELS:
        started = time.perf_counter()
        try:
            scores = bayou.evaluate(model, features, target, fold_of_row=fold_of_row).best
        except BayouError as error:
            found[model] = {"refused": str(error)}
            continue
        found[model] = {
            "accuracy": scores.accuracy,
            "log_loss": scores.log_loss,
            "brier": scores.brier,
            "ece": scores.ece,
            "seconds": round(time.perf_counter() - started, 2),
        }
        print(f"{name:16s} {model:9s} {scores.accuracy:.4f} {scores.log_loss:.4f}", flush=True)
    return found


def main(arguments: list[str]) -> None:
    """Measure (all or the named tables), keep, write the page."""
    listed = references()
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    if "--page" not in arguments:
        of_row = folds()
        for name in arguments or sorted(listed, key=lambda table: listed[table]["rows"]):
            kept[name] = measure(name, of_row[name])
            KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(accuracy_page(kept, listed), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
