"""Expected counts of incomplete rows: equal to enumeration, to counting, and to derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.expectation import expected_answers as answered
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou.distributions import FunctionOfParents, LinearGaussian, Table
from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide
from bayou.graphs import Dag
from bayou.inference import Expectation, draw, expected_counts, joint_table, log_probability
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.statistics import Batch, Counts, CountTable, Statistics
from bayou.statistics.rows.distinct_rows import compress_rows
from bayou.typing import FloatArray, Name

GAP = 255
NAMES: list[Name] = ["größe 0", 1, "a long name with spaces", "x3", "x4", ("t", 5)]


def random_table(random: np.random.Generator, shape: list[int], zeros: bool = False) -> FloatArray:
    table = random.random(shape) + 0.02
    if zeros:
        table *= random.random(shape) < 0.75
        table[..., 0] += table.sum(axis=-1) == 0
    divided: FloatArray = table / table.sum(axis=-1, keepdims=True)
    return divided


def random_network(seed: int, nodes: int, zeros: bool = False) -> FrozenNetwork:
    random = np.random.default_rng(seed)
    variables = [Variable(name, list(range(random.integers(2, 4)))) for name in NAMES[:nodes]]
    parents: dict[Name, list[Name]] = {}
    blocks = {}
    for k, variable in enumerate(variables):
        chosen = [variables[j] for j in random.permutation(k)[: random.integers(0, 4)]]
        parents[variable.name] = [parent.name for parent in chosen]
        shape = [*(parent.cardinality for parent in chosen), variable.cardinality]
        blocks[variable.name] = Table(random_table(random, shape, zeros))
    return FrozenNetwork(Schema(variables), Dag(parents, parents), {}, blocks)


def gappy(network: FrozenNetwork, seed: int, rows: int, hidden: int = 0, gaps: float = 0.3) -> Batch:
    """Rows drawn state by state, with gaps; the first ``hidden`` variables are never observed."""
    random = np.random.default_rng(seed)
    codes = {}
    for k, variable in enumerate(network.schema):
        column = random.integers(0, variable.cardinality, rows).astype(np.uint8)
        column[random.random(rows) < (1.0 if k < hidden else gaps)] = GAP
        codes[variable.name] = column
    return Batch(rows, codes, {}, random.integers(1, 4, rows) / 2 if seed % 2 else None)


def by_enumeration(network: FrozenNetwork, batch: Batch) -> Expectation | None:
    """Each row as a sum over the full joint table; None where a row is impossible."""
    joint = joint_table(network)
    names = list(network.schema.names)
    tables = {name: np.zeros_like(network.table(name)) for name in names}
    total = 0.0
    for row in range(batch.rows):
        weight = 1.0 if batch.weights is None else float(batch.weights[row])
        place = [int(batch.codes[name][row]) for name in names]
        seen = np.zeros_like(joint)
        where = tuple(slice(None) if code == GAP else code for code in place)
        seen[where] = joint[where]
        if not seen.sum() > 0:
            return None
        total += weight * float(np.log(seen.sum()))
        for name in names:
            family = [*(names.index(p.name) for p in network.parents(name)), names.index(name)]
            rest = tuple(axis for axis in range(len(names)) if axis not in family)
            kept = sorted(family)
            share = np.transpose(seen.sum(axis=rest), [kept.index(axis) for axis in family])
            tables[name] += weight * share / seen.sum()
    counted = {
        CountTable(network.family(name).names): Counts(network.family(name).variables, table)
        for name, table in tables.items()
    }
    return Expectation(total, Statistics(counted, batch.total))


def same(found: Expectation, wanted: Expectation, tolerance: float = 1e-11) -> None:
    assert found.log_likelihood == pytest.approx(wanted.log_likelihood, abs=tolerance)
    assert found.statistics.rows == wanted.statistics.rows
    assert set(answered.tables(found)) == set(answered.tables(wanted))
    for name, table in answered.tables(wanted).items():
        np.testing.assert_allclose(answered.tables(found)[name], table, atol=tolerance)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 6), st.integers(0, 3), st.booleans())
def test_equal_to_enumeration_of_the_full_joint(
    seed: int, nodes: int, rows: int, hidden: int, zeros: bool
) -> None:
    network = random_network(seed, nodes, zeros)
    batch = gappy(network, seed, rows, hidden)
    wanted = by_enumeration(network, batch)
    if wanted is None:
        with pytest.raises(ImpossibleEvidence, match=r"Row \d+ "):
            expected_counts(network, batch)
        return
    found = expected_counts(network, batch)
    same(found, wanted)
    for table in answered.tables(found).values():
        assert table.sum() == pytest.approx(batch.total, abs=1e-11)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 500))
def test_complete_rows_count_exactly_what_counting_counts(seed: int, nodes: int, rows: int) -> None:
    network = random_network(seed, nodes)
    batch = gappy(network, seed, rows, gaps=0.0)
    found = expected_counts(network, batch)
    for name in network.schema.names:
        index = [batch.codes[p.name] for p in network.parents(name)]
        counted = np.zeros_like(network.table(name))
        np.add.at(counted, (*index, batch.codes[name]), 1.0 if batch.weights is None else batch.weights)
        assert np.array_equal(answered.tables(found)[name], counted)
    logs = log_probability(network, batch.codes, {}, rows)
    weights = np.ones(rows) if batch.weights is None else batch.weights
    assert found.log_likelihood == pytest.approx(float(logs @ weights), rel=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 5))
def test_counts_are_parameters_times_the_slope_of_the_log_likelihood(seed: int, nodes: int) -> None:
    network = random_network(seed, nodes)
    batch = gappy(network, seed, 5, hidden=seed % 2)
    found = expected_counts(network, batch)
    random = np.random.default_rng(seed)
    for name in network.schema.names:
        table = network.table(name)
        cell = tuple(int(random.integers(size)) for size in table.shape)
        sides = []
        for factor in (1 + 1e-5, 1 - 1e-5):
            changed = table.copy()
            changed[cell] *= factor
            # Not a distribution any more: only the kernel's product of tables matters here.
            moved = Table(table)
            object.__setattr__(moved, "values", changed)
            sides.append(expected_counts(network.with_blocks({name: moved}), batch).log_likelihood)
        slope = (sides[0] - sides[1]) / 2e-5
        assert answered.tables(found)[name][cell] == pytest.approx(slope, abs=1e-6)


@given(st.integers(0, 10**6), st.integers(0, 40), st.integers(0, 40))
def test_distinct_rows_once_and_batches_added_give_the_same(seed: int, first: int, second: int) -> None:
    network = random_network(seed, 4)
    one, two = gappy(network, 2 * seed, first), gappy(network, 2 * seed + 2, second)
    whole = one + two
    merged = compress_rows(whole)
    assert merged.total == whole.total
    assert len({tuple(int(c[k]) for c in merged.codes.values()) for k in range(merged.rows)}) == merged.rows
    found = expected_counts(network, whole)
    same(expected_counts(network, merged), found, 1e-10)
    same(expected_counts(network, one) + expected_counts(network, two), found, 1e-10)


def test_compressing_keeps_numbers_and_the_order_of_appearance_and_drops_weightless_rows() -> None:
    numbers = np.array([1.5, np.nan, 1.5, np.nan, 2.0])
    codes = {"A": np.array([1, 0, 1, 0, 0], dtype=np.uint16)}
    batch = compress_rows(Batch(5, codes, {"x": numbers}, np.array([0.5, 1.0, 2.0, 0.25, 0.0])))
    assert batch.codes["A"].tolist() == [1, 0]
    np.testing.assert_array_equal(batch.numbers["x"], [1.5, np.nan])
    assert batch.weights is not None
    assert batch.weights.tolist() == [2.5, 1.25]


def test_a_long_chain_with_hardly_anything_observed_does_not_underflow() -> None:
    steps = 400
    names: list[Name] = list(range(steps))
    random = np.random.default_rng(3)
    variables = [Variable(name, ["a", "b", "c"]) for name in names]
    parents = {name: [names[k - 1]] if k else [] for k, name in enumerate(names)}
    blocks = {name: Table(random_table(random, [3] * (2 if k else 1))) for k, name in enumerate(names)}
    network = FrozenNetwork(Schema(variables), Dag(parents, parents), {}, blocks)
    sparse = np.full(2, GAP, dtype=np.uint8)
    codes = {name: np.array([1, GAP], np.uint8) if k % 100 == 0 else sparse for k, name in enumerate(names)}
    found = expected_counts(network, Batch(2, codes, {}))
    wanted = log_probability(network, codes, {}, 2).sum()
    assert found.log_likelihood == pytest.approx(wanted, rel=1e-12)
    assert all(table.sum() == pytest.approx(2, rel=1e-12) for table in answered.tables(found).values())
    all_seen = {name: np.array([k % 3], np.uint8) for k, name in enumerate(names)}
    dense = expected_counts(network, Batch(1, all_seen, {}))
    assert dense.log_likelihood == pytest.approx(log_probability(network, all_seen, {}, 1)[0], rel=1e-12)


def test_columns_that_the_batch_lacks_are_hidden() -> None:
    network = random_network(5, 4)
    batch = gappy(network, 6, 7)
    lacking = Batch(7, {k: v for k, v in batch.codes.items() if k != NAMES[1]}, {})
    hidden = Batch(7, {**batch.codes, NAMES[1]: np.full(7, GAP, dtype=np.uint8)}, {})
    same(expected_counts(network, lacking), expected_counts(network, hidden), 0.0)


def test_functions_of_parents_are_tables_that_stay() -> None:
    a, b, both = (Variable(name, ["no", "yes"]) for name in "abc")
    logic = FunctionOfParents(np.array([[0, 0], [0, 1]]), 2)
    network = FrozenNetwork(
        Schema([a, b, both]),
        Dag(list("abc"), {"c": ["a", "b"]}),
        {},
        {"a": Table(np.array([0.5, 0.5])), "b": Table(np.array([0.4, 0.6])), "c": logic},
    )
    batch = Batch(2, {"c": np.array([1, 0], np.uint8), "a": np.array([GAP, 1], np.uint8)}, {})
    found = expected_counts(network, batch)
    assert set(answered.tables(found)) == {"a", "b"}
    np.testing.assert_allclose(answered.tables(found)["a"], [0, 2])
    np.testing.assert_allclose(answered.tables(found)["b"], [1, 1])
    impossible = Batch(1, {name: np.array([1 - (name == "a")], np.uint8) for name in "abc"}, {})
    with pytest.raises(ImpossibleEvidence, match=r"Row 0 .* a=no, b=yes, c=yes"):
        expected_counts(network, impossible)


def test_what_is_too_wide_is_refused_before_anything_is_allocated() -> None:
    random = np.random.default_rng(0)
    sides = [[f"{side}{k}" for k in range(18)] for side in "ab"]
    parents: dict[Name, list[Name]] = {name: [] for name in sides[0]}
    parents |= {name: list(random.permutation(sides[0])[:8]) for name in sides[1]}
    variables = [Variable(name, [0, 1, 2, 3]) for name in parents]
    blocks = {name: Table(np.full([4] * (len(above) + 1), 0.25)) for name, above in parents.items()}
    network = FrozenNetwork(Schema(variables), Dag(parents, parents), {}, blocks)
    nothing = Batch(1, {name: np.array([GAP], np.uint8) for name in parents}, {})
    with pytest.raises(TooWide, match=r"too wide here: its cliques have .* Fill the gaps"):
        expected_counts(network, nothing)
    small = random_network(1, 5)
    with (
        bayou.limits(memory="100 B"),
        pytest.raises(TooWide, match="expected counts of 3 incomplete rows need"),
    ):
        expected_counts(small, gappy(small, 0, 3))
    with bayou.limits(work=2), pytest.raises(TooWide, match="table entries"):
        expected_counts(small, gappy(small, 0, 3))


def test_continuous_variables_are_refused_by_name() -> None:
    gaussian = LinearGaussian(np.array(0.0), np.zeros(0), np.array(1.0))
    network = FrozenNetwork(Schema([Variable("height")]), Dag(["height"], {}), {}, {"height": gaussian})
    with pytest.raises(BadQuestion, match="height"):
        expected_counts(network, Batch(1, {}, {"height": np.array([1.0])}))


@needs_shared_data
@pytest.mark.parametrize("name", ["alarm", "insurance", "hailfinder"])
def test_published_networks_agree_with_the_probability_of_rows(name: str) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    network = net.frozen
    random = np.random.default_rng(0)
    codes = {key: np.array(column, dtype=np.uint8) for key, column in draw(network, 60, 1).items()}
    for column in codes.values():
        column[random.random(60) < 0.2] = GAP
    codes[network.schema.names[3]][:] = GAP
    found = expected_counts(network, Batch(60, codes, {}))
    assert found.log_likelihood == pytest.approx(log_probability(network, codes, {}, 60).sum(), rel=1e-12)
    for key, table in answered.tables(found).items():
        assert table.sum() == pytest.approx(60, rel=1e-10)
        for axis, parent in enumerate(network.parents(key)):
            others = tuple(k for k in range(table.ndim) if k != axis)
            alone = answered.tables(found)[parent.name]
            np.testing.assert_allclose(table.sum(axis=others), alone.reshape(-1, alone.shape[-1]).sum(axis=0))
