"""Expected moments where something is special: mixtures, impossible rows, no width, many hidden states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.inference.expectation import expected_answers as answered
from tests.inference.expectation.expected_by_hand import (
    assert_equals_hand,
    batch_with_gaps,
    few,
    same,
    without,
    write_out_at_most,
)
from tests.inference.hidden_cells import GONE
from tests.inference.mixed.mixed_networks import mixed_networks
from tests.laws.strategies import seeds

import bayou
from bayou.distributions import LinearGaussian, MaxOfCauses, Table
from bayou.errors import ImpossibleEvidence, TooWide
from bayou.graphs import Dag
from bayou.inference import log_probability
from bayou.inference.expectation import expected_moments as e_step
from bayou.inference.expectation.expected_moments import expected_moments
from bayou.inference.sampling.forward_sampling import draw
from bayou.learning.em.e_step import ExpectationKernel
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.statistics import Batch, ProposalCounts


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_a_mixture_with_gaps_equals_that_by_hand(share: float, weighted: bool) -> None:
    """Two hidden classes; numbers that depend on both, on one, on a seen state, on nothing."""
    random = np.random.default_rng(11)
    parents: dict[Any, list[Any]] = {"K": [], 7: ["K"], "Farbe": ["K"], "beide": [7, "K"], "eins": [7]}
    parents |= {"gesehen": ["Farbe"], "frei": [], "Paar": ["K", "Grund"], "Grund": []}
    cards = {"K": 2, 7: 3, "Farbe": 2}
    blocks: dict[Any, Any] = {}
    for name, above in parents.items():
        shape = [cards[parent] for parent in above if parent in cards]
        if name in cards:
            blocks[name] = Table(random.dirichlet(np.ones(cards[name]), size=shape))
            continue
        slopes = random.normal(size=(*shape, len(above) - len(shape)))
        start, variance = 3 * random.normal(size=shape), random.gamma(2.0, size=shape)
        blocks[name] = LinearGaussian(np.asarray(start), slopes, np.asarray(variance))
    variables = [Variable(name, range(cards[name])) if name in cards else Variable(name) for name in parents]
    network = FrozenNetwork(Schema(variables), Dag(list(parents), parents), {}, blocks)
    complete = without(batch_with_gaps(network, random, 0.0, rows=40, weighted=weighted), "K", 7)
    gaps = {name: random.random(40) < share for name in ("beide", "eins", "gesehen", "frei")}
    numbers = {n: np.where(gaps[n], np.nan, c) if n in gaps else c for n, c in complete.numbers.items()}
    batch = replace(complete, numbers=numbers)
    found = expected_moments(network, batch)
    assert_equals_hand(network, batch, found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(e_step, "have_latent_form", lambda *_: False)
        same(found, expected_moments(network, batch))


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
    write_out_at_most(most, monkeypatch)
    codes = {"Art": np.array([255, 1, 2], np.uint8), "Farbe": np.array([0, 1, 255], np.uint8)}
    numbers = {"Länge": np.array([20.0, np.nan, 25.0]), "Gewicht": np.array([np.nan, 50.0, 40.0])}
    with pytest.raises(ImpossibleEvidence, match=r"Row 1 .*Art = 7, Gewicht = 50.0, Farbe = 'dunkel'\."):
        expected_moments(fish().frozen, Batch(3, codes, numbers))
    with pytest.raises(ImpossibleEvidence, match="Row 1 "):
        expected_moments(fish().frozen, Batch(3, codes, numbers, np.array([0.0, 1.0, 1.0])))
    left = expected_moments(fish().frozen, Batch(3, codes, numbers, np.array([1.0, 0.0, 2.0])))
    assert left.statistics.rows == 3.0
    np.testing.assert_allclose(answered.tables(left)["Art"].sum(), 3.0)


def test_a_number_too_far_out_for_a_density_is_named() -> None:
    codes = {"Art": np.array([255, 255], np.uint8), "Farbe": np.array([255, 0], np.uint8)}
    numbers = {"Länge": np.array([20.0, 1e200]), "Gewicht": np.array([np.nan, np.nan])}
    with pytest.raises(ImpossibleEvidence, match="Row 1 "):
        expected_moments(fish().frozen, Batch(2, codes, numbers))


def test_a_combination_beyond_all_floats_weighs_nothing() -> None:
    """The hidden state b would put the missing number far beyond the largest float."""
    parents: dict[Any, list[Any]] = {"A": [], "x": ["A"], "y": ["x"]}
    line = LinearGaussian(np.array([1e300, 0.0]), np.zeros((2, 0)), np.array([1.0, 1e-8]))
    blocks: dict[Any, Any] = {"A": Table(np.array([0.5, 0.5])), "x": line}
    blocks["y"] = LinearGaussian(np.array(0.0), np.array([1e20]), np.array(1.0))
    schema = Schema([Variable("A", ["b", "c"]), Variable("x"), Variable("y")])
    network = FrozenNetwork(schema, Dag(["A", "x", "y"], parents), {}, blocks)
    codes = {"A": np.array([GONE], np.uint8)}
    found = expected_moments(network, Batch(1, codes, {"x": np.array([0.0]), "y": np.array([np.nan])}))
    np.testing.assert_allclose(answered.tables(found)["A"], [0.0, 1.0])
    found = expected_moments(network, Batch(1, codes, {"x": np.array([np.nan]), "y": np.array([0.0])}))
    np.testing.assert_allclose(answered.tables(found)["A"], [0.0, 1.0])
    np.testing.assert_allclose(answered.moments(found)["x"].mean, np.zeros((2, 1)), atol=1e-12)


def test_no_rows_give_zeros_that_add() -> None:
    none = Batch(
        0,
        {name: np.zeros(0, np.uint8) for name in ("Art", "Farbe")},
        {name: np.zeros(0) for name in ("Länge", "Gewicht")},
    )
    empty = expected_moments(fish().frozen, none)
    assert (empty.log_likelihood, empty.statistics.rows) == (0.0, 0.0)
    random = np.random.default_rng(1)
    batch = batch_with_gaps(fish().frozen, random, 0.3)
    found = expected_moments(fish().frozen, batch)
    same(empty + found, found)
    same(found + empty, found)


@given(network=mixed_networks(zero_variances=True), random=seeds())
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
        moments, node = answered.moments(found)[name], network.gaussian(name)
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
    for name, table in answered.tables(alone).items():
        np.testing.assert_allclose(answered.tables(found)[name], table, rtol=1e-9)
    for name, moments in answered.moments(alone).items():
        np.testing.assert_allclose(answered.moments(found)[name].scatter, moments.scatter, rtol=1e-9)


def test_rows_that_are_too_wide_are_refused_kindly() -> None:
    """Numbers in a row, two hidden causes each: a Gaussian of them for each of 9^8 combinations."""
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
    with bayou.limits(memory="1 MB"), pytest.raises(TooWide, match="depend on each other"):
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
        np.testing.assert_allclose(
            answered.moments(large)[name].mean / units, answered.moments(found)[name].mean, rtol=1e-9
        )
        scatter = answered.moments(large)[name].scatter / np.outer(units, units)
        np.testing.assert_allclose(scatter, answered.moments(found)[name].scatter, rtol=1e-8)


def test_a_hidden_number_with_a_nearly_exact_child_keeps_its_own_variance() -> None:
    """y = x + 1e-9 noise, both missing: x varies by 1 and not by rounding; y given: x is y."""
    blocks: dict[Any, Any] = {
        "x": LinearGaussian(np.array(0.0), np.zeros(0), np.array(1.0)),
        "y": LinearGaussian(np.array(0.0), np.ones(1), np.array(1e-18)),
    }
    dag = Dag(["x", "y"], {"x": [], "y": ["x"]})
    network = FrozenNetwork(Schema([Variable("x"), Variable("y")]), dag, {}, blocks)
    both = expected_moments(network, Batch(1, {}, {"x": np.array([np.nan]), "y": np.array([np.nan])}))
    np.testing.assert_allclose(answered.moments(both)["y"].scatter, np.ones((2, 2)), rtol=1e-12)
    one = expected_moments(network, Batch(1, {}, {"x": np.array([np.nan]), "y": np.array([0.25])}))
    np.testing.assert_allclose(answered.moments(one)["x"].mean, [0.25], rtol=1e-12)
    np.testing.assert_allclose(answered.moments(one)["x"].scatter, [[1e-18]], rtol=1e-9)


def test_noisy_nodes_count_like_their_full_tables() -> None:
    """Both where combinations are written out and where the states of every row are hidden."""
    link = np.array([[1.0, 0.0], [0.3, 0.7]])
    noisy = MaxOfCauses((link, link), np.array([0.9, 0.1]), (0, 1), (0, 0), "or")
    names = ["Ursache 1", "Ursache 2", "Wirkung"]
    parents: dict[Any, list[Any]] = {names[0]: [], names[1]: [], names[2]: names[:2], "x": [names[2]]}
    schema = Schema([*(Variable(name, ["no", "yes"]) for name in names), Variable("x")])
    blocks: dict[Any, Any] = {name: Table(np.array([0.6, 0.4])) for name in names[:2]}
    blocks["x"] = LinearGaussian(np.array([-1.0, 2.0]), np.zeros((2, 0)), np.array([1.0, 0.5]))
    blocks[names[2]] = noisy
    factored = FrozenNetwork(schema, Dag([*names, "x"], parents), {}, blocks)
    written = factored.with_blocks({names[2]: Table(noisy.table)})
    batch = batch_with_gaps(factored, np.random.default_rng(2), 0.4, rows=100)
    for part in (batch, without(batch, names[2]), without(batch, *names)):
        ours, theirs = expected_moments(factored, part), expected_moments(written, part)
        by_table = noisy.distribute_table(answered.tables(theirs)[names[2]], factored.family(names[2]))
        by_causes = answered.proposals(ours)[names[2]]
        np.testing.assert_allclose(by_causes.leak, by_table.leak, rtol=1e-9)
        for one, other in zip(by_causes.links, by_table.links, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
        assert ours.log_likelihood == pytest.approx(theirs.log_likelihood, rel=1e-12)
        for name in names[:2]:
            np.testing.assert_allclose(answered.tables(ours)[name], answered.tables(theirs)[name], rtol=1e-9)


def test_counts_of_too_many_parents_are_refused_kindly() -> None:
    causes = [f"Ursache {k}" for k in range(30)]
    link = np.array([[1.0, 0.0], [0.3, 0.7]])
    blocks: dict[Any, Any] = {name: Table(np.array([0.6, 0.4])) for name in causes}
    blocks["Wirkung"] = MaxOfCauses((link,) * 30, np.array([0.9, 0.1]), (0, 1), (0,) * 30, "or")
    blocks["x"] = LinearGaussian(np.array([-1.0, 2.0]), np.zeros((2, 0)), np.array([1.0, 0.5]))
    schema = Schema([*(Variable(name, ["no", "yes"]) for name in (*causes, "Wirkung")), Variable("x")])
    dag = Dag([*causes, "Wirkung", "x"], {"Wirkung": causes, "x": ["Wirkung"]})
    network = FrozenNetwork(schema, dag, {}, blocks)
    codes = {name: np.full(1, GONE, np.uint8) for name in (*causes, "Wirkung")}
    with pytest.raises(TooWide, match="expected counts of 'Wirkung' and its 30 parents"):
        expected_moments(network, Batch(1, codes, {"x": np.zeros(1)}))


@pytest.mark.parametrize("hidden", [(), ("Art",), ("Art", "Länge")])
def test_columns_that_are_views_with_steps_count_like_copies(hidden: tuple[str, ...]) -> None:
    batch = without(batch_with_gaps(fish().frozen, np.random.default_rng(4), 0.0, rows=20), *hidden)
    halves = {}
    for kind, copied in (("views", False), ("copies", True)):
        codes = {name: column[::2] for name, column in batch.codes.items()}
        numbers = {name: column[::2] for name, column in batch.numbers.items()}
        if copied:
            codes = {name: column.copy() for name, column in codes.items()}
            numbers = {name: column.copy() for name, column in numbers.items()}
        halves[kind] = expected_moments(fish().frozen, Batch(10, codes, numbers))
    same(halves["views"], halves["copies"])


def test_a_wide_noisy_node_beside_a_number_proposes_as_without_it() -> None:
    """Its causes are looked at in the cells that rows have, not in all of the table over 18 of them."""
    causes, rows = [f"c{k}" for k in range(18)], 40
    chance = np.random.default_rng(4)
    states = {name: [0, 1] for name in (*causes, "effect")}
    stated = bayou.NoisyOr({name: float(chance.uniform(0.1, 0.9)) for name in causes}, leak=0.1)
    data = {name: (chance.random(rows) < 0.2).astype(np.uint8) for name in states}
    for column in data.values():
        column[chance.random(rows) < 0.1] = 255
    plain = bayou.Network({**{name: [] for name in causes}, "effect": causes}, states=states)
    beside = bayou.Network(
        {"z": [], **{n: [] for n in causes}, "effect": causes}, states=states, continuous="z"
    )
    found = []
    for net in (plain, beside.set_gaussian("z", (0, 1))):
        for name in causes:
            net.set_cpt(name, [0.8, 0.2])
        net.set_cpt("effect", stated)
        numbers = {"z": np.zeros(rows)} if net is beside else {}
        expected = ExpectationKernel(net.frozen)(Batch(rows, data, numbers))
        found.append(expected.statistics[ProposalCounts(net.frozen.family("effect").names)])
    one, other = found
    for ours, theirs in zip((*one.links, one.leak), (*other.links, other.leak), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
