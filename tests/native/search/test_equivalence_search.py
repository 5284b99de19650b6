"""Greedy equivalence search in the core against the same search in Python: every step, gain and network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.learning.search.every_network import all_networks

from bayou._native import _core
from bayou.learning.scores.scores import BIC
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.ges import _ClassSearch
from bayou.learning.search.ges_operators import ClassStep
from bayou.learning.search.search_result import LEAST_GAIN
from bayou.learning.time_budget import TimeBudget
from bayou.schema import Variable
from bayou.typing import CodeArray, FloatArray, IntArray

RULES = [("bic", 0.0), ("aic", 0.0), ("bdeu", 1.0), ("bdeu", 10.0)]


class Scores:
    """Scores of the core, whichever kernels the rest of the package runs on."""

    def __init__(self, columns: list[CodeArray], rule: tuple[str, float] = RULES[0]) -> None:
        cards = [int(column.max(initial=0)) + 1 for column in columns]
        self.variables = tuple(Variable(str(at), list(range(card))) for at, card in enumerate(cards))
        self.score = BIC()
        self.memory = _core.FamilyMemory(_core.FamilyScorer(columns, cards), *rule)

    def families(self, wanted: Sequence[tuple[int, tuple[int, ...]]]) -> FloatArray:
        return self.memory.families(wanted)

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        return self.memory.additions(child, parents, np.asarray(candidates, dtype=np.int64))


def in_core(scores: Scores, constraints: Constraints) -> Any:
    joinable = constraints.allowed.astype(np.uint8).reshape(-1)
    most = int(min(constraints.max_parents, len(scores.variables)))
    return _core.EquivalenceSearch(scores.memory, joinable, most, LEAST_GAIN)


def searched(search: Any, seconds: float = 9.0) -> list[ClassStep]:
    made = []
    while not search.is_finished():
        made += [
            ClassStep(gain, tail, head, sum(1 << member for member in clique))
            for gain, tail, head, clique in search.steps(seconds)
        ]
    return made


def check_both(
    columns: list[CodeArray], constraints: Constraints, rule: tuple[str, float] = RULES[0]
) -> list[ClassStep]:
    # Each with a memory of its own, so that none finds anything that the other one has asked for.
    plain = _ClassSearch(Scores(columns, rule), constraints, TimeBudget())
    expected = list(plain.steps())
    search = in_core(Scores(columns, rule), constraints)
    assert searched(search) == expected
    assert search.parents() == plain.parents
    return expected


def sampled(random: np.random.Generator, network: Sequence[Sequence[int]], rows: int) -> list[CodeArray]:
    """Columns of two or three states that depend on their parents in the network."""
    columns: dict[int, CodeArray] = {}
    while len(columns) < len(network):
        for child, parents in enumerate(network):
            if child not in columns and all(parent in columns for parent in parents):
                states = int(random.integers(2, 4))
                total = sum((columns[parent] for parent in parents), np.zeros(rows, dtype=np.uint8))
                noise = random.integers(0, states, rows)
                found = np.where(random.random(rows) < 0.3, noise, total % states)
                columns[child] = found.astype(np.uint8)
    return [columns[child] for child in range(len(network))]


@given(
    st.integers(1, 9),
    st.integers(0, 10**6),
    st.sampled_from(RULES),
    st.integers(0, 9),
    st.sampled_from([0.6, 1]),
)
def test_the_steps_are_those_of_the_search_in_python(
    size: int, seed: int, rule: tuple[str, float], most: int, share: float
) -> None:
    random = np.random.default_rng(seed)
    network = [random.permutation(child)[: random.integers(0, 4)].tolist() for child in range(size)]
    columns = sampled(random, network, int(random.choice([8, 60, 400])))
    if random.random() < 0.3:
        columns = [columns[at] for at in random.integers(0, size, size)]  # copies: gains that tie
    pairs = np.triu(random.random((size, size)) < share, 1)
    check_both(columns, Constraints(pairs | pairs.T, np.zeros((size, size), dtype=bool), most), rule)


def test_it_leads_where_python_leads_from_every_network_on_four_variables() -> None:
    random = np.random.default_rng(0)
    made = [
        len(check_both(sampled(random, network, 150), Constraints.none(4)))
        for network in sorted(all_networks(4))
    ]
    assert max(made) > 5  # complete networks were among them


def test_more_than_one_word_of_nodes() -> None:
    random = np.random.default_rng(4)
    size = 135
    network = [random.choice(child, min(child, 2), replace=False).tolist() for child in range(size)]
    columns = sampled(random, network, 300)
    order = random.permutation(size)
    made = check_both([columns[at] for at in order], Constraints.none(size))
    assert len(made) > size


def test_out_of_time_it_goes_on_where_it_was() -> None:
    random = np.random.default_rng(8)
    columns = sampled(random, [[], [0], [0, 1], [1, 2], [2, 3], [0, 4]], 300)
    constraints = Constraints(~np.eye(6, dtype=bool), np.zeros((6, 6), dtype=bool), 3)
    expected = searched(in_core(Scores(columns), constraints))
    search = in_core(Scores(columns), constraints)
    made, calls = 0, 0
    while not search.is_finished():
        steps = search.steps(0.0)
        assert [tuple(step[:3]) for step in steps] == [
            step[:3] for step in expected[made : made + len(steps)]
        ]
        assert len(steps) <= 1
        made, calls = made + len(steps), calls + 1
    assert made == len(expected) > 0
    assert calls > 3 * made
    assert search.steps(0.0) == []


def test_what_can_not_be_meant_is_refused() -> None:
    memory = Scores([np.array([0, 1, 1], np.uint8)] * 2).memory
    with pytest.raises(ValueError, match="square"):
        _core.EquivalenceSearch(memory, np.ones(3, np.uint8), 2, LEAST_GAIN)
    with pytest.raises(ValueError, match="most_parents is -1"):
        _core.EquivalenceSearch(memory, np.ones(4, np.uint8), -1, LEAST_GAIN)
    # Nobody is a parent of itself, whatever the matrix says.
    search = _core.EquivalenceSearch(memory, np.ones(4, np.uint8), 2, LEAST_GAIN)
    searched(search)
    assert search.parents() in [((), ()), ((), (0,)), ((1,), ())]


def test_without_variables_there_is_nothing_to_do() -> None:
    search = _core.EquivalenceSearch(Scores([]).memory, np.zeros(0, np.uint8), 0, LEAST_GAIN)
    assert searched(search) == []
    assert search.parents() == ()
