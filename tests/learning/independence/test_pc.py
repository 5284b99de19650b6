"""PC-stable: exact with exact tests, independent of the order of columns, and within the constraints."""

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
from bayou.learning.independence import separation_tests, timed_tests
from bayou.learning.independence.counts_tests import counts_test, partial_correlations
from bayou.learning.independence.pc import PcResult, learn_pc, pc_from_tests
from bayou.learning.independence.separation_tests import BatchedTests, Question
from bayou.learning.search.constraints import Constraints
from bayou.learning.time_budget import TimeBudget
from bayou.sources import open_source


class Separated(BatchedTests):
    """An oracle: two variables are independent if and only if the graph d-separates them."""

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
    monkeypatch.setattr(separation_tests, "LARGEST_HELD", 0)
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
    with pytest.raises(BadData, match=r"'age' are numbers, 'ill' have states.*Cuts"):
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
    found = learn_pc(source, variables, budget=TimeBudget(0.0))
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


def test_an_identifier_deletes_no_true_line_and_is_told() -> None:
    random = np.random.default_rng(5)
    a = random.integers(0, 2, 300)
    data = {"a": a, "b": np.where(random.random(300) < 0.05, 1 - a, a), "code": [f"k{k}" for k in range(300)]}
    source = open_source(data)
    found = learn_pc(source, [source.variable(name) for name in source.names])
    assert found.skeleton == [("a", "b")]
    assert found.untestable == ((0, 2), (1, 2))
    assert found.remarks == ("Too few rows for a test, so not joined: 'code' with 'a', 'b'.",)


def test_common_effects_show_though_their_causes_may_not_be_joined() -> None:
    random = np.random.default_rng(3)
    a, b = random.integers(0, 2, (2, 2000))
    c = np.where(random.random(2000) < 0.1, 1 - (a | b), a | b)
    source = open_source({"a": a, "b": b, "c": c})
    allowed = Constraints.none(3).allowed.copy()
    allowed[0, 1] = allowed[1, 0] = False
    rules = Constraints(allowed, np.zeros((3, 3), dtype=bool), 3)
    found = learn_pc(source, [source.variable(name) for name in source.names], constraints=rules)
    assert str(found.cpdag) == "a, b -> c"


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_one_change_nothing_even_with_many_states(seed: int) -> None:
    random = np.random.default_rng(seed)
    wide = random.integers(0, 40, 600)
    data = {"ort": wide, "x y": (wide + random.integers(0, 12, 600)) % 3, 7: random.integers(0, 2, 600)}
    data["z"] = np.where(random.random(600) < 0.3, random.integers(0, 3, 600), data["x y"] + data[7]) % 3
    plain, weighted = open_source(data), open_source(data, weights=np.ones(600))
    one, other = (learn_pc(each, [each.variable(name) for name in data]) for each in (plain, weighted))
    assert (one.cpdag, one.tests, one.untestable) == (other.cpdag, other.tests, other.untestable)
    asked = [(1, 2, (0,)), (1, 3, (0, 2)), (0, 1, ()), (2, 3, (1,))]
    in_memory = separation_tests.separation_tests(plain, [plain.variable(name) for name in data], "g")
    by_requests = separation_tests.separation_tests(weighted, [weighted.variable(name) for name in data], "g")
    known = [each is None for each in in_memory.outcomes(asked)]
    assert known == [each is None for each in by_requests.outcomes(asked)]
    assert any(known)


def test_a_test_for_states_is_refused_for_numbers() -> None:
    source = open_source({"größe": [1.5, 2.5, 3.7], "x": [0.1, 0.7, 0.2]})
    variables = [source.variable(name) for name in source.names]
    for test in ("g", "chi2", "mi"):
        with pytest.raises(
            BadData, match=f"test='{test}' counts states; 'größe', 'x' are numbers.*correlation"
        ):
            learn_pc(source, variables, test=test)


def test_an_interrupt_returns_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_source(chain())
    variables = [source.variable(name) for name in source.names]
    whole = separation_tests.NativeTests.separate

    def interrupted(self, pairs, neighbours, size):  # type: ignore[no-untyped-def]
        if size == 1:
            raise KeyboardInterrupt
        return whole(self, pairs, neighbours, size)

    monkeypatch.setattr(separation_tests.NativeTests, "separate", interrupted)
    found = learn_pc(source, variables)
    assert not found.finished
    assert found.tests == 10
    assert ("c0", "c1") in found.skeleton


def test_a_pair_with_many_sets_is_tested_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    common = random.normal(size=300)
    source = open_source({f"v{k}": common + random.normal(size=300) for k in range(8)})
    variables = [source.variable(name) for name in source.names]
    at_once = learn_pc(source, variables)
    monkeypatch.setattr(timed_tests, "FIRST", 2)
    monkeypatch.setattr(timed_tests, "SHORT", 0.0)
    monkeypatch.setattr(separation_tests.BatchedTests, "least_at_once", 2)
    assert by_name(learn_pc(source, variables)) == by_name(at_once)


class Chance(BatchedTests):
    """Tests that contradict each other: every p-value is drawn, most of them small."""

    def __init__(self, seed: int) -> None:
        self.random, self.known = np.random.default_rng(seed), dict[Question, tuple[float, float]]()

    def outcomes(self, questions: Sequence[Question]) -> list[tuple[float, float] | None]:
        for one in questions:
            if one not in self.known:
                self.known[one] = 0.05 * float(self.random.random()) ** 3, 1.0
        return [self.known[one] for one in questions]


def test_required_arcs_stay_where_the_tests_contradict_each_other() -> None:
    for seed in range(500):
        random = np.random.default_rng(seed)
        size = int(random.integers(3, 9))
        order = random.permutation(size)
        required = np.zeros((size, size), dtype=bool)
        for later in range(size):
            required[order[:later], order[later]] = random.random(later) < 0.2
        allowed = ~np.eye(size, dtype=bool) & (random.random((size, size)) < random.choice([0.5, 0.8, 1]))
        limits = Constraints(allowed | required, required, size)
        found = pc_from_tests(Chance(seed), tuple(range(size)), constraints=limits).parents
        Dag(range(size), dict(enumerate(found)))
        arcs = np.array([[parent in own for own in found] for parent in range(size)])
        assert not np.any(required & ~arcs)
        assert not np.any(arcs & ~limits.allowed)


def test_a_number_that_others_determine_gets_no_arc_that_can_not_be_fitted() -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 300))
    net = bayou.learn_structure({"x": x, "y": y, "sum": x + y}, method="pc")
    assert len(net.arcs) == 1
    report = net.learned_structure
    assert report is not None
    assert "determine a number" in report.remarks[1]
    with pytest.warns(bayou.BayouWarning, match="linear function"):
        assert bayou.learn_structure({"x": x, "twice": 2 * x, "y": y}, method="pc").arcs == ()
