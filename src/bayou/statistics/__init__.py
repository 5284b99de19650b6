"""Floor 2: what models ask of data. Requests, answers that add and subtract, and who can answer."""

from __future__ import annotations

from bayou.statistics.answering import answer_requests
from bayou.statistics.batch import Batch
from bayou.statistics.cache import CachedSource
from bayou.statistics.counts import Counts
from bayou.statistics.moments import GroupMoments
from bayou.statistics.pair_tables import PairTables
from bayou.statistics.pile import LARGEST_HELD, Pile, Piling, rows_in_memory
from bayou.statistics.pooling import pool_counts, pool_moments, pool_rows
from bayou.statistics.requests import (
    CountTable,
    DistinctRows,
    Moments,
    PairCounts,
    Request,
    RequestFor,
    RowSample,
    ValueHistogram,
    WordCounts,
)
from bayou.statistics.row_counts import RowCounts
from bayou.statistics.row_sample import SampledRows
from bayou.statistics.source import Source
from bayou.statistics.statistics import Result, Statistics
from bayou.statistics.token_counts import TokenCounts, count_tokens
from bayou.statistics.token_rules import TokenRules
from bayou.statistics.value_histogram import ValueCounts

__all__ = [
    "LARGEST_HELD",
    "Batch",
    "CachedSource",
    "CountTable",
    "Counts",
    "DistinctRows",
    "GroupMoments",
    "Moments",
    "PairCounts",
    "PairTables",
    "Pile",
    "Piling",
    "Request",
    "RequestFor",
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
    "answer_requests",
    "count_tokens",
    "pool_counts",
    "pool_moments",
    "pool_rows",
    "rows_in_memory",
]
