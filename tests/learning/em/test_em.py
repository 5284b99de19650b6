"""EM: equal to enumeration, never falling, the same from memory and from a file, from several starts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learning.em.em_by_enumeration import em

import bayou
from bayou.errors import BayouWarning, NoConvergence
from bayou.learning.em.e_step import Expectation
from bayou.learning.em.training_rows import TrainingRows
from bayou.sources import open_source

NAMES = ("Köln a", "b", "3", "d")


@dataclass(frozen=True)
class Case:
    """A small network with tables, and rows with gaps."""

    parents: dict[str, list[str]]
    tables: dict[str, np.ndarray[Any, Any]]
    rows: list[dict[str, int | None]]
    weights: list[float]

    def network(self) -> bayou.Network:
        states = {name: list(range(table.shape[-1])) for name, table in self.tables.items()}
        net = bayou.Network(self.parents, states=states)
        for name, table in self.tables.items():
            net.set_cpt(name, table)
        return net

    def data(self) -> dict[str, list[int | None]]:
        return {name: [row[name] for row in self.rows] for name in self.parents}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = NAMES[: draw(st.integers(2, 4))]
    parents = {
        name: [other for other in names[:k] if draw(st.booleans())][:2] for k, name in enumerate(names)
    }
    sizes = {name: draw(st.integers(2, 3)) for name in names}
    tables = {}
    for name, own in parents.items():
        raw = chance.gamma(1.0, size=[*(sizes[parent] for parent in own), sizes[name]]) + 0.05
        tables[name] = raw / raw.sum(axis=-1, keepdims=True)
    hidden = draw(st.sampled_from([None, *names]))
    rows: list[dict[str, int | None]] = []
    for _ in range(draw(st.integers(3, 12))):
        values = {name: int(chance.integers(sizes[name])) for name in names}
        rows.append({n: None if n == hidden or chance.random() < 0.3 else v for n, v in values.items()})
    rows.append(dict.fromkeys(names, 0) | ({hidden: None} if hidden else {}))
    weights = [float(chance.integers(1, 4)) for _ in rows]
    return Case(parents, tables, rows, weights)


def quietly(net: bayou.Network, data: Any, **how: Any) -> bayou.Network:
    """Fit and ignore warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        return net.fit(data, **how)


