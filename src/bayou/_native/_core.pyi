from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bayou.typing import CodeArray, CountArray, FloatArray, IntArray

def count_families(
    columns: list[CodeArray],
    cards: Sequence[int],
    families: Sequence[Sequence[int]],
    weights: CountArray | None = None,
    threads: int = 0,
) -> list[CountArray]: ...
def count_pairs(
    columns: list[CodeArray], cards: Sequence[int], threads: int = 0
) -> tuple[IntArray, IntArray]: ...
def plane_kernels() -> str: ...
def combine_codes(
    columns: list[CodeArray], cards: Sequence[int], threads: int = 0
) -> npt.NDArray[np.uint32]: ...
def sum_log_tables(
    columns: list[CodeArray],
    cards: Sequence[int],
    families: Sequence[Sequence[int]],
    log_tables: list[FloatArray],
    threads: int = 0,
) -> FloatArray: ...
def group_moments(
    columns: list[FloatArray],
    groups: npt.NDArray[np.uint32] | None,
    n_groups: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]: ...
def sample_categorical(
    seed: int,
    stream: int,
    first_row: int,
    groups: npt.NDArray[np.uint32] | None,
    cumulative: FloatArray,
    n: int,
    threads: int = 0,
) -> CodeArray: ...
def sample_normal(seed: int, stream: int, first_row: int, n: int, threads: int = 0) -> FloatArray: ...

# BIF files (cpp/bindings/bif.cpp)
class BifError(ValueError):
    args: tuple[str, str, int, int, str, str, list[str]]

BIF_ROW_TOLERANCE: float
_BifVariable = tuple[str, tuple[str, ...], tuple[str, ...], tuple[int, ...], FloatArray]

def parse_bif(data: bytes) -> tuple[str, tuple[str, ...], list[_BifVariable]]: ...
def bif_rows(table: FloatArray, cardinality: int, parent_states: Sequence[Sequence[str]]) -> str: ...
