"""Random coded columns for the tests of the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from bayou.typing import CodeArray

EDGES = [0, 1, 2, 63, 64, 65, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 16384, 16385, 20000]
CARDS = st.one_of(st.integers(1, 5), st.sampled_from([1, 2, 19, 20, 21, 64, 65, 200, 254, 255, 256, 300]))


@dataclass(frozen=True)
class Coded:
    """Columns and their numbers of states."""

    columns: list[CodeArray]
    cards: list[int]

    @property
    def rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0


def coded_column(
    random: np.random.Generator, rows: int, card: int, gaps: float, wide: bool = False
) -> CodeArray:
    """Uniform codes with a share of missing cells, in the narrowest type or a wider one."""
    narrowest = np.uint8 if card <= 255 else np.uint16
    dtype = np.dtype(np.uint32 if wide else narrowest)
    codes: CodeArray = random.integers(0, card, rows).astype(dtype)
    codes[random.random(rows) < gaps] = np.iinfo(dtype).max
    return codes


@st.composite
def coded(draw: st.DrawFn, least: int = 0, most: int = 6) -> Coded:
    """A few columns of one length, near the edges of tiles and words."""
    cards = draw(st.lists(CARDS, min_size=least, max_size=most))
    rows = draw(st.one_of(st.sampled_from(EDGES), st.integers(0, 300)))
    gaps = draw(st.sampled_from([0.0, 0.0, 0.1, 1.0]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    wides = [draw(st.booleans()) for _ in cards]
    columns = [coded_column(random, rows, card, gaps, wide) for card, wide in zip(cards, wides, strict=True)]
    return Coded(columns, cards)


@st.composite
def coded_with_families(draw: st.DrawFn) -> tuple[Coded, list[list[int]]]:
    """Columns and families of them whose tables stay small enough to test."""
    table = draw(coded())
    if not table.columns:
        return table, [[]]
    member_lists = st.lists(st.integers(0, len(table.columns) - 1), unique=True, max_size=5)
    families = draw(st.lists(member_lists, max_size=5))
    return table, [family for family in families if np.prod([table.cards[i] for i in family]) <= 200_000]
