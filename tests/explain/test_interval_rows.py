"""Intervals of whole tables: those of single queries, and exact Beta quantiles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy.stats import beta

import bayou
from bayou.errors import BadQuestion, NotFitted, TooWide

THREE_ERRORS = 3 * np.sqrt(0.025 * 0.975 / 2000)
"""Three standard errors of the place of a sampled 2.5 % quantile of 2,000 draws."""


def learned(rows: int = 60) -> bayou.Network:
    random = np.random.default_rng(4)
    a = random.integers(0, 2, rows)
    b = random.integers(0, 3, rows)
    c = (random.random(rows) < 0.1 + 0.5 * a + 0.15 * b).astype(int)
    states = {"a": [0, 1], "b": [0, 1, 2], "c": [0, 1]}
    return bayou.Network("a -> c; b -> c", states=states).fit({"a": a, "b": b, "c": c})


def test_each_row_has_the_interval_of_its_own_query() -> None:
    net = learned()
    table = pandas.DataFrame({"c": [1, 0, None, 1, 1], "b": [0, None, 2, 0, 1]}, index=list("vwxyz"))
    found = net.posterior(table, ["a", "b"], interval=0.9)
    assert found.interval.mass == 0.9
    for place, row in enumerate(table.to_dict("records")):
        for target in ("a", "b"):
            given = {name: value for name, value in row.items() if name != target}
            alone = net.query(target, given, interval=0.9)
            np.testing.assert_array_equal(found.interval.lower[target][place], alone.interval.lower)
            np.testing.assert_array_equal(found.interval.upper[target][place], alone.interval.upper)
            np.testing.assert_allclose(found[target][place], alone.to_array())
    again = net.posterior(table, "a", interval=0.9)
    np.testing.assert_array_equal(again.interval.lower["a"], found.interval.lower["a"])


def test_frames_print_and_files_have_two_more_columns_for_each_state(tmp_path: Path) -> None:
    net = learned()
    table = pandas.DataFrame({"c": [1, 0], "b": [0, 2]}, index=["v", "w"])
    frame = net.posterior(table, "a", interval=0.95).to_frame()
    assert list(frame.columns) == ["a=0", "a=0 lower", "a=0 upper", "a=1", "a=1 lower", "a=1 upper"]
    assert list(frame.index) == ["v", "w"]
    assert (frame["a=1 lower"] < frame["a=1"]).all()
    assert (frame["a=1"] < frame["a=1 upper"]).all()
    assert "a=1 upper" in str(net.posterior(table, "a", interval=0.95))
    assert net.posterior(table, "a").interval is None
    table.to_csv(tmp_path / "rows.csv", index=False)
    out = net.posterior(tmp_path / "rows.csv", "a", interval=0.95, out=tmp_path / "answers.csv")
    pandas.testing.assert_frame_equal(pandas.read_csv(out), frame.reset_index(drop=True))


def test_states_that_are_named_like_the_ends_keep_their_columns_apart() -> None:
    net = bayou.Network("s").fit({"s": ["x", "x lower", "x"]})
    frame = net.posterior({"s": [None]}, "s", interval=0.9).to_frame()
    assert len(set(frame.columns)) == 6


@pytest.mark.parametrize(("yes", "no"), [(7, 13), (0, 30)])
def test_the_ends_of_one_table_are_beta_quantiles(yes: int, no: int) -> None:
    net = bayou.Network("s", states={"s": ["no", "yes"]}).fit({"s": ["yes"] * yes + ["no"] * no})
    interval = net.posterior({"s": ["yes", None]}, "s", interval=0.95).interval
    exact = beta(yes + 1, no + 1)
    np.testing.assert_allclose(exact.cdf(interval.lower["s"][:, 1]), 0.025, atol=THREE_ERRORS)
    np.testing.assert_allclose(exact.cdf(interval.upper["s"][:, 1]), 0.975, atol=THREE_ERRORS)


def test_many_rows_are_those_of_few_and_the_step_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    net = learned()
    random = np.random.default_rng(8)
    rows = {"b": random.integers(0, 3, 500), "c": random.integers(0, 2, 500)}
    many = net.posterior(rows, "a", interval=0.8).interval
    monkeypatch.setattr("bayou.explain.intervals.credible_intervals.ANSWERS_AT_A_TIME", 1)
    few = net.posterior({name: column[:20] for name, column in rows.items()}, "a", interval=0.8).interval
    np.testing.assert_array_equal(many.lower["a"][:20], few.lower["a"])
    np.testing.assert_array_equal(many.upper["a"][:20], few.upper["a"])


def test_rows_that_are_impossible_have_no_interval() -> None:
    data = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}
    net = bayou.Network("a -> b; a -> c", states={"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    net.fit({**data, "c": [0, 0, 1, 1]}, prior=0)
    found = net.posterior({"b": [0, 0], "c": [1, 0]}, "a", interval=0.9)
    assert np.isnan(found["a"][0]).all()
    assert np.isnan(found.interval.lower["a"][0]).all()
    np.testing.assert_array_equal(found.interval.lower["a"][1], [1, 0])


def test_expected_counts_are_told() -> None:
    data = {"a": [0, 1, None, 1], "b": [0, 1, 1, None]}
    net = bayou.Network("a -> b").fit(data)
    assert net.posterior({"b": [0]}, "a", interval=0.9).interval.expected
    assert not learned().posterior({"b": [0]}, "a", interval=0.9).interval.expected


def test_what_has_no_interval_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFitted, match="counts that the network learned from"):
        bayou.examples.storm().posterior({"Thunder": ["yes"]}, "Storm", interval=0.95)
    for wrong in (0, 1, 95, True, "0.95"):
        with pytest.raises(BadQuestion, match="interval="):
            learned().posterior({"b": [0]}, "a", interval=wrong)
    monkeypatch.setattr("bayou.explain.intervals.credible_intervals.LARGEST_WORK", 1e5)
    with pytest.raises(TooWide, match="each of 6 different rows 2,000 times"):
        learned().posterior({"b": [0, 1, 2] * 2, "c": [0] * 3 + [1] * 3}, "a", interval=0.95)
