"""Plain numpy references of the compiled kernels: the specification, and the oracle of the tests."""

from __future__ import annotations

from bayou._native.reference_counting import combine_codes, count_families, count_pairs, sum_log_tables
from bayou._native.reference_digitise import digitise
from bayou._native.reference_moments import group_moments
from bayou._native.reference_sampling import sample_categorical, sample_normal

__all__ = [
    "combine_codes",
    "count_families",
    "count_pairs",
    "digitise",
    "group_moments",
    "sample_categorical",
    "sample_normal",
    "sum_log_tables",
]
