"""A source as a stranger would write it: nothing but names, variables and batches of rows in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bayou.schema import Variable, natural_order
from bayou.statistics import Batch, Source


class ListSource(Source):
    """Columns of plain values (None where missing), some rows at a time; columns of floats are continuous."""

    def __init__(self, columns: Mapping[Any, Sequence[Any]], batch_rows: int = 50) -> None:
        self.columns, self.batch_rows = columns, batch_rows

    @property
    def names(self) -> tuple[Any, ...]:
        return tuple(self.columns)

    def variable(self, name: Any) -> Variable:
        seen = [value for value in self.columns[name] if value is not None]
        if any(isinstance(value, float) for value in seen):
            return Variable(name)
        return Variable(name, natural_order(list(dict.fromkeys(seen))))

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        rows = len(next(iter(self.columns.values())))
        for first in range(0, rows, self.batch_rows):
            codes, numbers = {}, {}
            size = min(self.batch_rows, rows - first)
            for variable in variables:
                values = self.columns.get(variable.name, [None] * rows)[first : first + size]
                if variable.is_continuous:
                    numbers[variable.name] = np.array(values, dtype=np.float64)
                else:
                    known = [0xFFFF if value is None else variable.code(value) for value in values]
                    codes[variable.name] = np.array(known, dtype=np.uint16)
            yield Batch(size, codes, numbers, first=first)
