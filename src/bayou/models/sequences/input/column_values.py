"""Values that no state can emit: refused with their row and column, before a kernel meets them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayou.distributions import Poisson
from bayou.errors import BadData
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.stored_sequences import AnySequences
from bayou.typing import Name

_LARGEST = 1e150
"""The square of a larger number may be infinite."""


def refuse_values(chain: ChainStructure, rows: AnySequences) -> None:
    """Raise BadData for numbers too large for variances, and for counts of events that are none."""
    if chain.gaussians:
        for part in _parts(rows):
            _refuse_large(chain, part)
    refuse_counts(chain, rows)


def _parts(rows: AnySequences) -> Iterable[SequenceBatch]:
    return (rows,) if isinstance(rows, SequenceBatch) else rows.row_parts()


def _refuse_large(chain: ChainStructure, rows: SequenceBatch) -> None:
    numbers: Mapping[Name, Any] = rows.batch.numbers
    for name in chain.gaussians:
        values = numbers.get(name)
        if values is None or not len(values) or (values.max() <= _LARGEST and values.min() >= -_LARGEST):
            continue
        large = np.flatnonzero(np.abs(values) > _LARGEST)  # there may only be gaps
        if len(large):
            value = float(values[large[0]])
            said = "is infinite" if np.isinf(value) else f"is {value:.3g}"
            raise BadData(
                f"Column {name!r} {said} in row {rows.batch.number(int(large[0]))} (counting from 0), so "
                "that its variance is not a number. Make the cell missing (NaN), or give the column in "
                "another unit."
            )


def refuse_counts(chain: ChainStructure, rows: AnySequences) -> None:
    """Raise BadData for counts of events that are fractions or negative.

    >>> import bayou
    >>> bayou.HMM(2, {"calls": "poisson"}).fit({"calls": [1, 0, 2.5, 3]})
    Traceback (most recent call last):
    bayou.errors.BadData: Column 'calls' has 2.5 in row 2 (counting from 0), which is no count of events: ...
    """
    names = _counts_of_events(chain)
    for part in _parts(rows) if names else ():
        for name in names:
            if name in part.batch.numbers:
                _refuse_no_count(name, part)


def _refuse_no_count(name: Name, rows: SequenceBatch) -> None:
    values = np.asarray(rows.batch.numbers[name], dtype=np.float64)
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero(
            (values < 0) | ((values != np.floor(values)) & ~np.isnan(values)) | np.isinf(values)
        )
    if len(wrong):
        raise BadData(
            f"Column {name!r} has {float(values[wrong[0]]):g} in row {rows.batch.number(int(wrong[0]))} "
            '(counting from 0), which is no count of events: "poisson" needs whole numbers, 0 or more. Use '
            f'another kind of emission, such as emissions={{{name!r}: "gaussian"}}.'
        )


def _counts_of_events(chain: ChainStructure) -> list[Name]:
    kinds = chain.structure.kinds
    return [
        name
        for name in chain.columns
        if name in kinds and (kinds[name] is Poisson or getattr(kinds[name], "learned_as", None) is Poisson)
    ]
