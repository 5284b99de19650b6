"""The folds of cross-validation: stratified, or one row per fold if there are few rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from bayou.arguments import whole_number
from bayou.errors import BadQuestion
from bayou.typing import IntArray, State

DEFAULT_FOLDS = 10
FEWEST_ROWS = 5
"""With fewer rows per fold than this, each row is its own fold."""


def folds_of(labels: Sequence[State], folds: Any, seed: int) -> IntArray:
    """Return the fold of each row, by scikit-learn's shuffled ``StratifiedKFold`` on the labels as text.

    With fewer than five rows per fold (under 50 rows for ten folds) each row is a fold of its own.

    >>> folds_of(["a", "b"] * 3, 10, 0).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    places: dict[str, int] = {}
    strata = [places.setdefault(str(label), len(places)) for label in labels]
    return stratified_folds(np.array(strata, dtype=np.int64), folds, seed)


def stratified_folds(strata: IntArray, folds: Any, seed: int) -> IntArray:
    """The same for rows whose classes are given as numbers."""
    rows = len(strata)
    folds = whole_number("folds", folds, 2, expected="give the number of folds, a whole number, 2 or more")
    if rows < 2:
        raise BadQuestion("Cross-validation needs at least two labelled rows; there is one.")
    if folds > max(rows, DEFAULT_FOLDS):
        raise BadQuestion(
            f"folds={folds}, but there are {rows} labelled rows: use at most {rows} folds, which leave each "
            "row out once."
        )
    if folds >= rows or rows < FEWEST_ROWS * folds:
        return np.arange(rows)
    largest = int(np.bincount(strata).max())
    if largest < folds:
        raise BadQuestion(
            f"folds={folds}, but the largest class has {largest} rows; use at most {largest} folds, or one "
            f"fold per row ({rows})."
        )
    chosen: IntArray = np.empty(rows, dtype=np.int64)
    with warnings.catch_warnings():
        # A class with fewer rows than folds is absent from some folds, which the scores allow.
        warnings.simplefilter("ignore", UserWarning)
        splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(strata, strata)
        for fold, (_train, held_out) in enumerate(splits):
            chosen[held_out] = fold
    return chosen


def given_folds(fold_of_row: Any, rows: int, kept: IntArray) -> IntArray:
    """Return the folds of the labelled rows; ``fold_of_row`` has one for each row of the data."""
    folds = np.asarray(fold_of_row)
    if folds.shape != (rows,):
        raise BadQuestion(
            f"fold_of_row has the shape {folds.shape}; one fold for each of the {rows} rows is expected."
        )
    chosen: IntArray = np.unique(folds[kept], return_inverse=True)[1].astype(np.int64).ravel()
    if chosen.max() < 1:
        raise BadQuestion("fold_of_row puts all labelled rows into one fold; at least two are needed.")
    return chosen
