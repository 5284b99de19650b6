"""Plain numpy references of the compiled kernels: the specification, and the oracle of the tests."""

from __future__ import annotations

from bayou._native.reference_counting import combine_codes, count_families, count_pairs, sum_log_tables
from bayou._native.reference_density import kernel_held_out, kernel_log_density, mdl_cuts, value_counts
from bayou._native.reference_digitise import digitise
from bayou._native.reference_moments import group_moments
from bayou._native.reference_sampling import sample_categorical, sample_normal

__all__ = [
    "combine_codes",
    "count_families",
    "count_pairs",
    "digitise",
    "group_moments",
    "kernel_held_out",
    "kernel_log_density",
    "mdl_cuts",
    "sample_categorical",
    "sample_normal",
    "sum_log_tables",
    "value_counts",
]
