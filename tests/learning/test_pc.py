"""PC-stable: exact where the tests are, the same in any order of columns, and as its user wishes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou.errors import BadData, BadQuestion
from bayou.graphs import Dag, separated
from bayou.graphs.equivalence import cpdag, skeleton_scores
from bayou.learning import separating
from bayou.learning.constraints import Constraints
from bayou.learning.found import Budget
from bayou.learning.independence import counts_test, partial_correlations
from bayou.learning.pc import PcResult, learn_pc, pc_from_tests
from bayou.learning.separating import BatchedTests, Question
from bayou.sources import open_source


class Separated(BatchedTests):
    """An oracle: two variables are independent exactly where the graph says so."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag

    def outcomes(self, questions: Sequence[Question]) -> list[tuple[float, float] | None]:
        names = self.dag.nodes
        return [
            (float(bool(separated(self.dag, names[x], names[y], [names[k] for k in given]))), 0.0)
            for x, y, given in questions
        ]


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    size = draw(st.integers(1, 7))
    names = draw(st.permutations([f"größe {k}" if k % 2 else k for k in range(size)]))
    arcs = {
        name: [other for other in names[:k] if draw(st.integers(0, 2)) == 0] for k, name in enumerate(names)
    }
    return Dag(draw(st.permutations(names)), arcs)


@settings(max_examples=80, deadline=None)
@given(dags())
def test_with_exact_tests_the_equivalence_class_is_found(dag: Dag) -> None:
    found = pc_from_tests(Separated(dag), dag.nodes)
    assert found.cpdag == cpdag(dag)
    assert found.conflicts == ()
    assert found.exact
    assert found.finished
    names = found.names
    extension = Dag(names, {names[k]: [names[p] for p in own] for k, own in enumerate(found.parents)})
    assert cpdag(extension) == cpdag(dag)


def by_name(found: PcResult) -> tuple[object, ...]:
    names = found.names

    def named(pair: tuple[int, ...]) -> frozenset[object]:
        return frozenset(names[k] for k in pair)

    separations = {named(pair): (named(one.given), one.p_value) for pair, one in found.separations.items()}
    return set(found.cpdag.arcs), {frozenset(edge) for edge in found.cpdag.edges}, separations, found.tests


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.permutations(range(7)))
def test_the_order_of_the_columns_does_not_matter(seed: int, order: list[int]) -> None:
    random = np.random.default_rng(seed)
    columns = [random.integers(0, 2, 300)]
    for _ in range(6):
        parents = random.choice(len(columns), min(2, len(columns)), replace=False)
        noisy = random.random(300) < 0.25
        columns.append(np.where(noisy, random.integers(0, 2, 300), sum(columns[p] for p in parents) % 3 % 2))
    data = {f"v{k}": columns[k].tolist() for k in range(7)}
    source = open_source(data)
    variables = [source.variable(name) for name in data]
    one = learn_pc(source, variables)
    other = learn_pc(source, [variables[k] for k in order])
    assert by_name(one) == by_name(other)


def chain(rows: int = 400) -> dict[str, list[int]]:
    random = np.random.default_rng(7)
    columns = [random.integers(0, 3, rows)]
    for _ in range(4):
        columns.append(np.where(random.random(rows) < 0.3, random.integers(0, 3, rows), columns[-1]))
    return {f"c{k}": column.tolist() for k, column in enumerate(columns)}


