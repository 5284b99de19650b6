"""What an ensemble of many rows learns once, from its sample: cuts, parents, splits of trees, boosted trees.

All rows are then counted into it, those of the first ``fit`` and those that come later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import prod
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.class_trees.class_trees import ClassTrees
from bayou.estimators.pooled.members.boosted_member import BoostedMember, grown_boosted
from bayou.estimators.pooled.members.dependence_member import noisy_parents
from bayou.estimators.pooled.members.tree_inputs import require_fitting_trees
from bayou.estimators.pooled.members.tree_member import grown_trees
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.prepared_columns import PreparedColumns, prepared_columns
from bayou.estimators.pooled.saved_arrays import wholes
from bayou.estimators.pooled.training_rows import NUMBERS, NUMERIC, STATES, TrainingRows
from bayou.memory import release_memory
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.typing import IntArray, Name

LEAST_UNIT = 2.0**-32
"""Weights of rows that come later are rounded to multiples of this in the trees.

Sums of 2²¹ rows are exact in any order, of more up to the last bits; what a row loses by rounding stays
far below what :func:`what_is_left` takes for nothing.
"""
FEW = 100
"""Trees are grown once with so many kept rows, which are not used: m is chosen when all rows were counted."""


@dataclass(frozen=True, eq=False)
class FrozenStructure:
    """Cuts, parents and trees of an ensemble, as plain data; two are the same if their ``key`` is.

    Orders and parents of columns look at the class, and so does the choice among many columns. They were
    found on one half of the sample (by the hashes of rows), and column weights are fitted on rows of the
    other half, whenever these came.
    """

    saved: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Read all parts, so that damaged ones are found when they come from a file."""
        if min(len(self.parents), len(self.kinds), self.boosted.trees.rounds + 1) < 1:
            raise BadFile("the structure of an ensemble is empty.")
        require_fitting_trees(self.saved["trees"], self.prepared, self.classes.cardinality)

    def __reduce__(self) -> tuple[Any, ...]:
        """What was read from the plain data is read again, as by the workers of a cluster."""
        return FrozenStructure, (self.saved,)

    @cached_property
    def key(self) -> str:
        """A digest of the content."""
        digest = blake2b(digest_size=16)
        _digest(self.saved, digest)
        return digest.hexdigest()

    @cached_property
    def classes(self) -> Variable:
        """The classes that the boosted trees know."""
        return Variable.from_state(self.saved["classes"])

    @cached_property
    def kinds(self) -> dict[Name, str]:
        """The kind of every column that is read."""
        return {decode_value(name): str(kind) for name, kind in self.saved["kinds"]}

    @cached_property
    def prepared(self) -> PreparedColumns:
        """The columns and their cuts."""
        return PreparedColumns.from_state(self.saved["prepared"])

    @cached_property
    def parents(self) -> IntArray:
        """The parents of each column in each member, [member, column, 2]."""
        many, columns = self.prepared.cards.shape
        return wholes(self.saved, "parents", (many, columns, 2), -1, columns - 1)

    @cached_property
    def boosted(self) -> BoostedMember:
        """The boosted trees, to which no row is added."""
        return BoostedMember.from_state(self.saved["boosted"], self.prepared, self.classes.cardinality)

    def trees(self, lengths: IntArray, classes: IntArray, counts: Any, n_classes: int) -> ClassTrees:
        """The class trees with these counts: how many classes each node has, which, and how many rows."""
        own = {"lengths": lengths, "classes": classes, "counts": counts, "n_classes": n_classes}
        return ClassTrees.from_state({**self.saved["trees"], **own})

    @property
    def cells(self) -> list[int]:
        """The number of cells of each member's tables, of one class."""
        sizes = []
        for cards, parents in zip(self.prepared.cards.tolist(), self.parents.tolist(), strict=True):
            known = [[cards[parent] for parent in own if parent >= 0] for own in parents]
            sizes.append(sum(card * prod(of) for card, of in zip(cards, known, strict=True)))
        return sizes

    @property
    def nodes(self) -> int:
        """The number of nodes of all trees."""
        return len(self.saved["trees"]["columns"])


def learned_structure(
    rows: TrainingRows,
    classes: Variable,
    variables: Mapping[Name, Variable],
    kinds: Mapping[Name, str],
    settings: PoolSettings,
) -> FrozenStructure | None:
    """Learn cuts, parents and trees from the rows of a sample; None if no column tells rows apart."""
    read = {name: NUMBERS if kind in NUMERIC else STATES for name, kind in kinds.items()}
    seen = np.flatnonzero(rows.half)
    prepared, fine, _ = prepared_columns(rows, variables, read, settings, seen)
    if not prepared.columns:
        return None
    parents = [
        noisy_parents(
            prepared.of_member(number, fine),
            prepared.cards[number],
            rows,
            seen,
            np.random.default_rng([settings.seed, 2, number]),
        )
        for number in range(settings.members)
    ]
    few = rows.kept(FEW)
    trees = grown_trees(prepared, fine, rows, few, settings)[0].trees.splits()
    release_memory()
    nothing = {"lengths": np.zeros(len(trees["columns"]), np.uint8), "classes": np.zeros(0, np.uint8)}
    unit = {"unit": min(trees["unit"], LEAST_UNIT) if rows.weights.sum() < 2.0**36 else trees["unit"]}
    boosted = grown_boosted(prepared, fine, rows, few, settings)[0]
    release_memory()
    used = {column.name for column in prepared.columns}
    return FrozenStructure(
        {
            "classes": classes.state(),
            "kinds": [[encode_value(name), kind] for name, kind in kinds.items() if name in used],
            "prepared": prepared.state(),
            "parents": np.stack(parents).astype(np.int64),
            "trees": {**trees, **nothing, **unit, "counts": np.zeros(0, np.uint8)},
            "boosted": boosted.state(),
        }
    )


def _digest(value: Any, digest: Any) -> None:
    """Add a value of nested plain data to a digest; numbers count by their values, not by their types."""
    if isinstance(value, np.ndarray):
        wide = np.float64 if value.dtype.kind == "f" else np.int64
        digest.update(repr(value.shape).encode() + np.ascontiguousarray(value, dtype=wide).tobytes())
    elif isinstance(value, Mapping):
        for name in sorted(value):
            digest.update(repr(name).encode())
            _digest(value[name], digest)
    elif isinstance(value, list | tuple):
        digest.update(f"[{len(value)}".encode())
        for one in value:
            _digest(one, digest)
    else:
        digest.update(repr(value).encode())
