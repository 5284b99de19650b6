from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

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
def count_pairs_by(
    columns: list[CodeArray],
    cards: Sequence[int],
    groups: npt.NDArray[np.uint32],
    n_groups: int,
    threads: int = 0,
) -> IntArray: ...
def pair_information(
    tables: CountArray, cards: Sequence[int], threads: int = 0
) -> tuple[FloatArray, FloatArray]: ...

class IndependenceTester:
    def __init__(self, columns: list[CodeArray], cards: Sequence[int], threads: int = 0) -> None: ...
    def tests(
        self,
        pairs: IntArray,
        offsets: IntArray,
        given: IntArray,
        method: str = "g",
        reliable: float = 0.0,
    ) -> tuple[FloatArray, IntArray, IntArray, FloatArray, npt.NDArray[np.uint8]]: ...
    def separate(
        self,
        pairs: IntArray,
        offsets: IntArray,
        neighbours: IntArray,
        size: int,
        method: str = "g",
        reliable: float = 0.0,
        most_cells: int = ...,
    ) -> tuple[FloatArray, IntArray, IntArray, FloatArray, IntArray, IntArray, npt.NDArray[np.uint8]]: ...

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
def digitise(values: npt.NDArray[Any], cuts: FloatArray, threads: int = 0) -> CodeArray: ...

class ClimbingGraph:
    def __init__(
        self, size: int, required: npt.NDArray[np.uint8], allowed: npt.NDArray[np.uint8]
    ) -> None: ...
    def ask(self, memory: FamilyMemory, most_parents: int, worst: float) -> None: ...
    def shake(self, share: float, numbers: FloatArray) -> None: ...
    def fill(self, seconds: float) -> bool: ...
    def rebuild(self, parents: Sequence[Sequence[int]]) -> None: ...
    def unknown(self) -> list[int]: ...
    def know(self, child: int, score: float, adding: FloatArray, dropping: FloatArray) -> None: ...
    def best(self, tolerance: float, held: Sequence[int] = ...) -> tuple[str, int, int, float] | None: ...
    def apply(self, kind: str, parent: int, child: int) -> None: ...
    def climb(
        self, tolerance: float, most: int, seconds: float = ...
    ) -> list[tuple[str, int, int, float]]: ...
    def parents(self) -> tuple[tuple[int, ...], ...]: ...
    def parents_of(self, child: int) -> tuple[int, ...]: ...
    def score(self) -> float: ...

class EquivalenceSearch:
    def __init__(
        self,
        memory: FamilyMemory,
        joinable: npt.NDArray[np.uint8],
        most_parents: int,
        least_gain: float,
    ) -> None: ...
    def steps(self, seconds: float) -> list[tuple[float, int, int, tuple[int, ...]]]: ...
    def is_finished(self) -> bool: ...
    def parents(self) -> tuple[tuple[int, ...], ...]: ...

def climb_orders(
    starts: IntArray,
    sets: npt.NDArray[np.uint64],
    scores: FloatArray,
    visits: npt.NDArray[np.int32],
    orders: npt.NDArray[np.int32],
    passes: int,
    threads: int = 0,
) -> tuple[FloatArray, npt.NDArray[np.int32], IntArray]: ...
def group_moments(
    columns: list[FloatArray],
    groups: npt.NDArray[np.uint32] | None,
    n_groups: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]: ...
