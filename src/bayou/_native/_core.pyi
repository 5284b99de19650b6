"""The compiled kernels. Generated from the built core by cpp/stubs.py: do not edit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from bayou.typing import CodeArray, CountArray, FloatArray, IntArray

class BifError(ValueError):
    pass

BIF_ROW_TOLERANCE: float = 0.001

def parse_bif(
    data: bytes,
) -> tuple[
    str, tuple[str, ...], list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[int, ...], FloatArray]]
]: ...
def bif_rows(table: FloatArray, cardinality: int, parent_states: Sequence[Sequence[str]]) -> str: ...

class BoostedTrees:
    """Trees that correct each other, as many models as folds."""

    def __init__(
        self,
        cards: Sequence[int],
        ordered: Sequence[bool],
        n_classes: int,
        folds: int,
        most_rounds: int,
        leaves: int,
        rate: float,
        ridge: float,
        seed: int,
    ) -> None: ...
    def grow(
        self,
        codes: NDArray[numpy.uint8],
        y: NDArray[numpy.int32],
        weights: FloatArray | None,
        row_hashes: NDArray[numpy.uint64],
        threads: int = 0,
    ) -> None:
        """
        Learn a model without the rows of each fold, and after how many rounds rows held out are likeliest.
        """

    def held_out(
        self, codes: NDArray[numpy.uint8], row_hashes: NDArray[numpy.uint64], threads: int = 0
    ) -> FloatArray:
        """log P(class | row) by the model that did not see the row."""

    def predict(self, codes: NDArray[numpy.uint8], threads: int = 0) -> FloatArray:
        """log P(class | row) by the mean scores of all models."""

    def contributions(self, codes: NDArray[numpy.uint8], row: int) -> FloatArray:
        """Scores of the classes without columns, then what each column adds."""

    def state(
        self,
    ) -> tuple[
        FloatArray,
        IntArray,
        NDArray[numpy.uint16],
        NDArray[numpy.uint32],
        NDArray[numpy.uint64],
        FloatArray,
        FloatArray,
    ]:
        """(base, sizes, columns, left, codes, left_shares, values)"""

    def restore(
        self,
        base: FloatArray,
        sizes: IntArray,
        columns: NDArray[numpy.uint16],
        left: NDArray[numpy.uint32],
        codes: NDArray[numpy.uint64],
        left_shares: FloatArray,
        values: FloatArray,
        rounds: int,
    ) -> None:
        """Become the trees of a saved state."""

    @property
    def rounds(self) -> int: ...

class BucketBounds:
    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        tables: list[FloatArray],
        fixed: Sequence[int],
        order: Sequence[int],
        buckets: Sequence[Sequence[Sequence[int]]],
        exponents: Sequence[Sequence[int]],
        targets: Sequence[int],
    ) -> None:
        """
        Bounds on sums of products of tables, summed over the order, for rows of states of fixed variables.
        """

    def run(
        self, rows: NDArray[numpy.uint32], threads: int = 0
    ) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
        """
        (Upper bounds by row and cell of the targets, their binary exponents by row, lower bounds, theirs).
        """

    @property
    def operations(self) -> int:
        """The roundings on the way to one result, at most."""

    @property
    def is_exact(self) -> bool:
        """Whether no bucket is split."""

def class_moments(
    matrix: NDArray[numpy.floating[Any]],
    classes: NDArray[numpy.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """
    (weight, mean, sum of squared deviations) of each column by class; NaN cells are left out.
    """

def class_scatter(
    matrix: NDArray[numpy.floating[Any]],
    classes: NDArray[numpy.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    pooled: bool = False,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """
    (weight, mean, centred scatter matrix) by class, the scatter summed over the classes if pooled.
    """

def gaussian_class_scores(
    matrix: NDArray[numpy.floating[Any]],
    means: FloatArray,
    variances: FloatArray,
    log_prior: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray:
    """
    Log joint density (or posterior) of each class; columns independent given the class, NaN left out.
    """

def quadratic_class_scores(
    matrix: NDArray[numpy.floating[Any]],
    means: FloatArray,
    whiteners: FloatArray,
    base: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray:
    """base - |(x - mean)' whitener|^2 / 2 of each class, or its softmax."""

