"""What all trees of the pool read: the codes of the columns, and the rows that they grow on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.pooled.feature_codes import UNKNOWN, Codes
from bayou.estimators.pooled.prepared_columns import PreparedColumns
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.typing import IntArray

Trees = TypeVar("Trees")


def tree_codes(prepared: PreparedColumns, fine: Codes) -> Codes:
    """The codes of the trees, [column, row]; the code after the last one of a column means unknown."""
    return prepared.of_trees(fine)


def tree_cards(prepared: PreparedColumns) -> list[int]:
    """The number of codes of each column, that of gaps included: the next code means unknown."""
    cards: list[int] = prepared.for_trees[:, UNKNOWN].tolist()
    return cards


def require_fitting_trees(state: Mapping[str, Any], prepared: PreparedColumns, classes: int) -> None:
    """Raise BadFile unless the trees of a file read the codes of these columns and predict these classes."""
    own = [column.is_ordered for column in prepared.columns]
    fits = np.array_equal(state["cards"], tree_cards(prepared)) and np.array_equal(state["ordered"], own)
    if not fits or state["n_classes"] != classes:
        raise BadFile("the trees of an ensemble have other columns or classes than the ensemble.")


def grown_on(
    grow: Callable[..., Trees],
    prepared: PreparedColumns,
    fine: Codes,
    rows: TrainingRows,
    kept: IntArray,
    **settings: Any,
) -> Trees:
    """Trees of either kind, grown on these rows; they judge the ``kept`` ones."""
    return grow(
        tree_codes(prepared, fine),
        rows.own.astype(np.int32),
        rows.classes,
        row_hashes=rows.hashes,
        cards=tree_cards(prepared),
        ordered=[column.is_ordered for column in prepared.columns],
        weights=None if (rows.weights == 1).all() else rows.weights,
        kept=kept,
        **settings,
    )
