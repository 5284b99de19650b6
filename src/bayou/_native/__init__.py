"""The compiled kernels: arrays in, arrays out.

Set the environment variable ``BAYOU_REFERENCE_KERNELS=1`` before the import to run their plain numpy
references instead; there is no other way to replace them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bayou._native._core import (
    ClimbingGraph,
    EquivalenceSearch,
    ExpectedCounts,
    FamilyMemory,
    FamilyScorer,
    GibbsChains,
    IndependenceTester,
    RowSampler,
    Vocabulary,
    best_paths,
    class_moments,
    class_scatter,
    climb_orders,
    combine_codes,
    count_families,
    count_pairs,
    count_pairs_by,
    count_words,
    digitise,
    encode_integer_matrix,
    expect_chain,
    filter_chain,
    gaussian_class_scores,
    group_moments,
    held_out_losses,
    kernel_held_out,
    kernel_log_density,
    linear_class_scores,
    loopy_beliefs,
    mdl_cuts,
    one_dependence_scores,
    one_dependence_tables,
    pair_information,
    quadratic_class_scores,
    sample_categorical,
    sample_normal,
    sample_rows,
    score_sparse_rows,
    score_words,
    shared_moments,
    softmax_rows,
    sum_log_tables,
    sum_sparse_rows,
    table_class_scores,
    value_counts,
    values_by_class,
    word_matrix,
)

__all__ = [
    "ClimbingGraph",
    "EquivalenceSearch",
    "ExpectedCounts",
    "FamilyMemory",
    "FamilyScorer",
    "GibbsChains",
    "IndependenceTester",
    "RowSampler",
    "Vocabulary",
    "best_paths",
    "class_moments",
    "class_scatter",
    "climb_orders",
    "combine_codes",
    "count_families",
    "count_pairs",
    "count_pairs_by",
    "count_words",
    "digitise",
    "encode_integer_matrix",
    "expect_chain",
    "filter_chain",
    "gaussian_class_scores",
    "group_moments",
    "held_out_losses",
    "kernel_held_out",
    "kernel_log_density",
    "linear_class_scores",
    "loopy_beliefs",
    "mdl_cuts",
    "one_dependence_scores",
    "one_dependence_tables",
    "pair_information",
    "quadratic_class_scores",
    "sample_categorical",
    "sample_normal",
    "sample_rows",
    "score_sparse_rows",
    "score_words",
    "shared_moments",
    "softmax_rows",
    "sum_log_tables",
    "sum_sparse_rows",
    "table_class_scores",
    "value_counts",
    "values_by_class",
    "word_matrix",
]

if os.environ.get("BAYOU_REFERENCE_KERNELS") == "1" and not TYPE_CHECKING:
    from bayou._native.reference import all_kernels as reference

    globals().update({name: getattr(reference, name) for name in __all__ if name != "EquivalenceSearch"})
    # The reference of this search is bayou.learning.search.ges, which is used where there is no kernel.
    EquivalenceSearch = None