def linear_class_scores(
    matrix: NDArray[numpy.floating[Any]],
    coefficients: FloatArray,
    base: FloatArray,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray:
    """base + coefficients x of each class, or its softmax."""

def table_class_scores(
    columns: list[CodeArray],
    log_tables: list[FloatArray],
    log_prior: FloatArray,
    rows: int,
    posterior: bool = False,
    threads: int = 0,
) -> FloatArray:
    """
    log_prior + the sum of each column's log table [state, class], or its softmax.
    """

def softmax_rows(scores: FloatArray, threads: int = 0) -> FloatArray:
    """exp(scores), each row divided by its sum."""

class ClassTrees:
    """
    Trees of P(class | columns) that back off from leaf to root, and their pools.
    """

    def __init__(
        self,
        cards: Sequence[int],
        ordered: Sequence[bool],
        n_classes: int,
        n_trees: int,
        tried: int,
        bag_share: float,
        most_grown: int,
        seed: int,
    ) -> None: ...
    def grow(
        self,
        codes: NDArray[numpy.uint8],
        y: NDArray[numpy.int32],
        weights: FloatArray | None,
        row_hashes: NDArray[numpy.uint64],
        threads: int = 0,
    ) -> None:
        """
        Learn where trees split, each on the rows in its bag, and count all rows.
        """

    def add(
        self,
        codes: NDArray[numpy.uint8],
        y: NDArray[numpy.int32],
        weights: FloatArray | None,
        threads: int = 0,
    ) -> None:
        """Count further rows; splits stay."""

    def choose_smoothing(
        self,
        codes: NDArray[numpy.uint8],
        y: NDArray[numpy.int32],
        weights: FloatArray | None,
        row_hashes: NDArray[numpy.uint64],
        taken: FloatArray,
        threads: int = 0,
    ) -> None:
        """Use the m for which these rows are likeliest where they are held out."""

    def held_out(
        self,
        codes: NDArray[numpy.uint8],
        y: NDArray[numpy.int32],
        row_hashes: NDArray[numpy.uint64],
        taken: FloatArray,
        grown: NDArray[numpy.bool_] | None,
        threads: int = 0,
    ) -> tuple[FloatArray, FloatArray]:
        """
        (arithmetic, geometric) log P(class | row) of trees without the row, less `taken` in every count.
        """

    def predict(self, codes: NDArray[numpy.uint8], threads: int = 0) -> tuple[FloatArray, FloatArray]:
        """(arithmetic, geometric) log P(class | row) of all trees."""

    def paths(self, codes: NDArray[numpy.uint8], row: int) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """
        (first, columns, thresholds, posteriors) of the nodes that a row passes in each tree.
        """

    def splits(self) -> tuple[NDArray[numpy.uint8], IntArray, NDArray[numpy.uint16], NDArray[numpy.int16]]:
        """(ranks, sizes, columns, thresholds)"""

    def counts_of_rows(
        self,
        ranks: NDArray[numpy.uint8],
        sizes: IntArray,
        columns: NDArray[numpy.uint16],
        thresholds: NDArray[numpy.int16],
        unit: float,
        codes: NDArray[numpy.uint8],
        y: NDArray[numpy.int32],
        weights: FloatArray | None,
        threads: int = 0,
    ) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint16], FloatArray]:
        """
        (lengths, classes, counts) of rows in the nodes of trees that split like this.
        """

    def state(
        self,
    ) -> tuple[
        NDArray[numpy.uint8],
        IntArray,
        NDArray[numpy.uint16],
        NDArray[numpy.int16],
        NDArray[numpy.uint32],
        NDArray[numpy.uint16],
        FloatArray,
    ]:
        """(ranks, sizes, columns, thresholds, lengths, classes, counts)"""

    def restore(
        self,
        ranks: NDArray[numpy.uint8],
        sizes: IntArray,
        columns: NDArray[numpy.uint16],
        thresholds: NDArray[numpy.int16],
        lengths: NDArray[numpy.uint32],
        classes: NDArray[numpy.uint16],
        counts: FloatArray,
        smoothing: float,
        unit: float,
        bag_limit: int,
        threads: int = 0,
    ) -> None:
        """Become the trees of a saved state."""

    @property
    def smoothing(self) -> float: ...
    @property
    def unit(self) -> float: ...
    @property
    def bag_limit(self) -> int: ...

def count_families(
    columns: list[CodeArray],
    cards: Sequence[int],
    families: Sequence[Sequence[int]],
    weights: CountArray | None = None,
    threads: int = 0,
) -> list[CountArray]:
    """
    A contingency table for each family of columns, all in one pass over the rows.
    """

def count_pairs(
    columns: list[CodeArray], cards: Sequence[int], threads: int = 0
) -> tuple[IntArray, IntArray]:
    """
    The tables of all pairs i < j, flat, and where each starts (the last offset is the end).
    """

def plane_kernels() -> str:
    """
    Which bit-plane kernels this processor runs: 'avx512', 'avx2' or 'portable'.
    """

