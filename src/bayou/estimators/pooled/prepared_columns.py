"""What all members need of the columns: fine codes, and for each member the coarser ones that it draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.feature_codes import (
    UNKNOWN,
    Codes,
    ColumnCodes,
    NumberCodes,
    StateCodes,
    coded_rows,
)
from bayou.estimators.pooled.gap_patterns import GapPatterns
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.random_cuts import SeenNumbers
from bayou.estimators.pooled.saved_arrays import parts, wholes
from bayou.estimators.pooled.training_rows import NUMBERS, Hashes, TrainingRows
from bayou.schema import Variable
from bayou.typing import FloatArray, IntArray, Name

TREE_RANGES = 62
MOST_COLUMNS = 250
"""Of wider tables the columns with the most information about the class are used."""
RANGES, MOST_RANGES = 12, 20
"""Members draw from a third of the most ranges to the most: 12 up to 2,000 rows, then more."""
MOST_CODES = 250


@dataclass(frozen=True, eq=False)
class PreparedColumns:
    """The used columns; for each member and the trees, tables from fine codes to their own codes.

    ``own`` has the axes (member, column, fine code), ``cards`` (member, column): the number of own codes.
    """

    columns: tuple[ColumnCodes, ...]
    own: Codes
    cards: np.typing.NDArray[np.uint32]
    for_trees: Codes
    gap_patterns: GapPatterns

    def coded(self, rows: FeatureTable) -> Codes:
        """The fine codes of rows, [column, row]."""
        return self.gap_patterns.without_strange_gaps(coded_rows(self.columns, rows))

    def of_member(self, member: int, fine: Codes) -> Codes:
        """The codes of one member, [column, row]."""
        return _looked_up(self.own[member], fine)

    def of_trees(self, fine: Codes) -> Codes:
        """The codes that the trees read, [column, row]."""
        return _looked_up(self.for_trees, fine)

    @classmethod
    def of_tables(
        cls, columns: tuple[ColumnCodes, ...], own: Codes, for_trees: Codes, gap_patterns: GapPatterns
    ) -> PreparedColumns:
        """The columns with these tables, from which the numbers of codes follow."""
        known = np.where(own == UNKNOWN, 0, own.astype(np.uint32) + 1)
        cards = known.max(axis=2, initial=0).astype(np.uint32)
        return cls(columns, own, cards, for_trees, gap_patterns)

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        columns = [column.state() for column in self.columns]
        tables = {"own": self.own, "for_trees": self.for_trees}
        return {"columns": columns, **tables, "gap_patterns": self.gap_patterns.state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> PreparedColumns:
        """Read :meth:`state`: a code for every fine code, in each member and in the trees."""
        columns = tuple(
            StateCodes.from_state(one) if "variable" in one else NumberCodes.from_state(one)
            for one in parts(state, "columns")
        )
        if len(columns) > MOST_COLUMNS:
            raise BadFile(f"an ensemble cannot have {len(columns)} columns.")
        own = wholes(state, "own", (None, len(columns), 256), 0, UNKNOWN).astype(np.uint8)
        for_trees = wholes(state, "for_trees", (len(columns), 256), 0, UNKNOWN).astype(np.uint8)
        patterns = GapPatterns.from_state(columns, state["gap_patterns"])
        prepared = cls.of_tables(columns, own, for_trees, patterns)
        unknown = for_trees[:, UNKNOWN]
        if not len(own) or np.any(prepared.cards == 0) or np.any(unknown == 0):
            raise BadFile("a column of an ensemble has no code.")
        if np.any(for_trees > unknown[:, None]) or np.any(unknown == UNKNOWN):
            raise BadFile("the trees of an ensemble read codes that their columns do not have.")
        return prepared


def _looked_up(tables: Codes, fine: Codes) -> Codes:
    found = np.empty_like(fine)
    for place, table in enumerate(tables):
        np.take(table, fine[place], out=found[place])
    return found


def prepared_columns(
    rows: TrainingRows,
    variables: Mapping[Name, Variable],
    kinds: Mapping[Name, str],
    settings: PoolSettings,
    seen: IntArray | None = None,
) -> tuple[PreparedColumns, Codes, IntArray]:
    """Return the columns with cuts drawn for every member, the codes of the rows, and the kept rows.

    Weights are fitted on the kept rows. Where columns are chosen, at most every second row is kept,
    and kept rows have no say in the choice: by chance, some of a thousand columns tell the classes of the
    very rows that chose them. ``seen``: the rows that choose, where those that judge are known already.
    """
    table, found = FeatureTable(rows.columns), list[_Found]()
    for place, (name, kind) in enumerate(kinds.items()):
        column: ColumnCodes
        cuts: list[FloatArray] = []
        if kind == NUMBERS:
            column, cuts = _numbers(rows, name, place, settings)
        else:
            column = _states(rows, name, variables[name])
        if column.card > 1:
            found.append(_Found(column, cuts, column.codes(table)[0]))
    most = settings.kept_of(rows.classes, min(len(found), MOST_COLUMNS))
    kept = rows.kept(most)
    if len(found) > MOST_COLUMNS:
        if seen is None:
            kept = rows.kept(min(most, len(rows.own) // 2))
            seen = np.setdiff1d(np.arange(len(rows.own)), kept)
        found = _most_informative(found, rows, seen)
    columns = tuple(each.column for each in found)
    fine = np.stack([each.codes for each in found]) if found else np.zeros((0, len(rows.own)), np.uint8)
    own = np.empty((settings.members, len(columns), 256), dtype=np.uint8)
    for_trees = np.empty_like(own[0])
    for place, each in enumerate(found):
        for member in range(settings.members):
            own[member, place] = _coarser(each.column, each.cuts, member)
        for_trees[place] = _of_trees(each.column, each.cuts)
    patterns = GapPatterns.of(columns, fine, rows.weights)
    return PreparedColumns.of_tables(columns, own, for_trees, patterns), fine, kept


@dataclass(frozen=True, eq=False)
class _Found:
    """A column that tells rows apart, the cuts of the members and (last) the trees, the codes of the rows."""

    column: ColumnCodes
    cuts: list[FloatArray]
    codes: Codes


def _most_informative(found: list[_Found], rows: TrainingRows, seen: IntArray) -> list[_Found]:
    """The columns with the most information about the class in the rows ``seen``, in their order."""
    informations = [_information(rows, each.codes, seen) for each in found]
    least = sorted(informations, reverse=True)[MOST_COLUMNS - 1]
    return [each for each, known in zip(found, informations, strict=True) if known >= least][:MOST_COLUMNS]


def _numbers(
    rows: TrainingRows, name: Name, place: int, settings: PoolSettings
) -> tuple[NumberCodes, list[FloatArray]]:
    """A column of numbers with the cuts of each member and, last, of the trees."""
    numbers = rows.columns.numbers(name)
    seen = SeenNumbers.of(numbers, rows.weights)
    most = most_ranges(float(rows.weights.sum()), settings.members)
    cuts = []
    for member in range(settings.members):
        random = np.random.default_rng([settings.seed, 1, member, place])
        ranges = int(random.integers(round(most / 3), most + 1))
        cuts.append(seen.random_cuts(ranges, random))
    cuts.append(seen.even_cuts(TREE_RANGES))
    together = np.unique(np.concatenate([np.zeros(0), *cuts]))
    missing = np.isnan(numbers)
    return NumberCodes(name, together, bool(missing.any() and not missing.all())), cuts


def most_ranges(rows: float, members: int) -> int:
    """The most ranges that a member cuts numbers into; the cuts of all members must fit into a byte.

    >>> most_ranges(500, 8), most_ranges(10_000, 8), most_ranges(1e6, 8), most_ranges(1e6, 16)
    (12, 17, 20, 12)
    """
    wanted = RANGES * max(1.0, rows / 2000) ** 0.25
    return int(min(wanted, MOST_RANGES, (MOST_CODES - TREE_RANGES) // members + 1))


def _states(rows: TrainingRows, name: Name, variable: Variable) -> StateCodes:
    """A column of states, with the weight of each in training."""
    column = rows.columns.coded(name)
    weights = np.bincount(column.codes, weights=rows.weights, minlength=len(column.labels) + 1)
    of_state = np.zeros(variable.cardinality)
    for code, label in enumerate(column.labels):
        of_state[variable.code(label)] += weights[code]
    return StateCodes.of(variable, of_state.tolist(), column.gaps > 0)


def _coarser(column: ColumnCodes, cuts: list[FloatArray], member: int) -> Codes:
    if isinstance(column, NumberCodes):
        return column.coarser(cuts[member])
    table = np.full(256, UNKNOWN, dtype=np.uint8)
    table[: column.card] = np.arange(column.card)
    return table


def _of_trees(column: ColumnCodes, cuts: list[FloatArray]) -> Codes:
    """The codes that the trees read: values, a gap (whether or not there was one), unknown."""
    table = _coarser(column, cuts, -1)
    largest = int(table[: column.card].max())
    table[table == UNKNOWN] = largest + (1 if column.has_gaps else 2)
    return table


def _information(rows: TrainingRows, codes: Codes, seen: IntArray) -> float:
    """I(column; class) of the fine codes, less its chance level, in the rows ``seen``."""
    cells = codes[seen].astype(np.intp) * rows.classes + rows.own[seen]
    table = np.bincount(cells, weights=rows.weights[seen], minlength=256 * rows.classes)
    table = table.reshape(256, rows.classes)[:UNKNOWN]
    total = table.sum()
    if total <= 0:
        return 0.0
    by_code, by_class = table.sum(axis=1), table.sum(axis=0)
    filled = table > 0
    expected = np.outer(by_code, by_class)[filled] / total
    freedom = (np.count_nonzero(by_code) - 1) * (np.count_nonzero(by_class) - 1)
    return float((table[filled] * np.log(table[filled] / expected)).sum() - freedom / 2) / float(total)


def sampled(hashes: Hashes, most: int) -> IntArray:
    """The places of the smallest hashes, in order: all, if there are no more than ``most``."""
    if len(hashes) <= most:
        return np.arange(len(hashes))
    return np.sort(np.argsort(hashes, kind="stable")[:most])
