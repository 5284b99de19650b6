"""Answers to many requests for histograms of values at once: few calls of the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bayou._native import count_families, values_by_class
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.coded_numbers import CodedNumbers
from bayou.statistics.request import group_codes
from bayou.statistics.value_histogram import MOST_ENTRIES, ValueCounts, ValueHistogram, number_of_groups
from bayou.typing import CountArray, FloatArray, Name

_CELLS_AT_ONCE = 2**22


def value_histograms(
    requests: Sequence[ValueHistogram], batch: Batch, variables: Mapping[Name, Variable]
) -> Iterator[tuple[ValueHistogram, ValueCounts]]:
    """Yield each request with its answer; columns with the same ``given`` are counted in one kernel call."""
    alike: dict[tuple[Name, ...], list[ValueHistogram]] = {}
    for request in requests:
        alike.setdefault(request.given, []).append(request)
    weights = None if batch.weights is None else batch.weights.astype(np.float64)
    for names, same in alike.items():
        given = tuple(variables[name] for name in names)
        codes = group_codes(batch, given)
        groups = None if codes is None else np.ascontiguousarray(codes, dtype=np.uint32)
        step = max(1, _CELLS_AT_ONCE // max(1, batch.rows))
        for first in range(0, len(same), step):
            part = same[first : first + step]
            columns = [np.asarray(batch.numbers[request.variable], dtype=np.float64) for request in part]
            values, places, sums, starts = values_by_class(columns, groups, number_of_groups(given), weights)
            whole, ends = places.astype(np.int64), starts.tolist()
            for request, low, high in zip(part, ends, ends[1:], strict=False):
                cells = slice(low, high)
                found = ValueCounts(request.variable, given, values[cells], whole[cells], sums[cells])
                yield request, found if high - low <= MOST_ENTRIES else found.in_narrowest_bins()


def histograms_of_codes(
    requests: Sequence[ValueHistogram], batch: Batch, variables: Mapping[Name, Variable]
) -> dict[ValueHistogram, ValueCounts]:
    """Answer the requests about columns that are held as codes: all are counted in one call of the kernel.

    Requests about other columns are left out.
    """
    held: dict[ValueHistogram, CodedNumbers] = {}
    for request in requests:
        few = batch.few_numbers(request.variable)
        size = number_of_groups([variables[name] for name in request.given])
        if few is not None and 0 < len(few.distinct) * size <= MOST_ENTRIES:
            held[request] = few
    groups = list(dict.fromkeys(name for request in held for name in request.given))
    columns = [*(batch.codes[name] for name in groups), *(few.codes for few in held.values())]
    cards = [*(variables[name].cardinality for name in groups), *(len(few.distinct) for few in held.values())]
    families = [
        [len(groups) + place, *map(groups.index, request.given)] for place, request in enumerate(held)
    ]
    tables = count_families(columns, cards, families, batch.weights) if held else []
    return {
        request: _of_table(request, [variables[name] for name in request.given], few.distinct, table)
        for (request, few), table in zip(held.items(), tables, strict=True)
    }


def _of_table(
    request: ValueHistogram, groups: Sequence[Variable], distinct: FloatArray, table: CountArray
) -> ValueCounts:
    """The entries of a table of counts, value × groups."""
    flat = table.reshape(len(distinct), -1)
    values, codes = np.nonzero(flat)
    weights = flat[values, codes].astype(np.float64)
    return ValueCounts(request.variable, tuple(groups), distinct[values], codes.astype(np.int64), weights)