@settings(max_examples=30, deadline=None)
@given(cases(), st.sampled_from([0.5, 1.0]))
def test_em_equals_em_by_enumeration(case: Case, pseudo: float) -> None:
    net = quietly(
        case.network(),
        case.data(),
        method="plain-em",
        start="present",
        prior=pseudo,
        weights=case.weights,
        max_iterations=4,
        tolerance=0,
    )
    trace = net.learning
    assert trace is not None
    if trace.method == "count":  # by chance nothing was missing
        return
    # Rows without any value are left out.
    said = [(row, w) for row, w in zip(case.rows, case.weights, strict=True) if {*row.values()} != {None}]
    rows, weights = [row for row, _ in said], [weight for _, weight in said]
    expected, tables = em(case.parents, case.tables, rows, weights, pseudo, trace.iterations)
    np.testing.assert_allclose(trace.log_likelihoods, expected, rtol=1e-10)
    for name, table in tables.items():
        np.testing.assert_allclose(net.frozen.table(name), table, rtol=1e-9, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(cases(), st.sampled_from([0, 0.3, 1]))
def test_the_objective_never_falls_and_holds_the_prior(case: Case, pseudo: float) -> None:
    net = quietly(case.network(), case.data(), prior=pseudo, weights=case.weights, max_iterations=50)
    trace = net.learning
    assert trace is not None
    if trace.method == "count":
        return
    steps = np.diff(trace.objectives)
    assert np.all(steps >= -1e-9 * np.abs(trace.objectives[1:]))
    tables = (net.frozen.table(name) for name in net.names)
    log_prior = 0.0 if pseudo == 0 else sum(pseudo * float(np.log(table).sum()) for table in tables)
    assert trace.objective == pytest.approx(trace.log_likelihood + log_prior, rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(cases())
def test_the_log_likelihood_is_that_of_the_rows_and_the_statistics_give_the_tables(case: Case) -> None:
    net = quietly(case.network(), case.data(), weights=case.weights, max_iterations=20)
    if net.learning is None or net.learning.method == "count":
        return
    logs = net.log_probability(case.data())
    assert net.learning.log_likelihood == pytest.approx(float(np.dot(logs, case.weights)), rel=1e-9)
    for name in net.names:
        counts = net.statistics[next(r for r in net.statistics if r.variables[-1] == name)].values + 1
        np.testing.assert_allclose(net.frozen.table(name), counts / counts.sum(axis=-1, keepdims=True))


GAPS = {
    "A": ["x", "x", "y", None, "y", "x", None, "y"] * 5,
    "B": [0, 1, 1, 1, None, 0, None, 1] * 5,
    "C": ["u", None, "v", "v", "u", None, "u", "v"] * 5,
}


def test_rows_read_anew_for_every_pass_give_what_rows_in_memory_give(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = bayou.Network("A -> B -> C").fit(GAPS)
    monkeypatch.setattr(TrainingRows.__init__, "__defaults__", (0,))
    streamed = bayou.Network("A -> B -> C").fit(GAPS)
    assert streamed.learning.objectives == pytest.approx(whole.learning.objectives, rel=1e-12)
    for name in "ABC":
        np.testing.assert_allclose(streamed.frozen.table(name), whole.frozen.table(name), rtol=1e-10)


def test_rows_too_large_for_memory_are_let_go() -> None:
    net = bayou.Network("A -> B -> C").fit(GAPS)
    source = open_source(GAPS)
    held, passing = (
        TrainingRows(source, list(net.variables)),
        TrainingRows(source, list(net.variables), most=10),
    )
    assert held.census.kept is not None
    assert passing.census.kept is None
    assert held.census.kept.rows == 7
    assert held.census.cells == passing.census.cells == 30
    one, two = held.expect(net.frozen), passing.expect(net.frozen)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, rel=1e-12)
    together = held.census + held.census
    assert (together.rows, together.cells) == (80, 60)


def test_shared_tables_pool_what_is_expected_of_all_their_users() -> None:
    data = {"G": ["d", "d", "c", None, "c"], "R1": [1, 2, None, 2, 1], "R2": [2, None, 1, 2, 1]}
    share = {"p_R": ["R1", "R2"]}
    net = bayou.Network("R1 <- G -> R2", share=share).fit(data, prior=0.5)
    counts = net.statistics
    pooled = sum(counts[r].values for r in counts if r.variables[-1] in ("R1", "R2")) + 0.5
    np.testing.assert_allclose(net.frozen.table("R1"), pooled / pooled.sum(axis=-1, keepdims=True))
    assert np.array_equal(net.frozen.table("R1"), net.frozen.table("R2"))


def test_hidden_variables_come_from_seeded_starts_and_the_best_is_kept() -> None:
    chance = np.random.default_rng(5)
    kind = chance.integers(0, 2, 400)
    data = {f"x{k}": (chance.random(400) < np.where(kind, 0.85, 0.2)).astype(int).tolist() for k in range(4)}
    structure = "H -> x0, x1, x2, x3"

    def fitted(**how: Any) -> bayou.Network:
        return bayou.Network(structure, states={"H": ["α", "β"]}).fit(data, **how)

    one, again, other = (fitted(restarts=3, seed=seed) for seed in (1, 1, 2))
    assert one.same_as(again)
    assert one.learning.objectives == again.learning.objectives
    assert not one.same_as(other)
    assert one.learning.objective == max(start.objective for start in one.learning.starts)
    assert len({start.objective for start in one.learning.starts}) == 3
    assert one.learning.hidden == ("H",)
    # Both children and class have left the symmetric point, and found the two kinds.
    found = sorted(one.frozen.table("x0")[:, 1])
    assert found == pytest.approx([0.2, 0.85], abs=0.08)


def test_noisy_nodes_are_learned_with_gaps() -> None:
    truth = bayou.Network(
        "Flu, Cold -> Fever",
        states={"Flu": [0, 1], "Cold": [0, 1], "Fever": [0, 1]},
        tables={"Flu": [0.6, 0.4], "Cold": [0.5, 0.5]},
    )
    truth.set_cpt("Fever", bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.1))
    rows = truth.sample(3000, seed=1).to_dicts()
    chance = np.random.default_rng(2)
    data = [{k: None if chance.random() < 0.15 else v for k, v in row.items()} for row in rows]
    states = {name: [0, 1] for name in truth.names}
    net = bayou.Network("Flu, Cold -> Fever", states=states, nodes={"Fever": bayou.NoisyOr}).fit(data)
    assert net.learning.converged
    assert np.all(np.diff(net.learning.objectives) >= -1e-9 * abs(net.learning.objective))
    np.testing.assert_allclose(net.frozen.table("Fever"), truth.frozen.table("Fever"), atol=0.06)


def test_functions_are_learned_from_complete_families_and_stay() -> None:
    rows = [{"a": a, "b": b, "c": a ^ b} for a in (0, 1) for b in (0, 1) for _ in range(4)]
    rows += [{"a": 1, "b": None, "c": 1}, {"a": None, "b": 1, "c": 1}, {"a": None, "b": None, "c": 0}]
    net = bayou.Network("a, b -> c", nodes={"c": bayou.Deterministic}).fit(rows)
    assert net.learning.method == "em"
    assert net.frozen.table("c").tolist() == [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]
    # With c=1 and a=1 it is certain that b=0.
    assert net.query("b", {"a": 1, "c": 1})[0] == 1.0


def broken(step: int, outcome: Any) -> Any:
    """An E-step that goes wrong in one iteration."""
    right = TrainingRows.expect
    calls = 0

    def expect(self: TrainingRows, network: Any) -> Expectation:
        nonlocal calls
        calls += 1
        if calls == step:
            if isinstance(outcome, BaseException):
                raise outcome
            good = right(self, network)
            return Expectation(outcome, good.statistics)
        return right(self, network)

    return expect


def test_a_number_that_is_none_is_an_error_and_no_convergence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingRows, "expect", broken(3, float("nan")))
    with pytest.raises(NoConvergence, match="has become nan"):
        bayou.Network("A -> B -> C").fit(GAPS)


