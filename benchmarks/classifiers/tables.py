"""The tables and their folds, from ``../shared/data`` beside the repository."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
if not SHARED.is_dir():
    # A git worktree lies one folder deeper.
    SHARED = ROOT.parents[1] / "shared" / "data"
TEXT_CODED = ("mushroom", "house_votes", "car", "soybean")
"""Tables whose numerals are codes, not quantities."""
TOYS = ("dogs", "play_tennis", "hair_height_country")
"""Examples of lectures, with fewer than 30 rows: measured, but in no mean."""


@dataclass(frozen=True)
class Table:
    """Rows as a user has them: a pandas frame of features and the class of each row as text."""

    name: str
    features: Any
    target: np.ndarray
    fold_of_row: np.ndarray

    @property
    def folds(self) -> list[int]:
        """The numbers of the folds."""
        found: list[int] = np.unique(self.fold_of_row).tolist()
        return found

    @property
    def all_numbers(self) -> bool:
        """Is every feature a number?"""
        return not any(is_category(self.features[name]) for name in self.features)

    @property
    def facts(self) -> dict[str, Any]:
        """What the page tells of the table, with the entropy of its classes in nats."""
        shares = np.unique(self.target, return_counts=True)[1] / len(self.target)
        return {
            "rows": len(self.target),
            "columns": self.features.shape[1],
            "classes": len(shares),
            "largest": float(shares.max()),
            "entropy": float(-(shares * np.log(shares)).sum()),
        }


def is_category(column: Any) -> bool:
    """Does a column hold states (texts or truth values), not numbers?"""
    return bool(column.dtype.kind not in "iuf")


def typed(features: Any) -> Any:
    """The same rows as other libraries want them: states as pandas categories, plain names of columns.

    The categories are those of the whole table, so that no library meets an unknown one where it would fail.
    """
    import pandas

    columns = {}
    for place, name in enumerate(features):
        column = features[name]
        if is_category(column):
            texts = column.astype(object).where(column.isna(), column.astype(str))
            column = texts.astype("category")
        columns[f"x{place}"] = column
    return pandas.DataFrame(columns)


def table_names() -> list[str]:
    """Every table that has folds, small ones first."""
    of_row = _folds()
    return sorted((name for name in of_row if _path(name).exists()), key=lambda name: len(of_row[name]))


@cache
def read_table(name: str) -> Table:
    """A table (the last column is the class); only empty fields are gaps."""
    frame = _frame(name)
    target = frame.iloc[:, -1].astype(str).to_numpy(dtype=object)
    return Table(name, frame.iloc[:, :-1], target, np.array(_folds()[name]))


def whole_adult() -> tuple[Any, np.ndarray]:
    """Both official parts of adult together: 48,842 rows."""
    import pandas

    frame = pandas.concat([_frame("adult"), _frame("adult_test")], ignore_index=True)
    return frame.iloc[:, :-1], frame.iloc[:, -1].astype(str).to_numpy(dtype=object)


def _frame(name: str) -> Any:
    import pandas

    read_as = str if name in TEXT_CODED else None
    return pandas.read_csv(_path(name), dtype=read_as, keep_default_na=False, na_values=[""])


def _path(name: str) -> Path:
    return SHARED / "tables" / f"{name}.csv.gz"


@cache
def _folds() -> dict[str, list[int]]:
    with gzip.open(SHARED / "reference" / "folds.json.gz", "rt", encoding="utf-8") as file:
        found: dict[str, list[int]] = json.load(file)
    return found


def reference(name: str) -> dict[str, Any]:
    """Numbers that came with the tables, such as pyAgrum's: by table."""
    found: dict[str, Any] = json.loads((SHARED / "reference" / f"{name}.json").read_text("utf-8"))
    return found
