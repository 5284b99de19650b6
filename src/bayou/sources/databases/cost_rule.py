"""How to answer requests: by GROUP BYs over blocks of columns, by grouping sets, or from the rows.

All are tried on some rows and timed; the fastest, carried over to all rows, is used. Small tables are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import Literal, TypeAlias

from sqlglot import exp

from bayou.sources.databases.cell_answers import Block, families_of
from bayou.sources.databases.cell_counts import Cells, Counted, joined_blocks, set_groups
from bayou.sources.databases.drivers.statements import Statement, count_values, selected
from bayou.statistics import Moments, NumberSummary, Request
from bayou.typing import Name

Choice: TypeAlias = Literal["cells", "sets", "rows"]
SMALL = 50_000
"""Tables of up to this many rows are read: a trial would take longer."""
_SLICE = 20_000
"""The rows of a trial."""
_FEW = 500
"""The rows of a trial that shows what a way takes at least."""
_WORTH_OF_ROWS = 0.5
"""Reading rows that can be kept may take longer than counting, by this factor: learning often asks twice."""
_MOST_BLOCKS = 40
"""With more GROUP BYs than this the rows are read without a trial: each of them reads the table."""
_TRIED_BLOCKS = 3
"""The blocks of a trial; the time of all is that of these, times their share."""


def chosen(
    counted: Counted,
    requests: Sequence[Request],
    trial_rows: Callable[[Sequence[Request], int], None],
    kept_bytes: float = 0,
) -> Choice:
    """Return the fastest way to answer the requests, tried once for such requests in one state of the data.

    Rows that fit into ``kept_bytes`` are kept when they are read, which saves later passes.
    """
    key = ("choice", counted.relation.key, counted.conditions, counted.weights, *_sort(requests))
    found: Choice = counted.driver.remember(key, lambda: _tried(counted, requests, trial_rows, kept_bytes))
    return found


def _sort(requests: Sequence[Request]) -> tuple[object, ...]:
    """What requests that cost about the same have in common: kinds, and how many (to a factor of two)."""
    kinds = Counter(type(request).__name__ for request in requests)
    numbers = frozenset((kind, number.bit_length()) for kind, number in kinds.items())
    families = families_of(requests)
    return numbers, len(families).bit_length(), max(map(len, families), default=0)


def _tried(
    counted: Counted,
    requests: Sequence[Request],
    trial_rows: Callable[[Sequence[Request], int], None],
    kept_bytes: float,
) -> Choice:
    rows = counted.driver.size(counted.relation)
    if rows <= SMALL:
        return "rows"
    families = families_of(requests)
    blocks = joined_blocks(families, slice_sizes(counted, families).__getitem__)
    if len(blocks) > _MOST_BLOCKS:
        return "rows"
    means, summaries = (sum(isinstance(each, kind) for each in requests) for kind in (Moments, NumberSummary))
    workers = max(
        (counted.driver.workers(counted.statement(block), counted.relation) for block in blocks), default=1
    )
    trial_rows(requests, _FEW)  # what is found out once, such as ranges, is no part of the times
    times: dict[Choice, float] = {"rows": _cost(lambda some: trial_rows(requests, some), rows)}
    if rows * len(counted.columns) <= kept_bytes:
        times["rows"] *= _WORTH_OF_ROWS
    tried = blocks[:: -(-len(blocks) // _TRIED_BLOCKS)] if blocks else []
    share = len(blocks) / max(1, len(tried))
    by_block = _cost(lambda some: counted_cells(counted, tried, slice_rows=some), rows) * share / workers
    each = by_block / max(1, len(blocks))
    times["cells"] = by_block + each * (means + summaries)
    if counted.driver.has_grouping_sets and len(blocks) > 1 and not means:
        by_set = _cost(lambda some: counted_cells(counted, tried, True, slice_rows=some), rows)
        times["sets"] = by_set * share + each * summaries
    return min(times, key=times.__getitem__)


def slice_sizes(counted: Counted, families: Iterable[Block]) -> Mapping[Name, int]:
    """Return about how many values each column has, NULL included: as many as some rows have."""
    names = list(dict.fromkeys(name for family in families for name in family))
    if not names:
        return {}
    statement = Statement()
    distinct = [exp.Distinct(expressions=[counted.key(name, statement)]) for name in names]
    where = [condition(statement) for condition in counted.conditions]
    statement.tree = selected([count_values(each) for each in distinct], where=where, slice_rows=_SLICE)
    found = counted.driver.run(statement, counted.relation)[0]
    return {name: int(size) + 1 for name, size in zip(names, found, strict=True)}


def counted_cells(
    counted: Counted, blocks: Sequence[Block], grouping_sets: bool = False, slice_rows: int | None = None
) -> dict[Block, Cells]:
    """Return the cells of all blocks, by one statement each or by grouping sets."""
    if not grouping_sets and slice_rows is None:
        return {block: counted.all_cells(block) for block in blocks}
    if not grouping_sets:
        return {block: counted.cells(block, slice_rows) for block in blocks}
    found: dict[Block, Cells] = {}
    for group in set_groups(blocks):
        found.update(zip(group, counted.cells_of_sets(group, slice_rows), strict=True))
    return found


def _cost(trial: Callable[[int], object], rows: int) -> float:
    """About how many seconds all rows take, from few rows and from a slice of them."""
    few, many = (_seconds(trial, some) for some in (_FEW, _SLICE))
    return few + max(0.0, many - few) * rows / (_SLICE - _FEW)


def _seconds(trial: Callable[[int], object], rows: int) -> float:
    start = perf_counter()
    trial(rows)
    return perf_counter() - start
