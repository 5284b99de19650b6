"""Floor 2: the statistics that models request of data: requests, results that add and subtract, sources."""

from __future__ import annotations

from bayou.statistics.answering import answer_requests
from bayou.statistics.batch import Batch
from bayou.statistics.cache import CachedSource
from bayou.statistics.counts import Counts, CountTable
from bayou.statistics.matrix.class_moments import ClassMoments, MomentsByClass
from bayou.statistics.moments import GroupMoments, Moments
from bayou.statistics.number_summary import NumberSummary, WholeNumbers
from bayou.statistics.pairs.pair_tables import PairCounts, PairTables
from bayou.statistics.proposals import ProposalCounts, Proposals
from bayou.statistics.request import Request, RequestFor
from bayou.statistics.result import RESULTS, Result, result_from_state
from bayou.statistics.row_buffer import LARGEST_HELD, RowBuffer, rows_in_memory
from bayou.statistics.rows.gap_counts import GapCounts, MissingCounts
from bayou.statistics.rows.row_counts import DistinctRows, RowCounts
from bayou.statistics.rows.row_sample import RowSample, SampledRows
from bayou.statistics.source import Source
from bayou.statistics.statistics import Statistics
from bayou.statistics.text.token_counts import TokenCounts, WordCounts, count_tokens
from bayou.statistics.text.token_rules import TokenRules
from bayou.statistics.value_histogram import ValueCounts, ValueHistogram

__all__ = [
    "LARGEST_HELD",
    "RESULTS",
    "Batch",
    "CachedSource",
    "ClassMoments",
    "CountTable",
    "Counts",
    "DistinctRows",
    "GapCounts",
    "GroupMoments",
    "MissingCounts",
    "Moments",
    "MomentsByClass",
    "NumberSummary",
    "PairCounts",
    "PairTables",
    "ProposalCounts",
    "Proposals",
    "Request",
    "RequestFor",
    "Result",
    "RowBuffer",
    "RowCounts",
    "RowSample",
    "SampledRows",
    "Source",
    "Statistics",
    "TokenCounts",
    "TokenRules",
    "ValueCounts",
    "ValueHistogram",
    "WholeNumbers",
    "WordCounts",
    "answer_requests",
    "count_tokens",
    "result_from_state",
    "rows_in_memory",
]
