"""The compiled kernels: arrays in, arrays out.

Set the environment variable ``BAYOU_REFERENCE_KERNELS=1`` before the import to run their plain numpy
references instead; nothing else ever swaps them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if os.environ.get("BAYOU_REFERENCE_KERNELS") == "1" and not TYPE_CHECKING:
    from bayou._native.reference import (
        combine_codes,
        count_families,
        count_pairs,
        digitise,
        group_moments,
        kernel_held_out,
        kernel_log_density,
        mdl_cuts,
        sample_categorical,
        sample_normal,
        sum_log_tables,
        value_counts,
    )
else:
    from bayou._native._core import (
        combine_codes,
        count_families,
        count_pairs,
        digitise,
        group_moments,
        kernel_held_out,
        kernel_log_density,
        mdl_cuts,
        sample_categorical,
        sample_normal,
        sum_log_tables,
        value_counts,
    )

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
