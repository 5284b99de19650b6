"""Expected counts of noisy nodes: proposals equal enumeration, and EM with many causes never falls."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.inference.expectation import expected_answers as answered
from tests.inference.expectation.test_expected_counts import GAP, gappy, random_table

from bayou.distributions import Laplace, MaxOfCauses, NodeKind, Table
from bayou.distributions.noisy.noisy_expectation import proposals_of_table
from bayou.graphs import Dag
from bayou.inference import expected_counts, log_probability
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.statistics import Batch
from bayou.statistics.rows.distinct_rows import compress_rows
from bayou.typing import FloatArray


def noisy_network(seed: int, causes: int, states: int, logic: str = "max") -> FrozenNetwork:
    """A noisy node whose parents stand in another order than in the schema, where the child comes first."""
    random = np.random.default_rng(seed)
    variables = [Variable(f"cause {k}", list(range(2 + k % 2 * (logic == "max")))) for k in range(causes)]
    parents = [variables[k] for k in random.permutation(causes)]
    child, kind = Variable("effect", list(range(states))), NodeKind(logic)
    strength, neutral = kind.strength(child), tuple(kind.neutral(parent) for parent in parents)
    links = [random_table(random, [parent.cardinality, states]) for parent in parents]
    for link, code in zip(links, neutral, strict=True):
        link[code] = np.eye(states)[strength[0]]
    node = MaxOfCauses(tuple(links), random_table(random, [states]), strength, neutral, logic)
    blocks = {v.name: Table(random_table(random, [v.cardinality])) for v in variables}
    dag = Dag(["effect", *blocks], {"effect": [parent.name for parent in parents]})
    schema = Schema([child, *variables])
    return FrozenNetwork(schema, dag, {}, {**blocks, "effect": node}, {"effect": kind})


def proposals_by_enumeration(network: FrozenNetwork, batch: Batch) -> tuple[list[FloatArray], FloatArray]:
    """Every combination of causes and proposals of a noisy node, weighed one by one."""
    node = network.distribution("effect")
    assert isinstance(node, MaxOfCauses)
    parents = network.parents("effect")
    size = len(node.leak)
    rank = np.argsort(node.strength)
    links, leak = [np.zeros_like(link) for link in node.links], np.zeros(size)
    for row in range(batch.rows):
        found = []
        for causes in product(*(range(p.cardinality) for p in parents)):
            seen = [int(batch.codes[p.name][row]) for p in parents]
            if any(s not in (GAP, c) for s, c in zip(seen, causes, strict=True)):
                continue
            prior = np.prod([network.table(p.name)[c] for p, c in zip(parents, causes, strict=True)])
            for proposed in product(range(size), repeat=len(parents) + 1):
                strongest = max(proposed, key=lambda state: rank[state])
                if int(batch.codes["effect"][row]) not in (GAP, strongest):
                    continue
                *by_causes, by_leak = proposed
                chances = [link[c, z] for link, c, z in zip(node.links, causes, by_causes, strict=True)]
                found.append((causes, proposed, prior * np.prod(chances) * node.leak[by_leak]))
        total = sum(chance for _, _, chance in found)
        for causes, proposed, chance in found:
            for k, cause in enumerate(causes):
                links[k][cause, proposed[k]] += chance / total
            leak[proposed[-1]] += chance / total
    return links, leak


@pytest.mark.parametrize(
    ("causes", "states", "logic"), [(0, 3, "max"), (1, 2, "or"), (2, 2, "and"), (3, 3, "max")]
)
def test_proposals_of_noisy_nodes_equal_enumeration(causes: int, states: int, logic: str) -> None:
    for seed in range(3):
        network = noisy_network(seed, causes, states, logic)
        batch = gappy(network, 2 * seed, 6, gaps=0.4)
        found = expected_counts(network, batch)
        links, leak = proposals_by_enumeration(network, batch)
        assert "effect" not in answered.tables(found)
        np.testing.assert_allclose(answered.proposals(found)["effect"].leak, leak, atol=1e-11)
        for ours, wanted in zip(answered.proposals(found)["effect"].links, links, strict=True):
            np.testing.assert_allclose(ours, wanted, atol=1e-11)
        wanted_log = log_probability(network, batch.codes, {}, batch.rows).sum()
        assert found.log_likelihood == pytest.approx(wanted_log, rel=1e-12)


@pytest.mark.parametrize(("causes", "states"), [(25, 2), (6, 3)])
def test_em_with_a_noisy_node_of_many_causes_never_falls(causes: int, states: int) -> None:
    network = noisy_network(11, causes, states, "max")
    batch = compress_rows(gappy(network, 4, 150, gaps=0.2))
    last = -np.inf
    for _ in range(12):
        found = expected_counts(network, batch)
        assert found.log_likelihood >= last - 1e-9
        last = found.log_likelihood
        shares = answered.proposals(found)["effect"]
        assert shares.leak.sum() == pytest.approx(150, rel=1e-10)
        assert all(link.sum() == pytest.approx(150, rel=1e-10) for link in shares.links)
        node = network.distribution("effect").maximised(shares, network.family("effect"), Laplace(0))
        tables = {
            name: Table(t / t.sum(axis=-1, keepdims=True)) for name, t in answered.tables(found).items()
        }
        network = network.with_blocks({**tables, "effect": node})
    assert last > expected_counts(noisy_network(11, causes, states, "max"), batch).log_likelihood + 1


def test_proposals_from_whole_tables_are_those_from_chains() -> None:
    chance = np.random.default_rng(5)
    links = tuple(chance.dirichlet(np.ones(3), size=states) for states in (2, 4, 3))
    node = MaxOfCauses(links, chance.dirichlet(np.ones(3)), (2, 0, 1), (-1, -1, -1), "max")
    sizes = {"a": 2, "b": 4, "ç": 3, "d": 3}
    schema = Schema([Variable(name, list(range(size))) for name, size in sizes.items()])
    roots = {name: Table(chance.dirichlet(np.ones(schema[name].cardinality))) for name in "abç"}
    network = FrozenNetwork(schema, Dag.from_text("a, b, ç -> d"), {}, {**roots, "d": node})
    codes = {
        name: np.where(chance.random(40) < 0.3, 255, chance.integers(0, schema[name].cardinality, 40))
        for name in schema.names
    }
    batch = Batch(40, {name: column.astype(np.uint8) for name, column in codes.items()}, {})
    by_chains = answered.proposals(expected_counts(network, batch))["d"]
    tabled = FrozenNetwork(schema, network.dag, {}, {**roots, "d": Table(network.table("d"))})
    by_table = proposals_of_table(node, answered.tables(expected_counts(tabled, batch))["d"])
    for one, other in zip((*by_chains.links, by_chains.leak), (*by_table.links, by_table.leak), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