def class_moments(
    matrix: npt.NDArray[np.floating[Any]],
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]: ...
def class_scatter(
    matrix: npt.NDArray[np.floating[Any]],
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    pooled: bool = False,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]: ...
def gaussian_class_scores(
    matrix: npt.NDArray[np.floating[Any]],
    means: FloatArray,
    variances: FloatArray,
    log_prior: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray: ...
def quadratic_class_scores(
    matrix: npt.NDArray[np.floating[Any]],
    means: FloatArray,
    whiteners: FloatArray,
    base: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray: ...
def linear_class_scores(
    matrix: npt.NDArray[np.floating[Any]],
    coefficients: FloatArray,
    base: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray: ...
def table_class_scores(
    columns: list[CodeArray],
    log_tables: list[FloatArray],
    log_prior: FloatArray,
    rows: int,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray: ...
def softmax_rows(scores: FloatArray, threads: int = 0) -> FloatArray: ...
def encode_integer_matrix(
    matrix: npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_],
    values: list[npt.NDArray[np.integer[Any]]] | None = None,
    threads: int = 0,
) -> tuple[list[CodeArray], list[npt.NDArray[Any]]]: ...
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

# Words of Python strings (cpp/bindings/text.cpp)
class Vocabulary:
    def __init__(self, words: list[str]) -> None: ...
    @property
    def words(self) -> list[str]: ...
    def __len__(self) -> int: ...

def count_words(
    documents: list[str | None],
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    vocabulary: Vocabulary | None = None,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: list[str] = ...,
    offsets: IntArray | None = None,
    threads: int = 0,
) -> tuple[list[str], CountArray, CountArray]: ...
def score_words(
    documents: list[str | None],
    vocabulary: Vocabulary,
    weights: FloatArray,
    distinct: bool = False,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: list[str] = ...,
    offsets: IntArray | None = None,
    threads: int = 0,
) -> FloatArray: ...
def word_matrix(
    documents: list[str | None],
    vocabulary: Vocabulary,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: list[str] = ...,
    offsets: IntArray | None = None,
    threads: int = 0,
) -> tuple[IntArray, npt.NDArray[np.int32], IntArray]: ...

# Distinct values, cuts and kernel densities (cpp/bindings/density.cpp)
def value_counts(
    values: FloatArray,
    classes: npt.NDArray[np.uint32] | None,
    n_classes: int,
    weights: FloatArray | None = None,
) -> tuple[FloatArray, npt.NDArray[np.uint32], FloatArray]: ...
def mdl_cuts(
    columns: list[FloatArray],
    classes: npt.NDArray[np.uint32] | None,
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> list[FloatArray]: ...
def kernel_log_density(
    points: list[FloatArray],
    weights: list[FloatArray | None],
    bandwidths: Sequence[float],
    queries: FloatArray,
    relative_error: float = 0.0,
    threads: int = 0,
) -> FloatArray: ...
def kernel_held_out(
    points: FloatArray, weights: FloatArray | None, bandwidth: float, threads: int = 0
) -> FloatArray: ...

# BIF files (cpp/bindings/bif.cpp)
class BifError(ValueError):
    args: tuple[str, str, int, int, str, str, list[str]]

BIF_ROW_TOLERANCE: float
_BifVariable = tuple[str, tuple[str, ...], tuple[str, ...], tuple[int, ...], FloatArray]

def parse_bif(data: bytes) -> tuple[str, tuple[str, ...], list[_BifVariable]]: ...
def bif_rows(table: FloatArray, cardinality: int, parent_states: Sequence[Sequence[str]]) -> str: ...

# Data in: Arrow streams and Python objects (cpp/bindings/arrow.cpp, objects.cpp).

class ArrowReader:
    def __init__(self, source: Any, threads: int = 0) -> None: ...
    @property
    def fields(self) -> list[tuple[str, str]]: ...
    def select(self, positions: Sequence[int], empty_is_missing: bool = False) -> None: ...
    def read(
        self, max_rows: int = ...
    ) -> tuple[int, list[tuple[str, npt.NDArray[Any], list[Any] | None, str, bool, bool, bool]]] | None: ...

def encode_objects(
    columns: Sequence[Any], identify: Callable[[Any], tuple[Hashable, Hashable] | None], threads: int = 0
) -> list[tuple[npt.NDArray[np.unsignedinteger[Any]], list[Any], int]]: ...
def encode_fixed_width(
    array: npt.NDArray[Any],
) -> tuple[npt.NDArray[np.unsignedinteger[Any]], npt.NDArray[np.int64]]: ...
def encode_text_file(
    path: bytes,
    separator: str,
    fields: int,
    wanted: Sequence[int],
    numeric: Sequence[int],
    has_header: bool,
    threads: int = 0,
) -> tuple[int, list[tuple[npt.NDArray[Any], list[str] | None]]] | None: ...

# End of data in.

class InferencePlan:
    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        tables: Sequence[FloatArray | None],
        observed: Sequence[int],
        joint: Sequence[int],
        maximised: Sequence[int],
        lanes: int = 1,
        marginals: bool = True,
    ) -> None: ...
    def run(
        self, codes: npt.NDArray[np.uint32], given: list[FloatArray], threads: int = 0
    ) -> tuple[float, FloatArray, npt.NDArray[np.uint32]]: ...
    def run_rows(
        self, columns: list[CodeArray], cards: Sequence[int], rows: int, threads: int = 0
    ) -> tuple[FloatArray, FloatArray]: ...
    @property
    def offsets(self) -> list[int]: ...
    @property
    def rank(self) -> list[int]: ...
    @property
    def cliques(self) -> list[list[int]]: ...
    @property
    def parents(self) -> list[int]: ...
    @property
    def entries(self) -> float: ...
    @property
    def largest(self) -> float: ...
    @property
    def bytes(self) -> float: ...
    @property
    def kept_bytes(self) -> float: ...

class ExpectedCounts:
    def __init__(self, cards: Sequence[int], scopes: Sequence[Sequence[int]]) -> None: ...
    def run(
        self,
        tables: list[FloatArray],
        columns: list[CodeArray],
        variables: Sequence[int],
        rows: int,
        weights: FloatArray | None = None,
        threads: int = 0,
        most_bytes: float = ...,
    ) -> tuple[FloatArray, list[FloatArray]]: ...
    def expected_entries(self, missing: Sequence[float]) -> float: ...
    def bytes(self, rows: int) -> float: ...

class RowPlan:
    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        tables: Sequence[FloatArray],
        target: int,
    ) -> None: ...
    def run(
        self, columns: list[CodeArray], variables: Sequence[int], rows: int, threads: int = 0
    ) -> tuple[FloatArray, FloatArray]: ...
    def expected_entries(self, missing: Sequence[float]) -> float: ...
    @property
    def cliques(self) -> int: ...
    @property
    def bytes(self) -> float: ...

class FamilyScorer:
    def __init__(self, columns: list[CodeArray], cards: Sequence[int], threads: int = 0) -> None: ...
    def families(
        self, children: IntArray, offsets: IntArray, parents: IntArray, kind: str, parameter: float = 0.0
    ) -> FloatArray: ...
    def additions(
        self, child: int, parents: Sequence[int], candidates: IntArray, kind: str, parameter: float = 0.0
    ) -> FloatArray: ...
    def pairs(self, kind: str, parameter: float = 0.0) -> FloatArray: ...

class FamilyMemory:
    def __init__(self, scorer: FamilyScorer, kind: str, parameter: float = 0.0) -> None: ...
    def families(self, wanted: Sequence[tuple[int, Sequence[int]]]) -> FloatArray: ...
    def additions(self, child: int, parents: Sequence[int], candidates: IntArray) -> FloatArray: ...
    def remembered(self) -> int: ...
