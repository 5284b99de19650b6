"""Floor 2: the statistics that models request of data: requests, results that add and subtract, sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.statistics.answering import answer_requests as answer_requests
    from bayou.statistics.batch import Batch as Batch
    from bayou.statistics.cache import CachedSource as CachedSource
    from bayou.statistics.counts import Counts as Counts
    from bayou.statistics.counts import CountTable as CountTable
    from bayou.statistics.matrix.class_moments import ClassMoments as ClassMoments
    from bayou.statistics.matrix.class_moments import MomentsByClass as MomentsByClass
    from bayou.statistics.moments import GroupMoments as GroupMoments
    from bayou.statistics.moments import Moments as Moments
    from bayou.statistics.number_summary import NumberSummary as NumberSummary
    from bayou.statistics.number_summary import WholeNumbers as WholeNumbers
    from bayou.statistics.pairs.pair_tables import PairCounts as PairCounts
    from bayou.statistics.pairs.pair_tables import PairTables as PairTables
    from bayou.statistics.proposals import ProposalCounts as ProposalCounts
    from bayou.statistics.proposals import Proposals as Proposals
    from bayou.statistics.request import Request as Request
    from bayou.statistics.request import RequestFor as RequestFor
    from bayou.statistics.result import RESULTS as RESULTS
    from bayou.statistics.result import Result as Result
    from bayou.statistics.result import result_from_state as result_from_state
    from bayou.statistics.row_buffer import LARGEST_HELD as LARGEST_HELD
    from bayou.statistics.row_buffer import RowBuffer as RowBuffer
    from bayou.statistics.row_buffer import rows_in_memory as rows_in_memory
    from bayou.statistics.rows.gap_counts import GapCounts as GapCounts
    from bayou.statistics.rows.gap_counts import MissingCounts as MissingCounts
    from bayou.statistics.rows.row_counts import DistinctRows as DistinctRows
    from bayou.statistics.rows.row_counts import RowCounts as RowCounts
    from bayou.statistics.rows.row_sample import RowSample as RowSample
    from bayou.statistics.rows.row_sample import SampledRows as SampledRows
    from bayou.statistics.rows.sequence_batch import SequenceBatch as SequenceBatch
    from bayou.statistics.rows.weight_sums import RowWeights as RowWeights
    from bayou.statistics.rows.weight_sums import WeightSums as WeightSums
    from bayou.statistics.source import Source as Source
    from bayou.statistics.statistics import Statistics as Statistics
    from bayou.statistics.text.token_counts import TokenCounts as TokenCounts
    from bayou.statistics.text.token_counts import WordCounts as WordCounts
    from bayou.statistics.text.token_counts import count_tokens as count_tokens
    from bayou.statistics.text.token_rules import TokenRules as TokenRules
    from bayou.statistics.value_histogram import ValueCounts as ValueCounts
    from bayou.statistics.value_histogram import ValueHistogram as ValueHistogram

_WHERE = {
    "LARGEST_HELD": "bayou.statistics.row_buffer",
    "RESULTS": "bayou.statistics.result",
    "Batch": "bayou.statistics.batch",
    "CachedSource": "bayou.statistics.cache",
    "ClassMoments": "bayou.statistics.matrix.class_moments",
    "CountTable": "bayou.statistics.counts",
    "Counts": "bayou.statistics.counts",
    "DistinctRows": "bayou.statistics.rows.row_counts",
    "GapCounts": "bayou.statistics.rows.gap_counts",
    "GroupMoments": "bayou.statistics.moments",
    "MissingCounts": "bayou.statistics.rows.gap_counts",
    "Moments": "bayou.statistics.moments",
    "MomentsByClass": "bayou.statistics.matrix.class_moments",
    "NumberSummary": "bayou.statistics.number_summary",
    "PairCounts": "bayou.statistics.pairs.pair_tables",
    "PairTables": "bayou.statistics.pairs.pair_tables",
    "ProposalCounts": "bayou.statistics.proposals",
    "Proposals": "bayou.statistics.proposals",
    "Request": "bayou.statistics.request",
    "RequestFor": "bayou.statistics.request",
    "Result": "bayou.statistics.result",
    "RowBuffer": "bayou.statistics.row_buffer",
    "RowCounts": "bayou.statistics.rows.row_counts",
    "RowSample": "bayou.statistics.rows.row_sample",
    "RowWeights": "bayou.statistics.rows.weight_sums",
    "SampledRows": "bayou.statistics.rows.row_sample",
    "SequenceBatch": "bayou.statistics.rows.sequence_batch",
    "Source": "bayou.statistics.source",
    "Statistics": "bayou.statistics.statistics",
    "TokenCounts": "bayou.statistics.text.token_counts",
    "TokenRules": "bayou.statistics.text.token_rules",
    "ValueCounts": "bayou.statistics.value_histogram",
    "ValueHistogram": "bayou.statistics.value_histogram",
    "WeightSums": "bayou.statistics.rows.weight_sums",
    "WholeNumbers": "bayou.statistics.number_summary",
    "WordCounts": "bayou.statistics.text.token_counts",
    "answer_requests": "bayou.statistics.answering",
    "count_tokens": "bayou.statistics.text.token_counts",
    "result_from_state": "bayou.statistics.result",
    "rows_in_memory": "bayou.statistics.row_buffer",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
