"""Expected counts and moments of rows with gaps equal brute force over states and Gaussians by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.inference.hybrid_networks import combinations, hybrid_networks, real_names, weights_of
from tests.laws.strategies import law, seeds

import bayou
from bayou._native import combine_codes, group_moments
from bayou.distributions import LinearGaussian, Table
from bayou.errors import ImpossibleEvidence, TooWide
from bayou.graphs import Dag
from bayou.inference import (
    ExpectedMoments,
    Question,
    expected_hybrid,
    expected_hybrid_rows,
    expected_hybrid_wide,
    expected_moments,
    log_probability,
)
from bayou.inference.drawing import draw
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.statistics import Batch

ROWS = 6
few = settings(law, max_examples=12)
"""Laws by hand go through all combinations of states of every row: fewer examples of them."""
GONE = 255


def batch_with_gaps(
    network: FrozenNetwork,
    random: np.random.Generator,
    share: float,
    rows: int = ROWS,
    weighted: bool = False,
) -> Batch:
    columns = draw(network, rows, int(random.integers(1000)))
    codes: dict[Any, Any] = {}
    numbers: dict[Any, Any] = {}
    for name, column in columns.items():
        gaps = random.random(rows) < share
        if network.schema[name].is_continuous:
            numbers[name] = np.where(gaps, np.nan, column)
        else:
            codes[name] = np.where(gaps, GONE, column).astype(np.uint8)
    weights = random.integers(0, 4, rows) / 2 if weighted else None
    return Batch(rows, codes, numbers, weights)


def without(batch: Batch, *names: Any) -> Batch:
    """The same with some columns hidden in every row."""
    codes = {n: np.full_like(c, GONE) if n in names else c for n, c in batch.codes.items()}
    numbers = {n: np.full_like(c, np.nan) if n in names else c for n, c in batch.numbers.items()}
    return replace(batch, codes=codes, numbers=numbers)


def findings(batch: Batch, row: int) -> dict[Any, Any]:
    columns = {**batch.codes, **batch.numbers}
    seen = [name for name in columns if not batch.missing(name)[row]]
    return {n: int(columns[n][row]) if n in batch.codes else float(columns[n][row]) for n in seen}


class ByHand:
    """Counts, sums and sums of squares over all combinations of states of every row."""

    def __init__(self, network: FrozenNetwork, batch: Batch) -> None:
        self.log_likelihood = 0.0
        shapes = {n: [p.cardinality for p in network.discrete_parents(n)] for n in network.dag.nodes}
        self.tables = {n: np.zeros((*shapes[n], network.schema[n].cardinality)) for n in batch.codes}
        self.n = {name: np.zeros(shapes[name]) for name in batch.numbers}
        size = {name: len(network.continuous_parents(name)) + 1 for name in batch.numbers}
        self.first = {name: np.zeros((*shapes[name], size[name])) for name in batch.numbers}
        self.second = {name: np.zeros((*shapes[name], size[name], size[name])) for name in batch.numbers}
        for row in range(batch.rows):
            weight = 1.0 if batch.weights is None else float(batch.weights[row])
            if weight > 0:
                self._add(network, Question((), findings(batch, row)), weight)

    def _add(self, network: FrozenNetwork, question: Question, weight: float) -> None:
        every = combinations(network, question)
        shares, log = weights_of(every)
        self.log_likelihood += weight * log
        place = {name: k for k, name in enumerate(real_names(network))}
        for one, share in zip(every, weight * shares, strict=True):
            for name in self.tables:
                self.tables[name][
                    (*(one.states[p] for p in network.dag.parents(name)), one.states[name])
                ] += share
            for name in self.n:
                index = tuple(one.states[p.name] for p in network.discrete_parents(name))
                at = [*(place[p.name] for p in network.continuous_parents(name)), place[name]]
                mean = one.means[at]
                self.n[name][index] += share
                self.first[name][index] += share * mean
                self.second[name][index] += share * (np.outer(mean, mean) + one.covariance[np.ix_(at, at)])


def assert_equals_hand(network: FrozenNetwork, batch: Batch, found: ExpectedMoments) -> None:
    hand = ByHand(network, batch)
    np.testing.assert_allclose(found.log_likelihood, hand.log_likelihood, rtol=1e-8, atol=1e-8)
    assert found.rows == batch.total
    assert set(found.tables) == set(batch.codes)
    assert set(found.moments) == set(batch.numbers)
    for name, table in found.tables.items():
        np.testing.assert_allclose(table, hand.tables[name], rtol=1e-8, atol=1e-10)
    for name, moments in found.moments.items():
        continuous = tuple(parent.name for parent in network.continuous_parents(name))
        assert moments.variables == (*continuous, name)
        assert moments.groups == network.discrete_parents(name)
        n, mean = moments.n, moments.mean
        np.testing.assert_allclose(n, hand.n[name], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(n[..., None] * mean, hand.first[name], rtol=1e-7, atol=1e-8)
        second = moments.scatter + n[..., None, None] * mean[..., :, None] * mean[..., None, :]
        np.testing.assert_allclose(second, hand.second[name], rtol=1e-7, atol=1e-7)


SMALL = [(512, 2**23), (512, 200), (0, 2**23), (3, 500)]
"""All rows written out; in small chunks; none written out; some."""


@pytest.mark.parametrize(("most", "chunk"), SMALL)
@given(
    network=hybrid_networks(), random=seeds(), share=st.sampled_from([0.1, 0.4, 1.0]), weighted=st.booleans()
)
@few
def test_expected_counts_and_moments_equal_those_by_hand(
    most: int, chunk: int, network: FrozenNetwork, random: np.random.Generator, share: float, weighted: bool
) -> None:
    batch = batch_with_gaps(network, random, share, weighted=weighted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expected_hybrid, "_MOST_COMBINATIONS", most)
        patch.setattr(expected_hybrid_rows, "_CHUNK_NUMBERS", chunk)
        patch.setattr(expected_hybrid_wide, "_BLOCK_ENTRIES", chunk // 8)
        found = expected_moments(network, batch)
    assert_equals_hand(network, batch, found)
    if not weighted:
        logs = log_probability(network, batch.codes, batch.numbers, batch.rows)
        np.testing.assert_allclose(found.log_likelihood, logs.sum(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("most", [512, 0])
@given(network=hybrid_networks(), random=seeds(), share=st.sampled_from([0.0, 0.2]))
@few
def test_hidden_columns_equal_those_by_hand(
    most: int, network: FrozenNetwork, random: np.random.Generator, share: float
) -> None:
    """A class that is never seen, then a number that is never measured, then both."""
    batch = batch_with_gaps(network, random, share, rows=3)
    state, number = random.choice(len(batch.codes)), random.choice(len(batch.numbers))
    hidden = [list(batch.codes)[state], list(batch.numbers)[number]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expected_hybrid, "_MOST_COMBINATIONS", most)
        for gone in (hidden[:1], hidden[1:], hidden):
            part = without(batch, *gone)
            assert_equals_hand(network, part, expected_moments(network, part))


@given(network=hybrid_networks(), random=seeds(), weighted=st.booleans())
@law
def test_complete_rows_give_the_plain_moments_and_counts(
    network: FrozenNetwork, random: np.random.Generator, weighted: bool
) -> None:
    batch = batch_with_gaps(network, random, 0.0, rows=40, weighted=weighted)
    assume(batch.total > 0)
    found = expected_moments(network, batch)
    used = None if batch.weights is None else batch.weights.astype(np.float64)
    for name, moments in found.moments.items():
        parents = network.discrete_parents(name)
        cards = [parent.cardinality for parent in parents]
        groups = combine_codes([batch.codes[p.name] for p in parents], cards) if parents else None
        columns = [batch.numbers[variable] for variable in moments.variables]
        n, mean, scatter = group_moments(columns, groups, int(np.prod(cards, dtype=int)), used)
        assert np.array_equal(moments.n.ravel(), n)
        np.testing.assert_allclose(moments.mean.ravel(), mean.ravel(), rtol=1e-14)
        np.testing.assert_allclose(moments.scatter.ravel(), scatter.ravel(), rtol=1e-12, atol=1e-12)
    for name, table in found.tables.items():
        scope = [batch.codes[p] for p in (*network.dag.parents(name), name)]
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(column.astype(int) for column in scope), 1.0 if used is None else used)
        assert np.array_equal(table, counts)


@given(network=hybrid_networks(), random=seeds())
@law
def test_batches_add_and_do_not_depend_on_the_order_of_rows(
    network: FrozenNetwork, random: np.random.Generator
) -> None:
    whole = batch_with_gaps(network, random, 0.3, rows=30, weighted=True)
    assert whole.weights is not None
    order = random.permutation(30)
    parts = []
    for rows in (order[:7], order[7:]):
        codes = {name: column[rows] for name, column in whole.codes.items()}
        numbers = {name: column[rows] for name, column in whole.numbers.items()}
        parts.append(expected_moments(network, Batch(len(rows), codes, numbers, whole.weights[rows])))
    same(parts[0] + parts[1], expected_moments(network, whole))


def same(left: ExpectedMoments, right: ExpectedMoments) -> None:
    np.testing.assert_allclose(left.log_likelihood, right.log_likelihood, rtol=1e-9)
    np.testing.assert_allclose(left.rows, right.rows)
    for name, table in right.tables.items():
        np.testing.assert_allclose(left.tables[name], table, rtol=1e-9, atol=1e-12)
    for name, moments in right.moments.items():
        np.testing.assert_allclose(left.moments[name].n, moments.n, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(left.moments[name].mean, moments.mean, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(left.moments[name].scatter, moments.scatter, rtol=1e-8, atol=1e-8)


def moved(network: FrozenNetwork, name: Any, part: str, index: tuple[int, ...], by: float) -> FrozenNetwork:
    node = network.gaussian(name)
    values = np.array(getattr(node, part))
    values[index] += by
    return network.with_blocks({network.slots[name]: replace(node, **{part: values})})


@given(network=hybrid_networks(), random=seeds())
@few
def test_the_slope_of_the_likelihood_is_that_of_the_expected_moments(
    network: FrozenNetwork, random: np.random.Generator
) -> None:
    """Fisher: d log-likelihood / d parameter = expected d log density / d parameter."""
    batch = batch_with_gaps(network, random, 0.3)
    found = expected_moments(network, batch)
    for name in list(found.moments)[-2:]:
        moments, node = found.moments[name], network.gaussian(name)
        index = tuple(int(random.integers(size)) for size in node.intercept.shape)
        away = np.append(-node.coefficients[index], 1.0)
        n, variance = moments.n[index], node.variance[index]
        gap = away @ moments.mean[index] - node.intercept[index]
        squares = away @ moments.scatter[index] @ away + n * gap**2
        slopes = {"intercept": n * gap / variance, "variance": (squares / variance - n) / (2 * variance)}
        for part, slope in slopes.items():
            step = 1e-5 * min(1.0, float(variance))
            ends = [
                log_probability(moved(network, name, part, index, by), batch.codes, batch.numbers, ROWS).sum()
                for by in (-step, step)
            ]
            np.testing.assert_allclose((ends[1] - ends[0]) / (2 * step), slope, rtol=1e-4, atol=1e-3)


@given(network=hybrid_networks(), random=seeds(), share=st.sampled_from([0.1, 0.5]))
@few
def test_a_step_of_expectation_and_maximisation_never_lowers_the_likelihood(
    network: FrozenNetwork, random: np.random.Generator, share: float
) -> None:
    batch = batch_with_gaps(network, random, share, rows=60)
    before = -np.inf
    for _ in range(4):
        found = expected_moments(network, batch)
        assert found.log_likelihood >= before - 1e-7 * abs(found.log_likelihood)
        before = found.log_likelihood
        network = network.with_blocks(maximised(network, found))


def maximised(network: FrozenNetwork, found: ExpectedMoments) -> dict[Any, Any]:
    """Each group on its own, by least squares; too few rows leave a group as it is."""
    blocks: dict[Any, Any] = {}
    for name, table in found.tables.items():
        total = table.sum(axis=-1, keepdims=True)
        old = network.table(name)
        blocks[network.slots[name]] = Table(np.where(total > 0, table / np.where(total > 0, total, 1), old))
    for name, moments in found.moments.items():
        node = network.gaussian(name)
        parts = [np.array(getattr(node, part)) for part in ("intercept", "coefficients", "variance")]
        for index in np.ndindex(node.intercept.shape):
            n, mean, scatter = moments.n[index], moments.mean[index], moments.scatter[index]
            if n < 3 * len(mean) + 3:
                continue
            slopes = np.linalg.solve(scatter[:-1, :-1], scatter[:-1, -1])
            parts[0][index] = mean[-1] - slopes @ mean[:-1]
            parts[1][index] = slopes
            parts[2][index] = (scatter[-1, -1] - slopes @ scatter[:-1, -1]) / n
        blocks[network.slots[name]] = LinearGaussian(*parts)
    return blocks


def fish() -> bayou.Network:
    net = bayou.Network(
        "Art -> Länge; Art, Länge -> Gewicht; Art -> Farbe",
        states={"Art": ["Barsch", 7, "日本"], "Farbe": ["hell", "dunkel"]},
        continuous=["Länge", "Gewicht"],
    )
    net.set_cpt("Art", [0.5, 0.3, 0.2]).set_cpt("Farbe", [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    net.set_gaussian("Länge", {"Barsch": (20, 4), 7: (30, 9), "日本": (25, 1)})
    lines = {"Barsch": (1, 2.0), 7: (0, 1.0), "日本": (3, 0.5)}
    return net.set_gaussian(
        "Gewicht",
        {
            art: {"mean": start, "variance": variance, "coefficients": {"Länge": 2.0}}
            for art, (start, variance) in lines.items()
        },
    )


@pytest.mark.parametrize("most", [512, 0])
def test_a_row_that_can_not_be_is_named(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expected_hybrid, "_MOST_COMBINATIONS", most)
    codes = {"Art": np.array([255, 1, 2], np.uint8), "Farbe": np.array([0, 1, 255], np.uint8)}
    numbers = {"Länge": np.array([20.0, np.nan, 25.0]), "Gewicht": np.array([np.nan, 50.0, 40.0])}
    with pytest.raises(ImpossibleEvidence, match=r"Row 1 .*Art = 7, Gewicht = 50.0, Farbe = 'dunkel'\."):
        expected_moments(fish().frozen, Batch(3, codes, numbers))
    with pytest.raises(ImpossibleEvidence, match="Row 1 "):
        expected_moments(fish().frozen, Batch(3, codes, numbers, np.array([0.0, 1.0, 1.0])))
    left = expected_moments(fish().frozen, Batch(3, codes, numbers, np.array([1.0, 0.0, 2.0])))
    assert left.rows == 3.0
    np.testing.assert_allclose(left.tables["Art"].sum(), 3.0)


def test_a_number_too_far_out_for_a_density_is_named() -> None:
    codes = {"Art": np.array([255, 255], np.uint8), "Farbe": np.array([255, 0], np.uint8)}
    numbers = {"Länge": np.array([20.0, 1e200]), "Gewicht": np.array([np.nan, np.nan])}
    with pytest.raises(ImpossibleEvidence, match="Row 1 "):
        expected_moments(fish().frozen, Batch(2, codes, numbers))


def test_no_rows_give_zeros_that_add() -> None:
    none = Batch(
        0,
        {name: np.zeros(0, np.uint8) for name in ("Art", "Farbe")},
        {name: np.zeros(0) for name in ("Länge", "Gewicht")},
    )
    empty = expected_moments(fish().frozen, none)
    assert (empty.log_likelihood, empty.rows) == (0.0, 0.0)
    random = np.random.default_rng(1)
    batch = batch_with_gaps(fish().frozen, random, 0.3)
    found = expected_moments(fish().frozen, batch)
    same(empty + found, found)
    same(found + empty, found)


@given(network=hybrid_networks(zero_variances=True), random=seeds())
@few
def test_variances_of_zero_have_the_likelihood_that_rows_have(
    network: FrozenNetwork, random: np.random.Generator
) -> None:
    """Where a number is missing that its parents determine, it is what they say, without any spread."""
    batch = batch_with_gaps(network, random, 0.0, rows=5)
    fixed = [n for n in batch.numbers if np.all(network.gaussian(n).variance == 0)]
    leaves = [n for n in fixed if not network.dag.children(n)]
    part = without(batch, *batch.numbers)
    found = expected_moments(network, part)
    np.testing.assert_allclose(
        found.log_likelihood, log_probability(network, part.codes, part.numbers, 5).sum(), rtol=1e-9
    )
    for name in leaves:
        moments, node = found.moments[name], network.gaussian(name)
        for index in zip(*np.nonzero(moments.n), strict=True) if moments.n.ndim else [()]:
            slopes = node.coefficients[index]
            line = node.intercept[index] + slopes @ moments.mean[index][:-1]
            np.testing.assert_allclose(moments.mean[index][-1], line, rtol=1e-9, atol=1e-9)
            away = np.append(-slopes, 1.0)
            np.testing.assert_allclose(away @ moments.scatter[index] @ away, 0.0, atol=1e-7)


def chain(length: int) -> FrozenNetwork:
    """A chain of states, each of which shifts a number."""
    names = [f"Zustand {k}" for k in range(length)]
    reals = [f"Messung {k}" for k in range(length)]
    parents: dict[Any, list[Any]] = {name: names[k - 1 : k] if k else [] for k, name in enumerate(names)}
    parents |= {real: [name] for real, name in zip(reals, names, strict=True)}
    variables = [*(Variable(name, ["a", "b", "c"]) for name in names), *(Variable(real) for real in reals)]
    step = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]])
    blocks: dict[Any, Any] = {name: Table(step if k else step[0]) for k, name in enumerate(names)}
    line = LinearGaussian(np.array([-1.0, 0.0, 2.0]), np.zeros((3, 0)), np.array([1.0, 0.5, 2.0]))
    blocks |= dict.fromkeys(reals, line)
    return FrozenNetwork(Schema(variables), Dag([*names, *reals], parents), {}, blocks)


def test_a_long_chain_of_hidden_states_is_summed_out_without_writing_out_its_combinations() -> None:
    """3^30 combinations; the parts of a chain that is cut in the middle are those of short chains."""
    network, short = chain(30), chain(6)
    columns = draw(network, 50, 3)
    codes = {n: np.full(50, GONE, np.uint8) for n in network.dag.nodes if not network.schema[n].is_continuous}
    numbers = {n: c for n, c in columns.items() if network.schema[n].is_continuous}
    codes["Zustand 5"] = columns["Zustand 5"].astype(np.uint8)
    found = expected_moments(network, Batch(50, codes, numbers))
    logs = log_probability(network, codes, numbers, 50)
    np.testing.assert_allclose(found.log_likelihood, logs.sum(), rtol=1e-10)
    first = Batch(
        50,
        {name: column for name, column in codes.items() if name in short.dag.nodes},
        {name: column for name, column in numbers.items() if name in short.dag.nodes},
    )
    alone = expected_moments(short, first)
    for name, table in alone.tables.items():
        np.testing.assert_allclose(found.tables[name], table, rtol=1e-9)
    for name, moments in alone.moments.items():
        np.testing.assert_allclose(found.moments[name].scatter, moments.scatter, rtol=1e-9)


def test_rows_that_are_too_wide_are_refused_kindly() -> None:
    """One number of twenty hidden parents: a Gaussian for each of 3^20 combinations."""
    causes = [f"Ursache {k}" for k in range(8)]
    reals = [f"Teil {k}" for k in range(4)]
    parents: dict[Any, list[Any]] = {name: [] for name in causes}
    for k, real in enumerate(reals):
        parents[real] = [*causes[2 * k : 2 * k + 2], *reals[:k]]
    variables = [*(Variable(name, range(9)) for name in causes), *(Variable(real) for real in reals)]
    blocks: dict[Any, Any] = {name: Table(np.full(9, 1 / 9)) for name in causes}
    for k, real in enumerate(reals):
        blocks[real] = LinearGaussian(np.zeros((9, 9)), np.ones((9, 9, k)), np.ones((9, 9)))
    network = FrozenNetwork(Schema(variables), Dag([*causes, *reals], parents), {}, blocks)
    codes = {name: np.full(1, GONE, np.uint8) for name in causes}
    numbers = {real: np.full(1, np.nan) for real in reals}
    with bayou.limits(memory="1 MB"), pytest.raises(TooWide, match="hang together"):
        expected_moments(network, Batch(1, codes, numbers))


def test_numbers_of_very_different_size_keep_their_digits() -> None:
    """Units of 1e-9 and 1e9, and means a billion deviations from zero."""
    names = ["klein", "groß", "Summe"]
    parents: dict[Any, list[Any]] = {"klein": [], "groß": ["klein"], "Summe": ["groß"]}
    plain = [(3.0, [], 1.0), (1.0, [2.0], 0.5), (0.0, [1.5], 2.0)]
    unit = np.array([1e-9, 1e9, 1.0])
    networks = []
    for scale in (np.ones(3), unit):
        blocks: dict[Any, Any] = {}
        for k, (name, (start, slopes, variance)) in enumerate(zip(names, plain, strict=True)):
            line = np.array(slopes) * (scale[k] / scale[k - 1])
            blocks[name] = LinearGaussian(
                np.array(start * scale[k]), line, np.array(variance * scale[k] ** 2)
            )
        networks.append(FrozenNetwork(Schema(map(Variable, names)), Dag(names, parents), {}, blocks))
    batch = batch_with_gaps(networks[0], np.random.default_rng(5), 0.4, rows=200)
    found = expected_moments(networks[0], batch)
    scaled_numbers = {name: batch.numbers[name] * unit[k] for k, name in enumerate(names)}
    large = expected_moments(networks[1], replace(batch, numbers=scaled_numbers))
    for k, name in enumerate(names):
        units = unit[[k - 1, k]] if k else unit[[0]]
        np.testing.assert_allclose(large.moments[name].mean / units, found.moments[name].mean, rtol=1e-9)
        scatter = large.moments[name].scatter / np.outer(units, units)
        np.testing.assert_allclose(scatter, found.moments[name].scatter, rtol=1e-8)


def test_a_hidden_number_with_a_nearly_exact_child_keeps_its_own_variance() -> None:
    """y = x + 1e-9 noise, both missing: x varies by 1 and not by rounding; y given: x is y."""
    blocks: dict[Any, Any] = {
        "x": LinearGaussian(np.array(0.0), np.zeros(0), np.array(1.0)),
        "y": LinearGaussian(np.array(0.0), np.ones(1), np.array(1e-18)),
    }
    dag = Dag(["x", "y"], {"x": [], "y": ["x"]})
    network = FrozenNetwork(Schema([Variable("x"), Variable("y")]), dag, {}, blocks)
    both = expected_moments(network, Batch(1, {}, {"x": np.array([np.nan]), "y": np.array([np.nan])}))
    np.testing.assert_allclose(both.moments["y"].scatter, np.ones((2, 2)), rtol=1e-12)
    one = expected_moments(network, Batch(1, {}, {"x": np.array([np.nan]), "y": np.array([0.25])}))
    np.testing.assert_allclose(one.moments["x"].mean, [0.25], rtol=1e-12)
    np.testing.assert_allclose(one.moments["x"].scatter, [[1e-18]], rtol=1e-9)
