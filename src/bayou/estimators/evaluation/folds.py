"""The folds of cross-validation: stratified, or one row per fold if there are few rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.codes import PlaceArray, counted_places, place_type
from bayou.errors import BadQuestion
from bayou.typing import BoolArray, CountArray, IntArray, State

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
    return stratified_folds(np.array(strata, dtype=np.int64), folds, seed).astype(np.int64)


def stratified_folds(strata: PlaceArray, folds: Any, seed: int) -> PlaceArray:
    """The same for rows whose classes are given as numbers, in few bytes a row."""
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
    largest = int(_sizes(strata).max())
    if largest < folds:
        raise BadQuestion(
            f"folds={folds}, but the largest class has {largest} rows; use at most {largest} folds, or one "
            f"fold per row ({rows})."
        )
    return shuffled_strata(strata, folds, seed)


def shuffled_strata(strata: PlaceArray, folds: int, seed: int) -> PlaceArray:
    """The folds of scikit-learn's ``StratifiedKFold(folds, shuffle=True, random_state=seed)``.

    That makes indices of all rows, 8 bytes each, again and again; here a row takes one byte or two. A class
    with fewer rows than folds is absent from some folds.

    >>> shuffled_strata(np.array([0, 1, 0, 1, 0, 1]), 3, 0).tolist()
    [2, 2, 1, 0, 0, 1]
    """
    random = np.random.RandomState(seed)
    sizes = _sizes(strata)
    present = sorted(np.flatnonzero(sizes).tolist(), key=lambda place: int((strata == place).argmax()))
    chosen: PlaceArray = np.empty(len(strata), dtype=place_type(folds))
    numbers, before = np.arange(folds), 0
    for place in present:
        # The rows, sorted by class, are dealt out like cards: every fold gets each ``folds``-th of them.
        after = before + int(sizes[place])
        dealt = (after - numbers + folds - 1) // folds - (before - numbers + folds - 1) // folds
        own = np.repeat(numbers.astype(chosen.dtype), dealt)
        random.shuffle(own)
        chosen[strata == place] = own
        before = after
    return chosen


def _sizes(strata: PlaceArray) -> CountArray:
    return counted_places(strata, int(strata.max()) + 1)


def given_folds(fold_of_row: Any, rows: int, kept: IntArray | BoolArray) -> IntArray:
    """Return the folds of the labelled rows; ``fold_of_row`` has one for each row of the data.

    ``kept`` has the numbers of the labelled rows, or says of each row whether it is one.
    """
    folds = np.asarray(fold_of_row)
    if folds.shape != (rows,):
        raise BadQuestion(
            f"fold_of_row has the shape {folds.shape}; one fold for each of the {rows} rows is expected."
        )
    chosen: IntArray = np.unique(folds[kept], return_inverse=True)[1].astype(np.int64).ravel()
    if chosen.max() < 1:
        raise BadQuestion("fold_of_row puts all labelled rows into one fold; at least two are needed.")
    return chosen
