"""Plain numpy reference of the expected counts of incomplete rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.codes import missing_code
from bayou.typing import CodeArray, FloatArray


class ExpectedCounts:
    """Expected counts over the scopes of a product of tables, by summing over all hidden states per row."""

    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        open_cards: Sequence[int] | None = None,
    ) -> None:
        self._cards = list(cards)
        self._open_cards = list(cards if open_cards is None else open_cards)
        self._scopes = [list(scope) for scope in scopes]

    def run(
        self,
        tables: list[FloatArray],
        columns: list[CodeArray],
        variables: Sequence[int],
        rows: int,
        weights: FloatArray | None = None,
        threads: int = 0,
        most_bytes: float = np.inf,
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return log P of each row (-inf: not counted), and the expected counts, shaped like the tables."""
        shaped = [table.reshape(self._shape(k)) for k, table in enumerate(tables)]
        counts = [np.zeros_like(table) for table in shaped]
        logs = np.zeros(rows)
        missing = [missing_code(column.dtype) for column in columns]
        for row in range(rows):
            weight = 1.0 if weights is None else float(weights[row])
            cells = zip(variables, columns, missing, strict=True)
            found = {v: int(column[row]) for v, column, gap in cells if column[row] != gap}
            if weight != 0:
                logs[row] = self._add_row(shaped, found, weight, counts)
        return logs, counts

    def _add_row(
        self, tables: list[FloatArray], found: dict[int, int], weight: float, counts: list[FloatArray]
    ) -> float:
        opened = [slice(card) for card in self._open_cards]
        places = [tuple(found.get(v, opened[v]) for v in scope) for scope in self._scopes]
        hidden = [[v for v in scope if v not in found] for scope in self._scopes]
        names = {v: k for k, v in enumerate(sorted({v for scope in hidden for v in scope}))}
        operands: list[Any] = []
        for table, place, scope in zip(tables, places, hidden, strict=True):
            operands += [table[place], [names[v] for v in scope]]
        total = float(np.einsum(*operands, [], optimize="greedy"))
        if not total > 0:
            return -np.inf
        for count, place, scope in zip(counts, places, hidden, strict=True):
            share = np.einsum(*operands, [names[v] for v in scope], optimize="greedy")
            count[place] += weight * (share / total)
        return float(np.log(total))

    def _shape(self, which: int) -> list[int]:
        return [self._cards[v] for v in self._scopes[which]]

    def bytes(self, rows: int) -> float:
        """The memory that a run takes besides its tables and counts."""
        return 0.0

    def expected_entries(self, missing: Sequence[float]) -> float:
        """The expected number of table entries visited per row, given each variable's share of missing."""
        shares = zip(missing, self._open_cards, strict=True)
        return float(np.prod([1 + m * (card - 1.0) for m, card in shares]))