def test_a_fall_of_the_objective_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingRows, "expect", broken(3, -1e6))
    with pytest.raises(NoConvergence, match="must never fall"):
        bayou.Network("A -> B -> C").fit(GAPS)


@pytest.mark.parametrize("method", ["em", "gradient"])
def test_ctrl_c_gives_the_best_so_far_with_a_warning(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step = 3 if method == "em" else 12
    monkeypatch.setattr(TrainingRows, "expect", broken(step, KeyboardInterrupt()))
    net = bayou.Network("A -> B -> C")
    with pytest.warns(BayouWarning, match="interrupted: these are the best tables so far"):
        net.fit(GAPS, method=method, tolerance=0)
    assert net.learning.verdict == "interrupted"
    assert not net.learning.converged
    if method == "em":
        assert net.learning.iterations == 2
    monkeypatch.undo()
    short = quietly(bayou.Network("A -> B -> C"), GAPS, max_iterations=2, tolerance=0)
    if method == "em":
        assert net.same_as(short)
    assert net.query("A").to_dict().keys() == {"x", "y"}


def test_ctrl_c_before_the_first_tables_leaves_the_network_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingRows, "expect", broken(1, KeyboardInterrupt()))
    net = bayou.Network("A -> B -> C")
    with pytest.raises(KeyboardInterrupt):
        net.fit(GAPS)
    assert net.learning is None


def test_a_start_that_fails_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingRows, "expect", broken(3, float("nan")))
    net = bayou.Network("A -> B -> C").fit(GAPS, restarts=2)
    assert [start.verdict for start in net.learning.starts] == ["failed", "converged"]
    assert net.learning.best_start == 1
    assert "start  iterations  objective" in str(net.learning)


def test_running_out_of_iterations_is_said() -> None:
    with pytest.warns(BayouWarning, match="stopped at max_iterations=2 before it converged"):
        net = bayou.Network("A -> B -> C").fit(GAPS, max_iterations=2, tolerance=0)
    assert net.learning.verdict == "stopped at max_iterations"
    assert len(net.learning.objectives) == 3


@pytest.mark.parametrize("method", ["em", "gradient"])
def test_progress_tells_the_log_likelihood(method: str) -> None:
    told: list[tuple[str, int]] = []

    class Listener:
        def advance(self, task: str, done: int) -> None:
            told.append((task, done))

        def finish(self, task: str) -> None: ...

    with bayou.show_progress(Listener()):
        bayou.Network("A -> B -> C").fit(GAPS, restarts=2, method=method)
    assert any("start 2 of 2: log-likelihood -" in task for task, _ in told)
    assert max(done for _, done in told) > 3
