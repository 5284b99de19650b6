"""The statistics of an ensemble: a sample of distinct rows; of many rows also counts of a structure.

While all distinct rows fit into the sample, it is everything: members are learned from it anew. Beyond that
a structure is learned from the sample, once, and all rows are counted into it.
"""

from __future__ import annotations

from collections.abc import Mapping

from bayou.errors import BadQuestion
from bayou.estimators.input.target import class_variable
from bayou.estimators.pooled.frozen.frozen_structure import FrozenStructure, learned_structure
from bayou.estimators.pooled.frozen.structure_counts import CountedStructure, CountStructure
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.training_rows import NUMBERS, NUMERIC, TEXTS, training_rows
from bayou.schema import Variable
from bayou.statistics import CountTable, RowSample, SampledRows, Statistics
from bayou.typing import Name

MOST_ROWS = 1 << 17
"""So many distinct rows are kept; of more, those with the smallest hashes of their contents."""


def sample_request(statistics: Statistics | None) -> RowSample | None:
    """The request for the kept rows that statistics answer; None if they do not have any."""
    asked = () if statistics is None else statistics
    return next((request for request in asked if isinstance(request, RowSample)), None)


def counts_request(statistics: Statistics) -> CountStructure | None:
    """The request for the counts of a structure that statistics answer, if they do."""
    return next((request for request in statistics if isinstance(request, CountStructure)), None)


def kept_rows(statistics: Statistics) -> SampledRows:
    """The kept rows; an error if they were not saved."""
    request = sample_request(statistics)
    if request is None:
        raise BadQuestion(
            "This ensemble comes from a file without its training rows: it predicts, but it cannot learn on, "
            "forget or be added. Save it with save(path, rows=True) for that, or fit it again."
        )
    return statistics[request]


def overflows(sample: SampledRows) -> bool:
    """Whether there may be rows that the sample has no room for."""
    return len(sample.hashes) >= sample.size


def states_of(statistics: Statistics, target: Name, kinds: Mapping[Name, str]) -> dict[Name, Variable]:
    """The columns of states with all states that occurred."""
    names = [name for name, kind in kinds.items() if kind not in (*NUMERIC, NUMBERS, TEXTS)]
    return {name: statistics[CountTable((target, name))].axes[1] for name in names}


def structure_of(
    statistics: Statistics,
    sample: SampledRows,
    target: Name,
    kinds: Mapping[Name, str],
    settings: PoolSettings,
) -> FrozenStructure | None:
    """Learn the structure of an ensemble from its sample; None if no column tells rows apart."""
    classes = class_variable(target, statistics[CountTable((target,))].axes[0].states)
    rows = training_rows(sample, classes, kinds, settings.seed)
    return learned_structure(rows, classes, states_of(statistics, target, kinds), kinds, settings)


def counted_into(structure: FrozenStructure, statistics: Statistics, target: Name, seed: int) -> Statistics:
    """Statistics whose sample has all of their rows, with these rows counted into a structure.

    (Files of earlier versions may have dropped rows: those that they kept are counted.)
    """
    request = CountStructure.of(structure, target)
    if request in set(statistics):
        return statistics
    sample = kept_rows(statistics)
    if counts_request(statistics) is not None:
        raise BadQuestion(
            f"Both ensembles have {sample.size:,} distinct rows or more, and each learned cuts and trees of "
            "its own, so their counts do not add. Count the rows of one into the other: copy() it, then "
            "partial_fit(); or, to share no rows, bayou.count(rows, the other)."
        )
    classes = class_variable(target, statistics[CountTable((target,))].axes[0].states)
    rows = training_rows(sample, classes, structure.kinds, seed)
    counts = CountedStructure.of_rows(structure, rows, classes)
    return Statistics({**statistics, request: counts}, statistics.rows)
