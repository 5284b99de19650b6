"""The references of all kernels by name."""

# ruff: noqa: F401 - this page collects the references from their modules
from __future__ import annotations

from bayou._native.reference.bucket_bounds import BucketBounds
from bayou._native.reference.class_moments import class_moments, class_scatter
from bayou._native.reference.class_scores import (
    gaussian_class_scores,
    linear_class_scores,
    quadratic_class_scores,
    softmax_rows,
    table_class_scores,
)
from bayou._native.reference.counting import combine_codes, count_families, count_pairs, sum_log_tables
from bayou._native.reference.density import kernel_held_out, kernel_log_density, mdl_cuts, value_counts
from bayou._native.reference.digitise import digitise
from bayou._native.reference.expected_counts import ExpectedCounts
from bayou._native.reference.held_out_losses import held_out_losses, values_by_class
from bayou._native.reference.integer_matrix import encode_integer_matrix
from bayou._native.reference.loopy import loopy_beliefs
from bayou._native.reference.members.boosted_trees import BoostedTrees
from bayou._native.reference.members.class_trees import ClassTrees
from bayou._native.reference.members.dependence import (
    backoff_logs,
    backoff_strengths,
    class_informations,
    count_dependences,
    dependence_scores,
    dependence_terms,
    left_out_dependences,
)
from bayou._native.reference.moments import group_moments
from bayou._native.reference.packed_codes import unpack_codes
from bayou._native.reference.row_sample import sample_rows
from bayou._native.reference.samplers import GibbsChains, RowSampler
from bayou._native.reference.sampling import sample_categorical, sample_normal
from bayou._native.reference.search.climbing_graph import ClimbingGraph
from bayou._native.reference.search.family_scores import FamilyMemory, FamilyScorer
from bayou._native.reference.search.independence import IndependenceTester
from bayou._native.reference.search.order_climb import climb_orders
from bayou._native.reference.search.pair_tables import (
    count_pairs_by,
    one_dependence_scores,
    one_dependence_tables,
    pair_information,
)
from bayou._native.reference.sparse_rows import score_sparse_rows, sum_sparse_rows
from bayou._native.reference.temporal.chain_climbs import climb_chains
from bayou._native.reference.temporal.hidden_chain import (
    best_paths,
    carry_message,
    expect_chain,
    filter_chain,
    shared_moments,
)
from bayou._native.reference.temporal.kalman import kalman_expect, kalman_filter, kalman_smooth
from bayou._native.reference.temporal.mixed_slices import (
    MixedSlices,
    expect_mixed,
    filter_mixed,
    smooth_mixed,
)
from bayou._native.reference.temporal.particles import (
    ParticleRun,
    normal_numbers,
    resample_particles,
    weigh_particles,
    weighted_moments,
    weighted_quantiles,
)
from bayou._native.reference.temporal.slices import SliceProgram, best_slices, filter_slices, smooth_slices
from bayou._native.reference.temporal.switching import switching_filter, switching_paths
from bayou._native.reference.text import Vocabulary, count_words, score_words, word_matrix