def mdl_cuts(
    columns: list[FloatArray],
    classes: NDArray[numpy.uint32] | None,
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> list[FloatArray]:
    """
    Cut points of each column by entropy splits and the minimum description length rule.
    """

def value_counts(
    values: FloatArray,
    classes: NDArray[numpy.uint32] | None,
    n_classes: int,
    weights: FloatArray | None = None,
) -> tuple[FloatArray, NDArray[numpy.uint32], FloatArray]:
    """
    (values, classes, weights): each distinct value and class once, ascending.
    """

def values_by_class(
    columns: list[FloatArray],
    classes: NDArray[numpy.uint32] | None,
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, NDArray[numpy.uint32], FloatArray, IntArray]:
    """
    (values, classes, weights, starts): each distinct value and class of every column once, ascending.
    """

def held_out_losses(
    values: FloatArray,
    classes: NDArray[numpy.uint32],
    weights: FloatArray,
    starts: IntArray,
    whole: NDArray[numpy.uint8],
    strength: FloatArray,
    n_classes: int,
    least_spread: float = 0.0,
    threads: int = 0,
) -> FloatArray:
    """
    The held-out log-loss of the class by table, gaussian, discretised, kernel and poisson, [feature, model].
    """

def kernel_log_density(
    points: list[FloatArray],
    weights: list[FloatArray | None],
    bandwidths: Sequence[float],
    queries: FloatArray,
    relative_error: float = 0.0,
    threads: int = 0,
) -> FloatArray:
    """Log densities (queries, classes) of Gaussian kernels on points."""

def kernel_held_out(
    points: FloatArray, weights: FloatArray | None, bandwidth: float, threads: int = 0
) -> FloatArray:
    """The log density at each point of all records but one at that point."""

def count_dependences(
    codes: NDArray[numpy.uint8],
    cards: NDArray[numpy.uint32],
    parents: NDArray[numpy.int32],
    own: NDArray[numpy.uint32],
    classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> FloatArray:
    """
    Counts of (second parent, first parent, column, class) of all columns, flat; no parent is -1.
    """

def backoff_strengths(
    counts: FloatArray,
    cards: NDArray[numpy.uint32],
    parents: NDArray[numpy.int32],
    classes: int,
    grid: Sequence[float],
    threads: int = 0,
) -> FloatArray:
    """
    For each column and number of parents the strength with the best left-out likelihood.
    """

def backoff_logs(
    counts: FloatArray,
    cards: NDArray[numpy.uint32],
    parents: NDArray[numpy.int32],
    classes: int,
    strengths: FloatArray,
    threads: int = 0,
) -> FloatArray:
    """log P(column | 0, 1 and 2 parents, class) of all columns, flat."""

def left_out_dependences(
    counts: FloatArray,
    cards: NDArray[numpy.uint32],
    parents: NDArray[numpy.int32],
    classes: int,
    strengths: FloatArray,
    codes: NDArray[numpy.uint8],
    own: NDArray[numpy.uint32],
    part: FloatArray,
    threads: int = 0,
) -> FloatArray:
    """
    log P(column | parents, class) [row, class, column], each row without `part` of its own weight.
    """

def dependence_terms(
    logs: FloatArray,
    cards: NDArray[numpy.uint32],
    parents: NDArray[numpy.int32],
    classes: int,
    codes: NDArray[numpy.uint8],
    threads: int = 0,
) -> FloatArray:
    """
    log P(column | parents, class) [row, class, column]; 0 where the column's code is no state.
    """

def dependence_scores(
    logs: FloatArray,
    cards: NDArray[numpy.uint32],
    parents: NDArray[numpy.int32],
    classes: int,
    codes: NDArray[numpy.uint8],
    weights: FloatArray,
    threads: int = 0,
) -> FloatArray:
    """
    The weighted sums over the columns of log P(column | parents, class), [row, class].
    """

def class_informations(
    codes: NDArray[numpy.uint8],
    cards: NDArray[numpy.uint32],
    own: NDArray[numpy.uint32],
    classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> FloatArray:
    """
    I(column; column | class) less its chance level; on the diagonal I(column; class).
    """

def digitise(values: NDArray[Any], cuts: FloatArray, threads: int = 0) -> CodeArray:
    """
    The code of the interval that holds each value: how many cuts are below it; NaN is missing.
    """

def unpack_codes(
    data: NDArray[numpy.uint8], row_bytes: int, places: IntArray, offsets: IntArray
) -> tuple[list[CodeArray], list[IntArray]]:
    """
    (codes, numbers that they stand for) of columns that are packed into the 64-bit numbers of rows.
    """

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

def climb_chains(
    parameters: FloatArray,
    states: int,
    starts: IntArray,
    weights: FloatArray | None,
    columns: list[CodeArray],
    cards: Sequence[int],
    numbers: list[FloatArray],
    covariance: int,
    floors: FloatArray,
    pseudocounts: FloatArray,
    steps: int,
    tolerance: float,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """
    Steps of EM for many hidden Markov models: (parameters, objective before the last step, steps made).
    """

def filter_chain(
    start: FloatArray,
    transition: FloatArray,
    end: FloatArray | None,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    states: bool = True,
    gaussian: tuple[list[FloatArray], FloatArray, FloatArray, FloatArray] | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """
    (log-likelihood of each sequence, log P(row | rows before), P(state | rows so far)).
    """

def expect_chain(
    start: FloatArray,
    transition: FloatArray,
    end: FloatArray | None,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    weights: FloatArray | None,
    counts: bool = True,
    smoothed: bool = False,
    gaussian: tuple[list[FloatArray], FloatArray, FloatArray, FloatArray] | None = None,
    threads: int = 0,
) -> tuple[
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    list[FloatArray],
    FloatArray,
    tuple[FloatArray, FloatArray, FloatArray],
]:
    """
    (log-likelihoods, counts of first states, moves, last states and codes, smoothed states, moments).
    """

def shared_moments(
    matrix: FloatArray, weights: FloatArray, centres: FloatArray, threads: int = 0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """
    (n, mean, centred scatter) of each group; row i belongs to group g with weights[i, g].
    """

def carry_message(
    message: FloatArray,
    transition: FloatArray,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    backward: bool = False,
    best: bool = False,
    gaussian: tuple[list[FloatArray], FloatArray, FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, float]:
    """
    (log message at the last row of a block, backward at its first; what it was divided by, as a log).
    """

def best_paths(
    start: FloatArray,
    transition: FloatArray,
    end: FloatArray | None,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    gaussian: tuple[list[FloatArray], FloatArray, FloatArray, FloatArray] | None = None,
    threads: int = 0,
) -> tuple[NDArray[numpy.uint32], FloatArray]:
    """(most probable states, their log probability a sequence)."""

class EquivalenceSearch:
    def __init__(
        self, memory: FamilyMemory, joinable: NDArray[numpy.uint8], most_parents: int, least_gain: float
    ) -> None: ...
    def steps(self, seconds: float) -> list[tuple[float, int, int, tuple[int, ...]]]: ...
    def is_finished(self) -> bool: ...
    def parents(self) -> tuple[tuple[int, ...], ...]: ...

class ExpectedCounts:
    def __init__(
        self, cards: Sequence[int], scopes: Sequence[Sequence[int]], open_cards: Sequence[int] | None = None
    ) -> None: ...
    def run(
        self,
        tables: list[FloatArray],
        columns: list[CodeArray],
        variables: Sequence[int],
        rows: int,
        weights: FloatArray | None = None,
        threads: int = 0,
        most_bytes: float = float("inf"),
    ) -> tuple[FloatArray, list[FloatArray]]: ...
    def expected_entries(self, missing: Sequence[float]) -> float: ...
    def bytes(self, rows: int) -> float: ...

class IndependenceTester:
    """Coded columns as bit planes, kept for many tests."""

    def __init__(self, columns: list[CodeArray], cards: Sequence[int], threads: int = 0) -> None: ...
    def tests(
        self, pairs: IntArray, offsets: IntArray, given: IntArray, method: str = "g", reliable: float = 0.0
    ) -> tuple[FloatArray, IntArray, IntArray, FloatArray, NDArray[numpy.uint8]]:
        """
        (statistics, degrees, rows, p-values, whether it counts) of each test of x and y given the members
        from offsets[i] to offsets[i + 1].
        """

    def separate(
        self,
        pairs: IntArray,
        offsets: IntArray,
        neighbours: IntArray,
        size: int,
        method: str = "g",
        reliable: float = 0.0,
        most_cells: int = 1048576,
    ) -> tuple[FloatArray, IntArray, IntArray, FloatArray, IntArray, IntArray, NDArray[numpy.uint8]]:
        """
        For each pair the test with the largest p-value over all sets of neighbours of that size:
        (statistics, degrees, rows, p-values, sets, tests that counted, whether one did).
        """

class FactorTables:
    def __init__(
        self, cards: Sequence[int], scopes: Sequence[Sequence[int]], tables: list[FloatArray]
    ) -> None: ...

class InferencePlan:
    def __init__(
        self,
        tables: FactorTables,
        factors: Sequence[int],
        given: Sequence[Sequence[int]],
        observed: Sequence[int],
        joint: Sequence[int],
        maximised: Sequence[int],
        lanes: int = 1,
        marginals: bool = True,
    ) -> None: ...
    def run(
        self, codes: NDArray[numpy.uint32], given: list[FloatArray], threads: int = 0
    ) -> tuple[float, FloatArray, NDArray[numpy.uint32]]: ...
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

class RowPlan:
    def __init__(
        self, cards: Sequence[int], scopes: Sequence[Sequence[int]], tables: list[FloatArray], target: int
    ) -> None: ...
    def run(
        self, columns: list[CodeArray], variables: Sequence[int], rows: int, threads: int = 0
    ) -> tuple[FloatArray, FloatArray]: ...
    def expected_entries(self, missing: Sequence[float]) -> float: ...
    @property
    def cliques(self) -> int: ...
    @property
    def bytes(self) -> float: ...

def encode_integer_matrix(
    matrix: NDArray[numpy.integer[Any]] | NDArray[numpy.bool_],
    values: list[NDArray[numpy.integer[Any]]] | None = None,
    threads: int = 0,
) -> tuple[list[CodeArray], list[NDArray[Any]]]:
    """
    (codes, values) of each column of a matrix of whole numbers; with values given, others are missing.
    """

def kalman_filter(
    system: list[FloatArray],
    starts: IntArray,
    values: FloatArray,
    inputs: FloatArray,
    states: bool = True,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, int]:
    """
    (log-likelihoods, log density of each row given those before, means, covariances, first bad row or -1).
    """

def kalman_smooth(
    system: list[FloatArray], starts: IntArray, values: FloatArray, inputs: FloatArray, threads: int = 0
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """
    (log-likelihoods, means and covariances given all rows, first bad row or -1).
    """

def kalman_expect(
    system: list[FloatArray],
    reference: list[FloatArray],
    starts: IntArray,
    values: FloatArray,
    inputs: FloatArray,
    weights: FloatArray | None,
    threads: int = 0,
) -> tuple[
    FloatArray,
    tuple[float, FloatArray, FloatArray],
    tuple[float, FloatArray, FloatArray],
    tuple[float, FloatArray, FloatArray],
    int,
]:
    """
    (log-likelihoods, sums of first states, of moves and of observations, first bad row or -1).
    """

def loopy_beliefs(
    cards: Sequence[int],
    scopes: Sequence[Sequence[int]],
    tables: list[FloatArray],
    first_log: int,
    tolerance: float,
    sweeps: int,
    threads: int = 0,
) -> tuple[FloatArray, float, float, int, bool]: ...

class MixedSlices:
    """Slices of a dynamic network with numbers, with their parameters."""

    def __init__(
        self,
        variables: int,
        places: int,
        states: Sequence[int],
        cells: int,
        lines: list[tuple[FloatArray, FloatArray, FloatArray]],
        tables: list[FloatArray],
        slices: list[tuple[IntArray, ...]],
    ) -> None: ...

def filter_mixed(
    model: MixedSlices,
    starts: IntArray,
    slices: NDArray[numpy.uint32],
    values: FloatArray,
    are_set: NDArray[numpy.uint8],
    codes: NDArray[numpy.uint32],
    codes_are_set: NDArray[numpy.uint8],
    numbers: bool = True,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, int]:
    """
    (log-likelihoods, log density of each row given those before, means, covariances, first bad row or -1).
    """

def smooth_mixed(
    model: MixedSlices,
    starts: IntArray,
    slices: NDArray[numpy.uint32],
    values: FloatArray,
    are_set: NDArray[numpy.uint8],
    codes: NDArray[numpy.uint32],
    codes_are_set: NDArray[numpy.uint8],
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """
    (log-likelihoods, means and covariances given all rows, first bad row or -1).
    """

def expect_mixed(
    model: MixedSlices,
    starts: IntArray,
    slices: NDArray[numpy.uint32],
    values: FloatArray,
    are_set: NDArray[numpy.uint8],
    codes: NDArray[numpy.uint32],
    codes_are_set: NDArray[numpy.uint8],
    weights: FloatArray | None,
    threads: int = 0,
) -> tuple[FloatArray, list[tuple[FloatArray, FloatArray, FloatArray]], int]:
    """
    (log-likelihoods, sums of parents and child of each block of lines, first bad row or -1).
    """

class NetworkTree:
    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        tables: list[FloatArray],
        most_entries: float,
    ) -> None: ...
    def query(
        self, target: int, variables: Sequence[int], codes: Sequence[int]
    ) -> tuple[float, FloatArray]: ...
    def marginals(self, variables: Sequence[int], codes: Sequence[int]) -> tuple[float, FloatArray]: ...
    @property
    def offsets(self) -> list[int]: ...
    @property
    def entries(self) -> float: ...
    @property
    def bytes(self) -> float: ...

class SparseTree:
    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        tables: list[FloatArray],
        most_words: float,
        threads: int = 0,
    ) -> None: ...
    def marginals(
        self, variables: Sequence[int], weights: list[FloatArray], threads: int = 0
    ) -> tuple[float, FloatArray]: ...
    @property
    def offsets(self) -> list[int]: ...
    @property
    def cliques(self) -> int: ...
    @property
    def entries(self) -> float: ...
    @property
    def dense_entries(self) -> float: ...
    @property
    def runs(self) -> float: ...
    @property
    def words(self) -> float: ...
    @property
    def bytes(self) -> float: ...

def group_moments(
    columns: list[FloatArray],
    groups: NDArray[numpy.uint32] | None,
    n_groups: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """
    (n, mean, scatter) of real columns by group; rows with a NaN or without a group are left out.
    """

class ClimbingGraph:
    def __init__(self, size: int, required: NDArray[numpy.uint8], allowed: NDArray[numpy.uint8]) -> None: ...
    def use_memory(self, memory: FamilyMemory, most_parents: int, worst: float) -> None: ...
    def rebuild(self, parents: Sequence[Sequence[int]]) -> None: ...
    def perturb(self, share: float, numbers: FloatArray) -> None: ...
    def fill(self, seconds: float) -> bool: ...
    def unknown(self) -> list[int]: ...
    def set_column(self, child: int, score: float, adding: FloatArray, dropping: FloatArray) -> None: ...
    def best(self, tolerance: float, excluded: Sequence[int] = []) -> tuple[str, int, int, float] | None: ...
    def apply(self, kind: str, parent: int, child: int) -> None: ...
    def climb(
        self, tolerance: float, most: int, seconds: float = 1000000.0
    ) -> list[tuple[str, int, int, float]]: ...
    def parents(self) -> tuple[tuple[int, ...], ...]: ...
    def parents_of(self, child: int) -> tuple[int, ...]: ...
    def score(self) -> float: ...

def climb_orders(
    starts: IntArray,
    sets: NDArray[numpy.uint64],
    scores: FloatArray,
    visits: NDArray[numpy.int32],
    orders: NDArray[numpy.int32],
    passes: int,
    threads: int = 0,
) -> tuple[FloatArray, NDArray[numpy.int32], IntArray]:
    """
    Move single variables of each order to better places; the scores, the orders and the sets chosen.
    """

def count_pairs_by(
    columns: list[CodeArray],
    cards: Sequence[int],
    groups: NDArray[numpy.uint32],
    n_groups: int,
    threads: int = 0,
) -> IntArray:
    """
    The flat tables of all pairs i < j for each group of rows, [group, cell].
    """

def pair_information(
    tables: CountArray, cards: Sequence[int], threads: int = 0
) -> tuple[FloatArray, FloatArray]:
    """
    I(A; B | group) of every pair, and what chance alone gives, as symmetric matrices.
    """

def one_dependence_tables(
    tables: CountArray, cards: Sequence[int], strength: float, threads: int = 0
) -> FloatArray:
    """
    log P(second state | group, first state) of all states of all columns, [first, second, group].
    """

def one_dependence_scores(
    codes: NDArray[numpy.uint32],
    cards: Sequence[int],
    own: FloatArray,
    frequent: NDArray[numpy.uint8],
    log_weights: FloatArray,
    logs: FloatArray,
    threads: int = 0,
) -> FloatArray:
    """
    log of the weighted sum over parents of P(class, row), [row, class]; codes is [column, row].
    """

def weigh_particles(
    before: FloatArray, logs: FloatArray, threads: int = 0
) -> tuple[FloatArray, FloatArray, float, float]:
    """
    (before + logs, weights that sum to 1, log of the mean weight or NaN, effective size).
    """

def resample_particles(
    weights: FloatArray, resampling: int, seed: int, step: int, threads: int = 0
) -> IntArray:
    """
    The ancestors of as many new particles; 0 systematic, 1 stratified, 2 residual, 3 multinomial.
    """

def normal_numbers(
    seed: int, stream: int, n: int, mean: float = 0.0, spread: float = 1.0, threads: int = 0
) -> FloatArray:
    """
    Normal numbers that depend on the seed, the stream and their place only.
    """

def weighted_moments(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(Means, standard deviations) of the columns of a matrix."""

def weighted_quantiles(values: FloatArray, weights: FloatArray, levels: Sequence[float]) -> FloatArray:
    """The smallest value whose cumulative weight reaches each level."""

class ParticleRun:
    def __init__(
        self, particles: int, seed: int, resampling: int, resample_below: float, looks_ahead: bool
    ) -> None:
        """A particle filter that goes on from call to call."""

    def run_linear(
        self,
        sets: IntArray,
        F: FloatArray,
        G: FloatArray,
        H: FloatArray,
        shifts: FloatArray,
        offsets: FloatArray,
        constants: FloatArray,
        weighs_old: bool,
        ahead_H: FloatArray,
        ahead_offsets: FloatArray,
        ahead_constants: FloatArray,
        levels: Sequence[float],
        keep: bool,
        threads: int = 0,
    ) -> tuple[
        int,
        FloatArray,
        FloatArray,
        NDArray[numpy.uint8],
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
    ]:
        """
        x' = F x + shift + G e; log weight = constant - |H s + offset|^2 / 2, s = x' or x.
        """

    def run_volatility(
        self,
        mean: float,
        persistence: float,
        spread: float,
        first_spread: float,
        observations: FloatArray,
        guided: bool,
        levels: Sequence[float],
        keep: bool,
        threads: int = 0,
    ) -> tuple[
        int,
        FloatArray,
        FloatArray,
        NDArray[numpy.uint8],
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
    ]:
        """x' = mean + persistence (x - mean) + spread e; y = exp(x / 2) v."""

    def run_codes(
        self,
        start: FloatArray,
        transition: FloatArray,
        logs: FloatArray,
        guided: bool,
        keep: bool,
        threads: int = 0,
    ) -> tuple[
        int,
        FloatArray,
        FloatArray,
        NDArray[numpy.uint8],
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
        FloatArray,
    ]:
        """States that move by a table; logs is log P(row | state)."""

    def particles(self) -> tuple[FloatArray, FloatArray]:
        """(states, [component, particle], logs of their weights)."""

def sample_rows(
    columns: list[NDArray[Any]],
    tables: list[NDArray[numpy.uint64]],
    weights: FloatArray | None = None,
    size: int = 4096,
    largest: int = 18446744073709551615,
    threads: int = 0,
) -> tuple[NDArray[numpy.uint64], IntArray, FloatArray]:
    """
    (hashes, rows, weights) of the distinct rows with the smallest hashes, ascending; none above `largest`.
    """

class RowSampler:
    def __init__(
        self,
        cards: Sequence[int],
        variables: Sequence[int],
        streams: Sequence[int],
        factor_scopes: Sequence[Sequence[Sequence[int]]],
        factors: list[list[FloatArray]],
        divisor_scopes: Sequence[Sequence[Sequence[int]]],
        divisors: list[list[FloatArray]],
        weight_scopes: Sequence[Sequence[int]],
        weights: list[FloatArray],
    ) -> None:
        """
        Draws variables one after the other, each from the product of its factors given those before.
        """

    def draw(
        self, seed: int, first_row: int, n: int, variables: Sequence[int], weighted: bool, threads: int = 0
    ) -> tuple[list[CodeArray], FloatArray]:
        """
        (Codes of these variables in rows first_row … first_row + n - 1, logs of the weights if weighted).
        """

    def weighted_sums(
        self, seed: int, first_row: int, n: int, targets: Sequence[Sequence[int]], threads: int = 0
    ) -> tuple[float, float, float, float, int, FloatArray, FloatArray]:
        """
        Sums of the rows' weights and of their squares, in all and by cell of the targets.
        """

class GibbsChains:
    def __init__(
        self,
        cards: Sequence[int],
        scopes: Sequence[Sequence[int]],
        tables: list[FloatArray],
        blocks: Sequence[Sequence[int]],
        starts: NDArray[numpy.uint32],
        seed: int,
    ) -> None:
        """
        Gibbs sampling from a product of tables; each block of variables is drawn together.
        """

    def run(self, sweeps: int, joint: Sequence[int], threads: int = 0) -> tuple[FloatArray, FloatArray]:
        """
        By chain: sums of P(state | other blocks) of each variable, and counts of the joint states.
        """

class SliceProgram:
    def __init__(
        self,
        operands: IntArray,
        picks: IntArray,
        tables: list[FloatArray],
        passes: IntArray,
        loops: IntArray,
        axes: IntArray,
        result: int,
        numbers: Sequence[int],
        incoming: IntArray,
        outgoing: IntArray,
        message_marginals: IntArray,
        table_marginals: IntArray,
        parts: IntArray,
        factored: bool,
        ids: int,
    ) -> None:
        """
        One slice of a dynamic network: passes from the incoming message to the outgoing one.
        """

    def with_tables(self, tables: list[FloatArray]) -> SliceProgram:
        """The same program with other tables."""

def filter_slices(
    programs: list[SliceProgram],
    starts: IntArray,
    codes: NDArray[numpy.uint32],
    likelihoods: list[FloatArray],
    row_programs: NDArray[numpy.uint32],
    belief_states: Sequence[int],
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
    """
    (log P of each sequence, log P of each row given those before, beliefs of each wanted variable).
    """

def smooth_slices(
    programs: list[SliceProgram],
    starts: IntArray,
    codes: NDArray[numpy.uint32],
    likelihoods: list[FloatArray],
    row_programs: NDArray[numpy.uint32],
    belief_states: Sequence[int],
    weights: FloatArray | None,
    counts: bool,
    kept_entries: int,
    threads: int = 0,
) -> tuple[FloatArray, list[FloatArray], list[list[FloatArray]]]:
    """
    (log P of each sequence, beliefs given all rows, expected counts of the tables of each program).
    """

def best_slices(
    programs: list[SliceProgram],
    starts: IntArray,
    codes: NDArray[numpy.uint32],
    likelihoods: list[FloatArray],
    row_programs: NDArray[numpy.uint32],
    kept_entries: int,
    threads: int = 0,
) -> tuple[FloatArray, NDArray[numpy.uint32]]:
    """(log P of each best path, its codes [variable, row])."""

def sample_categorical(
    seed: int,
    stream: int,
    first_row: int,
    groups: NDArray[numpy.uint32] | None,
    cumulative: FloatArray,
    n: int,
    threads: int = 0,
) -> CodeArray:
    """
    Codes drawn from rows of cumulative probabilities; row i depends on (seed, stream, i) only.
    """

def sample_normal(seed: int, stream: int, first_row: int, n: int, threads: int = 0) -> FloatArray:
    """Standard normal draws; row i depends on (seed, stream, i) only."""

def combine_codes(columns: list[CodeArray], cards: Sequence[int], threads: int = 0) -> NDArray[numpy.uint32]:
    """
    The mixed-radix index of each row, first column slowest; 0xFFFFFFFF where a cell is missing.
    """

def sum_log_tables(
    columns: list[CodeArray],
    cards: Sequence[int],
    families: Sequence[Sequence[int]],
    log_tables: list[FloatArray],
    threads: int = 0,
) -> FloatArray:
    """
    The sum over families of each row's table entry; NaN where a cell is missing.
    """

def sum_sparse_rows(
    starts: NDArray[numpy.integer[Any]],
    columns: NDArray[numpy.integer[Any]],
    values: CountArray,
    n_columns: int,
    classes: NDArray[numpy.uint32],
    n_classes: int,
    weights: CountArray | None | None = None,
    threads: int = 0,
) -> tuple[CountArray, CountArray]:
    """
    The sums of values and the weights of rows with a value above 0, both [column, class].
    """

def score_sparse_rows(
    starts: NDArray[numpy.integer[Any]],
    columns: NDArray[numpy.integer[Any]],
    values: CountArray,
    table: FloatArray,
    start: FloatArray,
    distinct: bool = False,
    threads: int = 0,
) -> FloatArray:
    """
    start + the sum of value * table[column] over the entries of each row, [row, class].
    """

class Vocabulary:
    def __init__(self, words: list[str]) -> None: ...
    @property
    def words(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getstate__(self) -> list[str]: ...
    def __setstate__(self, arg: list[str], /) -> None: ...

def count_words(
    documents: list[str | None],
    classes: NDArray[numpy.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    vocabulary: Vocabulary | None = None,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: list[str] = [],
    offsets: IntArray | None = None,
    threads: int = 0,
) -> tuple[list[str], CountArray, CountArray]:
    """
    (words in order, occurrences, documents): how often each word occurs by class, in one pass.
    """

def score_words(
    documents: list[str | None],
    vocabulary: Vocabulary,
    weights: FloatArray,
    distinct: bool = False,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: list[str] = [],
    offsets: IntArray | None = None,
    threads: int = 0,
) -> FloatArray:
    """
    For each document the sum of its words' rows of weights; unknown words are skipped.
    """

def word_matrix(
    documents: list[str | None],
    vocabulary: Vocabulary,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: list[str] = [],
    offsets: IntArray | None = None,
    threads: int = 0,
) -> tuple[IntArray, NDArray[numpy.int32], IntArray]:
    """
    The words of each document by number, compressed by rows: (starts, words, counts).
    """

class ArrowReader:
    """Reads a stream of Arrow batches into codes and numbers."""

    def __init__(self, source: Any, threads: int = 0) -> None: ...
    @property
    def fields(self) -> list[tuple[str, str]]: ...
    def select(
        self, positions: Sequence[int], empty_is_missing: bool = False, label_bytes: int | None = None
    ) -> None: ...
    def read(
        self, max_rows: int = 9223372036854775807
    ) -> tuple[int, list[tuple[str, NDArray[Any], list[Any] | None, str, bool, bool, bool]]] | None: ...

def encode_objects(
    columns: Sequence[Any], identify: Callable[[Any], tuple[Hashable, Hashable] | None], threads: int = 0
) -> list[tuple[CodeArray, list[Any], int]]: ...
def encode_fixed_width(array: NDArray[Any]) -> tuple[CodeArray, IntArray]: ...
def encode_text_file(
    path: bytes,
    separator: str,
    fields: int,
    wanted: Sequence[int],
    numeric: Sequence[int],
    has_header: bool,
    threads: int = 0,
) -> tuple[int, list[tuple[NDArray[Any], list[str] | None, bool]]] | None: ...
def switching_filter(
    model: MixedSlices,
    slices: NDArray[numpy.uint32],
    values: FloatArray,
    are_set: NDArray[numpy.uint8],
    codes: NDArray[numpy.uint32],
    codes_are_set: NDArray[numpy.uint8],
    likelihoods: list[FloatArray],
    particles: int,
    seed: int,
    resampling: int,
    resample_below: float,
    threads: int = 0,
) -> tuple[
    int,
    FloatArray,
    FloatArray,
    NDArray[numpy.uint8],
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
]:
    """
    (rows taken, logs of rows, effective sizes, resampled; shares and errors; means, variances, errors).
    """

def switching_paths(
    model: MixedSlices,
    slices: NDArray[numpy.uint32],
    values: FloatArray,
    are_set: NDArray[numpy.uint8],
    codes: NDArray[numpy.uint32],
    codes_are_set: NDArray[numpy.uint8],
    likelihoods: list[FloatArray],
    particles: int,
    seed: int,
    resampling: int,
    resample_below: float,
    paths: int,
    threads: int = 0,
) -> tuple[int, int, FloatArray, FloatArray, NDArray[numpy.uint32]]:
    """
    (rows taken, row without a density or -1, logs of rows, effective sizes, states [path, row, variable]).
    """

def set_default_threads(count: int) -> None:
    """
    Use this many threads from now on, in the whole process; 0 means every core.
    """

def default_threads() -> int:
    """The number of threads that are used."""
