"""Precision, recall, F1, AUC and average precision of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bayou.decisions.calibration import count_cell
from bayou.decisions.ranking_curves import RankSums
from bayou.schema import label
from bayou.text.tables import Cell, TextTable
from bayou.typing import CountArray, State


@dataclass(frozen=True)
class ClassScores:
    """The scores of one class against all others.

    ``precision`` is the share of the rows predicted as this class that belong to it (0 if there are none),
    ``recall`` the share of its rows that are predicted so, ``f1`` their harmonic mean. ``auc`` is the
    probability that a row of the class has a higher P(class | row) than another row, and
    ``average_precision`` the mean precision over all recalls. What no row decides is NaN.
    """

    name: State
    rows: float
    predicted: float
    precision: float
    recall: float
    f1: float
    auc: float
    average_precision: float

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data."""
        own = asdict(self)
        return {"class": own.pop("name"), **own}


def class_scores(
    counts: CountArray, classes: Sequence[State], ranks: Sequence[RankSums]
) -> tuple[ClassScores, ...]:
    """Score each class; ``counts`` is the confusion matrix, true × predicted, ``ranks`` its rows compared."""
    scores = []
    for place, name in enumerate(classes):
        right, own, called = counts[place, place], counts[place].sum(), counts[:, place].sum()
        scores.append(
            ClassScores(
                name,
                own.item(),
                called.item(),
                _share(right, called, 0.0),
                _share(right, own, np.nan),
                _share(2 * right, own + called, np.nan),
                ranks[place].auc,
                ranks[place].average_precision,
            )
        )
    return tuple(scores)


def class_table(scores: Sequence[ClassScores], title: str) -> TextTable:
    """One row per class."""
    rows: list[list[Cell]] = [
        [label(one.name), count_cell(one.rows), *map(score_text, _numbers(one))] for one in scores
    ]
    header = ["class", "rows", "precision", "recall", "F1", "AUC", "average precision"]
    return TextTable(header, rows, title=title)


def score_text(value: float) -> str:
    """A score with four decimals; a dash where it is not defined."""
    return "–" if np.isnan(value) else f"{value:.4f}"


def _numbers(one: ClassScores) -> tuple[float, ...]:
    return one.precision, one.recall, one.f1, one.auc, one.average_precision


def _share(part: Any, whole: Any, otherwise: float) -> float:
    return float(part / whole) if whole > 0 else otherwise
