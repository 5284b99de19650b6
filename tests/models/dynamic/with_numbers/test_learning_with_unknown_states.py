"""EM where unknown states switch numbers: against a plain one that sums over all paths of states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.models.dynamic.with_numbers.plain_step import PlainStep, Rows

import bayou
from bayou.errors import BadFile, BayouWarning
from bayou.learning.em.trace import SETTLED
from bayou.models.dynamic.numbers.mixed_input import MixedInput
from bayou.sources.files import file_source
from bayou.statistics.rows import sequence_batch, whole_sequences
from bayou.temporal.gaussian_templates import weighted_paths
from bayou.temporal.gaussian_templates.expected_families import ExpectedFamilies
from bayou.temporal.gaussian_templates.mixed_model import MixedModel
from bayou.temporal.gaussian_templates.switching_particles import SwitchingSettings
from bayou.typing import FloatArray

ARCS = "mode -> mode'; mode -> level; level -> level'; level -> reading"


def machine() -> Any:
    return bayou.DynamicNetwork(
        ARCS,
        states={"mode": ["calm", "wild"]},
        continuous=["level", "reading"],
        tables={
            "mode": [0.6, 0.4],
            "mode'": [[0.8, 0.2], [0.3, 0.7]],
            "level": {"calm": (0, 1), "wild": (3, 2)},
            "level'": {
                "calm": {"mean": 0, "coefficients": {"level": 0.7}, "variance": 0.3},
                "wild": {"mean": 2, "coefficients": {"level": 0.9}, "variance": 1.5},
            },
            "reading": {"mean": 1, "coefficients": {"level": 1}, "variance": 0.5},
        },
    )


def blank() -> Any:
    return bayou.DynamicNetwork(ARCS, states={"mode": ["calm", "wild"]}, continuous=["level", "reading"])


def sequences(count: int, length: int, seed: int) -> list[Rows]:
    """Drawn sequences of which the modes, the levels and some readings are not seen."""
    chance = np.random.default_rng(seed)
    drawn = machine().sample(length, sequences=count, seed=seed)
    return [{"reading": [v if chance.random() < 0.85 else None for v in one["reading"]]} for one in drawn]


def parameters(net: Any) -> dict[Any, list[FloatArray]]:
    found: dict[Any, list[FloatArray]] = {}
    for table in net.tables:
        if net.variables[net.template.behind[table].name].is_continuous:
            line = net.gaussian(table).distribution
            found[table] = [line.intercept, line.coefficients, line.variance]
        else:
            found[table] = [net.cpt(table).to_array()]
    return found


def one_step(net: Any, rows: list[Rows], **how: Any) -> Any:
    after = blank()
    for table, values in parameters(net).items():
        own = net.gaussian(table).distribution if len(values) == 3 else values[0]
        after.set_cpt(table, own)
    with pytest.warns(BayouWarning, match="stopped at max_iterations"):
        return after.fit(rows, start="present", max_iterations=1, tolerance=0, prior=0, **how)


def test_few_paths_are_summed_exactly() -> None:
    net: Any = machine()
    rows = [one | {"mode": [None] * 5} for one in sequences(8, 5, seed=1)]
    rows[0]["mode"] = ["calm", None, "wild", None, None]
    rows[1]["mode"] = ["calm", "calm", "wild", "wild", "wild"]
    for _ in range(3):
        plain = PlainStep(net, rows)
        after = one_step(net, rows)
        assert after.learning.particles == 0
        assert after.learning.log_likelihoods[0] == pytest.approx(plain.log_likelihood, rel=1e-9)
        for table, values in parameters(after).items():
            expected = [plain.table(table)] if len(values) == 1 else plain.line(table)
            for ours, theirs in zip(values, expected, strict=True):
                assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-8)
        net = after


def test_many_particles_come_close_to_the_exact_step(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sequences(12, 5, seed=2)
    exact = one_step(machine(), rows)
    monkeypatch.setattr(weighted_paths, "MOST_PATHS", 0)
    steps = [parameters(one_step(machine(), rows, particles=200, paths=100, seed=seed)) for seed in range(6)]
    apart = []
    for table, values in parameters(exact).items():
        for k, own in enumerate(values):
            drawn = np.array([step[table][k] for step in steps])
            error = drawn.std(axis=0, ddof=1) / np.sqrt(len(steps)) + 2e-3
            apart.append(((drawn.mean(axis=0) - own) / error).ravel())
    scores = np.concatenate(apart)
    assert np.abs(scores).max() < 5
    assert np.sqrt(np.mean(scores**2)) < 1.6


@pytest.fixture(scope="module")
def learned() -> tuple[list[Rows], Any]:
    """Sequences, and what was learned with particles."""
    rows = sequences(10, 9, seed=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted_paths, "MOST_PATHS", 0)
        return rows, blank_from_truth().fit(rows, start="present", seed=5, particles=60, paths=10)


def blank_from_truth() -> Any:
    net = blank()
    for table, values in parameters(machine()).items():
        net.set_cpt(table, machine().gaussian(table).distribution if len(values) == 3 else values[0])
    return net


def test_it_settles_where_exact_em_does(learned: tuple[list[Rows], Any]) -> None:
    rows, net = learned
    trace = net.learning
    assert trace.verdict == SETTLED
    assert trace.converged
    assert trace.particles == 60
    assert trace.error > 0
    assert "EM with 60 particles: settled" in trace.summary
    assert len(trace.objectives) == trace.iterations + 1
    assert net.score(rows, particles=2000) == pytest.approx(trace.log_likelihood, abs=6 * trace.error + 0.1)
    before = PlainStep(net, rows[:1])
    assert net.score(rows[:1], particles=4000) == pytest.approx(before.log_likelihood, abs=0.1)
    exact = parameters(one_exact_step(net, rows))
    moved = max(
        float(np.abs(own - other).max(initial=0))
        for table, values in parameters(net).items()
        for own, other in zip(values, exact[table], strict=True)
    )
    assert moved < 0.1  # an exact step from where it ended hardly moves


def one_exact_step(net: Any, rows: list[Rows]) -> Any:
    """One step that lists all paths (512 a sequence)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted_paths, "MOST_PATHS", 2**13)
        after = blank()
        for table, values in parameters(net).items():
            after.set_cpt(table, net.gaussian(table).distribution if len(values) == 3 else values[0])
        with pytest.warns(BayouWarning, match="stopped at max_iterations"):
            return after.fit(rows, start="present", max_iterations=1, tolerance=0)


