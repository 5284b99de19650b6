"""The members that read columns as codes: k-dependence tables, class trees, boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.feature_codes import Codes
from bayou.estimators.pooled.fitted_weights import Halves
from bayou.estimators.pooled.members.boosted_member import BoostedMember, grown_boosted
from bayou.estimators.pooled.members.dependence_ensemble import DependenceEnsemble, grown_ensemble
from bayou.estimators.pooled.members.tree_member import TreeMember, grown_trees
from bayou.estimators.pooled.pool_settings import SIZES, PoolSettings
from bayou.estimators.pooled.prepared_columns import PreparedColumns
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.typing import FloatArray, IntArray

K_DEPENDENCE = "k-dependence tables"
TREES = ("class trees, arithmetic mean", "class trees, geometric mean")
BOOSTED = "boosted trees"
TABLES = (K_DEPENDENCE, *TREES, BOOSTED)
"""What the pool calls these members, in the order of its exponents."""
_KINDS: dict[str, Any] = {
    "dependences": DependenceEnsemble,
    "trees": TreeMember,
    "boosted": BoostedMember,
}


@dataclass(frozen=True, eq=False)
class TableMembers:
    """The members; the class trees are two: their arithmetic and their geometric mean."""

    dependences: DependenceEnsemble
    trees: TreeMember
    boosted: BoostedMember

    @property
    def size(self) -> str:
        """How large they are, in words."""
        counts = len(self.dependences.members), self.trees.trees.shape.n_trees
        name = next((name for name, size in SIZES.items() if size == counts), "another")
        return f"{name} ({counts[0]} k-dependence tables, {counts[1]} class trees)"

    def log_proba(
        self, fine: Codes, used: Mapping[str, float], log_class_shares: FloatArray
    ) -> list[FloatArray]:
        """log P(class | row) of each member; zeros of those whose exponent is 0."""
        nothing = np.zeros((fine.shape[1], len(log_class_shares)))
        trees = self.trees.log_proba(fine) if any(used[name] for name in TREES) else (nothing, nothing)
        return [
            self.dependences.log_proba(fine) if used[K_DEPENDENCE] else nothing,
            *trees,
            self.boosted.log_proba(fine, log_class_shares) if used[BOOSTED] else nothing,
        ]

    def shares(self, fine: Codes, log_class_shares: FloatArray, of: int, against: int) -> list[AddedShares]:
        """The log-odds of one row by each member, split among the columns."""
        return [
            self.dependences.shares(fine, of, against),
            *self.trees.shares(fine, of, against),
            self.boosted.shares(fine, log_class_shares, of, against),
        ]

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {name: getattr(self, name).state() for name in _KINDS}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], prepared: PreparedColumns, classes: int) -> TableMembers:
        """Read :meth:`state`; each member checks that it fits the columns and the number of classes."""
        return cls(**{name: kind.from_state(state[name], prepared, classes) for name, kind in _KINDS.items()})


def grown_tables(
    prepared: PreparedColumns,
    fine: Codes,
    rows: TrainingRows,
    kept: IntArray,
    halves: Halves,
    settings: PoolSettings,
) -> tuple[TableMembers, list[FloatArray]]:
    """Return the members, and log P(class | row) of the kept rows by each, held out."""
    dependences, logs = grown_ensemble(prepared, fine, rows, kept, halves, settings)
    trees, pools = grown_trees(prepared, fine, rows, kept, settings)
    boosted, of_boosted = grown_boosted(prepared, fine, rows, kept, settings)
    return TableMembers(dependences, trees, boosted), [logs, pools.arithmetic, pools.geometric, of_boosted]
