"""What the kernels of hidden chains take."""

from __future__ import annotations

from typing import TypeAlias

from bayou.typing import CodeArray, FloatArray, IntArray

KernelGaussian: TypeAlias = tuple[list[FloatArray], FloatArray, FloatArray, FloatArray]
"""Columns without gaps, the means, whiteners (lower triangle by rows) and constants of each state."""

KernelArguments: TypeAlias = tuple[
    FloatArray,
    FloatArray,
    FloatArray | None,
    IntArray,
    list[CodeArray],
    list[FloatArray],
    FloatArray | None,
]
"""Start, transition, end, first rows, coded columns, their tables, log densities of other columns."""
