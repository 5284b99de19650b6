"""Floor 2: what models ask of data. Requests, answers that add and subtract, and who can answer."""

from __future__ import annotations

from bayou.statistics.batch import Batch
from bayou.statistics.cache import CachedSource
from bayou.statistics.class_moments import ClassMoments
from bayou.statistics.counts import Counts
from bayou.statistics.moments import GroupMoments
from bayou.statistics.pair_tables import PairTables
from bayou.statistics.pile import LARGEST_HELD, Pile, Piling, rows_in_memory
from bayou.statistics.pooling import pool_counts, pool_moments, pool_rows
from bayou.statistics.proposals import ProposalCounts, Proposals
from bayou.statistics.requests import (
    CountTable,
    DistinctRows,
    Moments,
    PairCounts,
    Request,
    RowSample,
    ValueHistogram,
    WordCounts,
)
from bayou.statistics.result import RESULTS, Result, result_from_state
from bayou.statistics.row_counts import RowCounts
from bayou.statistics.row_sample import SampledRows
from bayou.statistics.source import Source
from bayou.statistics.statistics import Statistics
from bayou.statistics.token_counts import TokenCounts, count_tokens
from bayou.statistics.token_rules import TokenRules
from bayou.statistics.value_histogram import ValueCounts

__all__ = [
    "LARGEST_HELD",
    "RESULTS",
    "Batch",
    "CachedSource",
    "ClassMoments",
    "CountTable",
    "Counts",
    "DistinctRows",
    "GroupMoments",
    "Moments",
    "PairCounts",
    "PairTables",
    "Pile",
    "Piling",
    "ProposalCounts",
    "Proposals",
    "Request",
    "Result",
    "RowCounts",
    "RowSample",
    "SampledRows",
    "Source",
    "Statistics",
    "TokenCounts",
    "TokenRules",
    "ValueCounts",
    "ValueHistogram",
    "WordCounts",
    "count_tokens",
    "pool_counts",
    "pool_moments",
    "pool_rows",
    "result_from_state",
    "rows_in_memory",
]
