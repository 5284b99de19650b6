"""Small random tables for class trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from bayou.typing import FloatArray


@dataclass(frozen=True)
class TreeTable:
    """Rows, what is known of their columns, and options of the trees."""

    codes: npt.NDArray[np.uint8]
    y: npt.NDArray[np.int32]
    weights: FloatArray | None
    hashes: npt.NDArray[np.uint64]
    cards: list[int]
    ordered: list[bool]
    n_classes: int
    options: dict[str, Any]

    def shape(self) -> dict[str, Any]:
        """The arguments with which a kernel is made."""
        return {"cards": self.cards, "ordered": self.ordered, "n_classes": self.n_classes, **self.options}

    def rows(self, chosen: npt.NDArray[Any]) -> tuple[Any, ...]:
        """Codes, classes, weights and hashes of some rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return np.ascontiguousarray(self.codes[:, chosen]), self.y[chosen], weights, self.hashes[chosen]


@st.composite
def tree_tables(draw: st.DrawFn) -> TreeTable:
    """Tables whose classes depend on some of their columns, a few rows more than once."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows, columns = draw(st.integers(1, 60)), draw(st.integers(1, 6))
    n_classes = draw(st.integers(1, 5))
    cards = [draw(st.sampled_from([1, 2, 3, 5, 9, 64, 255])) for _ in range(columns)]
    codes = np.array([random.integers(0, card, rows) for card in cards], dtype=np.uint8)
    pattern = codes.astype(int).sum(axis=0) + random.integers(0, draw(st.sampled_from([1, 2, 5])), rows)
    repeated = random.integers(0, rows, rows) if draw(st.booleans()) else np.arange(rows)
    hashes = random.integers(0, 2**64, rows, dtype=np.uint64)
    kinds = {
        "none": None,
        "whole": random.integers(0, 4, rows).astype(float),
        "parts": random.random(rows) * 3.0,
        "tiny": random.random(rows) * 1e-9,
        "huge": random.integers(0, 200_000, rows) * 1e9,
    }
    weights = kinds[draw(st.sampled_from(sorted(kinds)))]
    options = {
        "n_trees": draw(st.integers(1, 6)),
        "tried": draw(st.integers(1, columns)),
        "bag_share": draw(st.sampled_from([0.3, 0.632, 1.0])),
        "most_grown": draw(st.sampled_from([5, 65536])),
        "seed": draw(st.integers(0, 2**64 - 1)),
    }
    ordered = [draw(st.booleans()) for _ in range(columns)]
    y = (pattern % n_classes).astype(np.int32)
    return TreeTable(
        np.ascontiguousarray(codes[:, repeated]),
        y[repeated],
        weights,
        hashes[repeated],
        cards,
        ordered,
        n_classes,
        options,
    )
