"""One sequence in a list or an array, read the short way.

Programs that watch something ask about one short sequence at a time; then reading costs more than computing.
What is known of the columns is found out once for a model. Whatever is not plain (tables, gaps among symbols,
values never seen) is read the long way, by ``sequences_given``, which gives the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from bayou.models.sequences.input.plain_arrays import PlainSymbols, plain_numbers
from bayou.schema import Variable
from bayou.statistics import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_structure import ChainStructure
from bayou.typing import CodeArray, FloatArray, Name

PlainColumns: TypeAlias = tuple[list[CodeArray], list[FloatArray], bool]
"""The codes of columns of symbols, the numbers of other columns, and whether all numbers are finite."""


class OneSequenceReader:
    """Reads sequences of the columns of a chain.

    >>> from bayou import examples
    >>> reader = OneSequenceReader(examples.casino().chain)
    >>> reader.rows([1, 6, 6]).batch.codes["roll"].tolist(), reader.rows([1, 7])
    ([0, 5, 5], None)
    """

    def __init__(self, chain: ChainStructure) -> None:
        self.chain = chain
        columns: list[Variable] = [chain.structure.declared[name] for name in chain.columns]
        self._plain = not any(variable.is_text for variable in columns)
        self._symbols = [None if one.is_continuous else PlainSymbols(one) for one in columns]
        self._coded: list[Name] = [one.name for one in columns if not one.is_continuous]
        self._numbers: list[Name] = [one.name for one in columns if one.is_continuous]

    def rows(self, data: Any) -> SequenceBatch | None:
        """The rows of one sequence; None if it is not plain."""
        found = self.columns(data)
        if found is None:
            return None
        codes, numbers, finite = found
        batch = Batch(
            len(data),
            dict(zip(self._coded, codes, strict=True)),
            dict(zip(self._numbers, numbers, strict=True)),
        )
        if finite:
            batch.finite.update(self._numbers)
            batch.complete.update(self._numbers)
        return SequenceBatch(batch, np.array((0, len(data)), np.int64))

    def columns(self, data: Any) -> PlainColumns | None:
        """The columns of one sequence in the order of the chain's; None if it is not plain."""
        given, symbols = type(data), self._symbols
        if not self._plain or (given is not np.ndarray and given is not list):
            return None
        if (given is np.ndarray and not data.ndim) or not len(data):
            return None
        if given is list or data.ndim == 1:
            if len(symbols) != 1:
                return None
            return self._column(data, symbols[0])
        if data.ndim != 2 or data.shape[1] != len(symbols):
            return None
        if len(symbols) == 1:
            return self._column(data[:, 0], symbols[0])
        codes: list[CodeArray] = []
        numbers: list[FloatArray] = []
        for place, one in enumerate(symbols):
            found: Any = _numbers(data[:, place]) if one is None else one.of_array(data[:, place])
            if found is None:
                return None
            (numbers if one is None else codes).append(found)
        return codes, numbers, not numbers or bool(np.isfinite(data).all())

    def _column(
        self, data: np.ndarray[Any, Any] | Sequence[Any], symbols: PlainSymbols | None
    ) -> PlainColumns | None:
        if symbols is None:
            numbers = _numbers(data)
            return None if numbers is None else ([], [numbers], bool(np.isfinite(numbers).all()))
        codes = symbols.of_array(data) if isinstance(data, np.ndarray) else symbols.of_list(data)
        return None if codes is None else ([codes], [], True)


def _numbers(part: np.ndarray[Any, Any] | Sequence[Any]) -> FloatArray | None:
    if isinstance(part, np.ndarray):
        return part.astype(np.float64, copy=False) if part.dtype.kind == "f" else None
    return plain_numbers(part)