@pytest.mark.parametrize("method", ["g", "chi2", "mi"])
def test_any_source_gives_what_rows_in_memory_give(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_source(chain())
    variables = [source.variable(name) for name in source.names]
    in_memory = learn_pc(source, variables, test=method)
    monkeypatch.setattr(separating, "LARGEST_HELD", 0)
    by_requests = learn_pc(source, variables, test=method)
    assert in_memory.cpdag == by_requests.cpdag
    assert in_memory.separations.keys() == by_requests.separations.keys()
    for pair, one in in_memory.separations.items():
        assert one.p_value == pytest.approx(by_requests.separations[pair].p_value, abs=1e-9)
    assert str(in_memory.cpdag) == "c0 -- c1; c1 -- c2; c2 -- c3; c3 -- c4"


def test_numbers_are_tested_by_partial_correlation() -> None:
    random = np.random.default_rng(2)
    a, b = random.normal(size=2000), random.normal(size=2000)
    c = a + b + random.normal(size=2000)
    source = open_source({"a": a, "b": b, "c": c, "d": c + random.normal(size=2000)})
    found = learn_pc(source, [source.variable(name) for name in source.names])
    assert str(found.cpdag) == "a, b -> c; c -> d"
    scatter = np.cov(np.array([a, b, c]))
    precise = np.linalg.inv(scatter)
    expected = -precise[0, 1] / np.sqrt(precise[0, 0] * precise[1, 1])
    assert partial_correlations(scatter, np.array([[0, 1, 2]]))[0] == pytest.approx(expected, abs=1e-12)


def test_required_forbidden_and_one_way_arcs_are_respected() -> None:
    source = open_source(chain())
    variables = [source.variable(name) for name in source.names]
    free = Constraints.none(5)
    allowed, required = free.allowed.copy(), free.required.copy()
    allowed[1, 2] = allowed[2, 1] = False
    required[0, 4] = True
    allowed[4, 3] = False  # c3 comes before c4
    found = learn_pc(source, variables, constraints=Constraints(allowed, required, 5))
    assert {("c0", "c4"), ("c3", "c4")} <= set(found.cpdag.arcs)
    assert ("c1", "c2") not in found.skeleton
    assert 0 in found.parents[4]
    assert 3 in found.parents[4]
    assert all(allowed[p, child] for child, own in enumerate(found.parents) for p in own)


def test_mixed_data_and_wrong_wishes_are_refused_with_a_way_out() -> None:
    source = open_source({"age": [30.5, 41.2], "ill": ["no", "yes"]})
    variables = [source.variable(name) for name in source.names]
    with pytest.raises(BadData, match=r"'age' are numbers, 'ill' have states.*cuts="):
        learn_pc(source, variables)
    for wrong, message in (
        ({"test": "t"}, "test='t'"),
        ({"level": 0}, "level=0"),
        ({"max_given": -1}, "max_given"),
    ):
        with pytest.raises(BadQuestion, match=message):
            learn_pc(source, variables[1:], **wrong)
    with pytest.raises(BadData, match="is for numbers"):
        learn_pc(source, variables[1:], test="correlation")


def test_a_budget_that_is_over_ends_the_search_with_what_is_known() -> None:
    source = open_source(chain())
    variables = [source.variable(name) for name in source.names]
    found = learn_pc(source, variables, budget=Budget(0.0))
    assert not found.finished
    assert found.tests == 0
    assert learn_pc(source, variables, max_given=0).tests == 10


def test_gaps_weights_and_single_states_do_no_harm() -> None:
    data = {**chain(), "one": [1] * 400, "gaps": [None, 1, 0, 1] * 100}
    source = open_source(data)
    found = learn_pc(source, [source.variable(name) for name in source.names])
    assert str(found.cpdag).startswith("c0 -- c1; c1 -- c2; c2 -- c3; c3 -- c4")
    weighted = open_source(data, weights=np.full(400, 2))
    again = learn_pc(weighted, [weighted.variable(name) for name in weighted.names])
    assert set(found.skeleton) <= set(again.skeleton)


def test_rows_of_strata_that_tell_nothing_do_not_count() -> None:
    table = np.array([[[5, 5], [5, 5]], [[30, 0], [0, 0]]])
    found = counts_test(table)
    assert (found.degrees, found.rows, found.telling_rows) == (1, 50.0, 20.0)


@needs_shared_data
def test_the_skeleton_of_alarm_is_found_as_well_as_peers_find_it() -> None:
    source = open_source(str(SHARED / "samples" / "alarm_10k.parquet"))
    found = learn_pc(source, [source.variable(name) for name in source.names])
    true = bayou.load(str(SHARED / "networks" / "alarm.bif.gz")).dag
    assert skeleton_scores(found.cpdag, true).f1 >= 0.94