def test_the_same_seed_gives_the_same_network(
    learned: tuple[list[Rows], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, net = learned
    monkeypatch.setattr(weighted_paths, "MOST_PATHS", 0)
    with bayou.threads(1):
        again = blank_from_truth().fit(rows, start="present", seed=5, particles=60, paths=10)
    assert again.same_as(net)
    assert again.learning.objectives == net.learning.objectives
    assert again.learning.error == net.learning.error


def test_a_stopped_fit_goes_on_from_its_checkpoint(
    learned: tuple[list[Rows], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows, net = learned
    monkeypatch.setattr(weighted_paths, "MOST_PATHS", 0)
    file = tmp_path / "fit.bayou"
    how: dict[str, Any] = {"start": "present", "seed": 5, "particles": 60, "paths": 10, "checkpoint": file}
    with pytest.warns(BayouWarning, match="stopped at max_iterations=15"):
        blank_from_truth().fit(rows, **how, max_iterations=15)
    assert bayou.load(file).template == net.template
    with pytest.raises(BadFile, match="another particles"):
        blank_from_truth().fit(rows, **(how | {"particles": 61}))
    assert blank_from_truth().fit(rows, **how).same_as(net)


def test_numbers_with_gaps_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    rows = [one | {"mode": ["calm"] * 12} for one in sequences(6, 12, seed=4)]
    file = tmp_path / "fit.bayou"
    whole = blank_from_truth().fit(rows, start="present", tolerance=1e-2)
    assert whole.learning.particles == 0
    with pytest.warns(BayouWarning, match="stopped at max_iterations=3"):
        blank_from_truth().fit(rows, start="present", tolerance=1e-2, max_iterations=3, checkpoint=file)
    again = blank_from_truth().fit(rows, start="present", tolerance=1e-2, checkpoint=file)
    assert again.same_as(whole)


def test_an_interrupted_fit_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sequences(3, 12, seed=6)
    plain, calls = ExpectedFamilies.expected, 0

    def interrupted(self: ExpectedFamilies, *given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return plain(self, *given)

    monkeypatch.setattr(ExpectedFamilies, "expected", interrupted)
    with pytest.warns(BayouWarning, match="interrupted"):
        net = blank_from_truth().fit(rows, start="present", particles=20, paths=5)
    assert net.learning.verdict == "interrupted"
    assert np.isnan(net.learning.error)
    assert (
        "EM with 20 particles: interrupted after 2 iterations, log-likelihood about" in net.learning.summary
    )


def test_files_larger_than_memory_give_the_same_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = sequences(30, 4, seed=7)
    monkeypatch.setattr(sequence_batch, "ROWS_OF_PART", 20)
    table = {
        "id": [f"s{k:02}" for k, one in enumerate(rows) for _ in one["reading"]],
        "t": [t for one in rows for t in range(len(one["reading"]))],
        "reading": [v for one in rows for v in one["reading"]],
    }
    how: dict[str, Any] = {"sequence": "id", "time": "t", "start": "present", "max_iterations": 4}
    with pytest.warns(BayouWarning, match="stopped"):
        held = blank_from_truth().fit(table, **how)
    pl.DataFrame(table).write_csv(tmp_path / "rows.csv")
    monkeypatch.setattr(whole_sequences, "CHUNK_ROWS", 30)
    monkeypatch.setattr(whole_sequences, "LARGEST_HELD", 1000)
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 25)
    with pytest.warns(BayouWarning, match="stopped"):
        streamed = blank_from_truth().fit(tmp_path / "rows.csv", **how)
    assert streamed.same_as(held)


def test_hidden_states_are_sorted_by_the_lines_of_numbers() -> None:
    drawn = machine().sample(6, sequences=40, seed=8)
    rows = [{"level": one["level"], "reading": one["reading"]} for one in drawn]
    found = [blank().fit(rows, seed=seed, tolerance=1e-3, restarts=3) for seed in (0, 1)]
    for net in found:
        line = net.gaussian("level").distribution
        assert line.intercept[0] <= line.intercept[1]
        assert "Normal(reading | level)" in str(net)
    assert found[0].learning.objective == pytest.approx(found[1].learning.objective, abs=0.1)
    for table, values in parameters(found[0]).items():
        for own, other in zip(values, parameters(found[1])[table], strict=True):
            assert own == pytest.approx(other, abs=0.05)


def test_paths_that_were_listed_have_the_probabilities_of_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    net = machine()
    rows = sequences(1, 6, seed=9)
    reader = MixedInput(net.template, net.variables)
    evidence = reader.read(reader.rows(rows, {})[0], {})
    model = MixedModel(net.template, net._slices().frozen)
    settings = SwitchingSettings(particles=3000, paths=4000)
    listed = weighted_paths.weighted_paths(model, evidence, 0, settings)
    assert listed.exact
    assert listed.log_likelihood == pytest.approx(PlainStep(net, rows).log_likelihood, rel=1e-9)
    monkeypatch.setattr(weighted_paths, "MOST_PATHS", 0)
    drawn = weighted_paths.weighted_paths(model, evidence, 0, settings)
    assert not drawn.exact
    shares = {path.tobytes(): share for path, share in zip(listed.states, listed.shares, strict=True)}
    found = {path.tobytes(): share for path, share in zip(drawn.states, drawn.shares, strict=True)}
    gap = np.array([found.get(path, 0.0) - share for path, share in shares.items()])
    error = np.array([np.sqrt(share / 4000) + 1e-3 for share in shares.values()])
    assert np.abs(gap / error).max() < 5


def test_other_random_numbers_have_names_of_their_own() -> None:
    settings = SwitchingSettings()
    names = [(1,), (1, 0), (1, 0, 0), (0,), (0, 0), (0, 1), (2,)]
    assert len({settings.another(*name).seed for name in names}) == len(names)
    assert not {settings.another(k).seed for k in range(8)} & {settings.seed_of(k) for k in range(8)}


def test_the_statistics_are_those_the_parameters_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighted_paths, "MOST_PATHS", 0)
    plain, calls = ExpectedFamilies.log_likelihood, []

    def counting(self: ExpectedFamilies, *given: Any) -> Any:
        calls.append(given)
        return plain(self, *given)

    monkeypatch.setattr(ExpectedFamilies, "log_likelihood", counting)
    rows = sequences(6, 8, seed=8)
    for seed in range(3):
        calls.clear()
        with pytest.warns(BayouWarning, match="stopped at max_iterations"):
            net = blank().fit(rows, seed=seed, prior=0, particles=20, paths=5, max_iterations=25)
        assert len(calls) == 1  # the likelihood of the last parameters is estimated once
        counts = net._learned.statistics[bayou.statistics.CountTable(("mode", "mode'"))].values
        shares = counts / counts.sum(axis=1, keepdims=True)
        assert net.cpt("mode'").to_array() == pytest.approx(shares, abs=1e-9)
