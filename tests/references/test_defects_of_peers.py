"""Defects that were seen in other libraries by running them: ours must not have them."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from tests.shared_data import needs_shared_data, shared_json

import bayou

LONG_NAMES = ["the first long variable", "Größe des Öltanks", 7]


def three_columns(rows: int = 60) -> dict[object, list[object]]:
    random = np.random.default_rng(3)
    states = [["low", "very high"], ["klein", "groß", "riesig"], [1, 2]]
    return {
        name: [values[k] for k in random.integers(0, len(values), rows)]
        for name, values in zip(LONG_NAMES, states, strict=True)
    }


def test_partial_fit_of_a_gaussian_is_fit() -> None:
    random = np.random.default_rng(1)
    x = 170 + 8 * random.normal(size=301)
    y = random.choice(["a", "b"], 301)
    whole = bayou.Network("y -> x", continuous=["x"]).fit({"x": x, "y": y})
    parts = bayou.Network("y -> x", continuous=["x"])
    for part in np.split(np.arange(301), [80, 150, 151]):
        parts.partial_fit({"x": x[part], "y": y[part]})
    for state in "ab":
        for part in ("mean", "variance"):
            ours = getattr(parts.gaussian("x"), part)({"y": state})
            assert ours == pytest.approx(getattr(whole.gaussian("x"), part)({"y": state}), rel=1e-12)


def test_a_table_never_shrinks_with_the_last_batch() -> None:
    net = bayou.Network("Class -> Colour").fit({"Class": ["x", "y", "y"], "Colour": ["red", "green", "blue"]})
    net.partial_fit({"Class": ["x"], "Colour": ["red"]})
    assert net.states("Colour") == ("blue", "green", "red")
    assert net.cpt("Colour")["x", "red"] == 3 / 5


def test_names_are_names_not_sequences_of_letters() -> None:
    first, second, third = LONG_NAMES
    net = bayou.Network([(first, second), (first, third)]).fit(three_columns())
    assert net.names == (first, second, third)
    assert net.parents(third) == (first,)
    posterior = net.query(first, {second: "groß", third: 2})
    assert posterior.names == (first,)
    assert sum(posterior.to_dict().values()) == pytest.approx(1, abs=1e-12)


def test_a_row_with_a_gap_still_counts_where_it_has_values() -> None:
    data = {"A": ["x", "x", "y", None], "B": ["u", None, "v", "v"]}
    net = bayou.Network("A -> B").fit(data, prior=0, method="count")
    assert net.cpt("A")["x"] == 2 / 3
    assert net.cpt("B")["y", "v"] == 1


def test_a_binary_posterior_is_the_probability_no_threshold_is_applied() -> None:
    data = {"y": ["no"] * 97 + ["yes"] * 3, "x": ["a"] * 96 + ["b"] * 4}
    net = bayou.Network("y -> x").fit(data, prior=0)
    assert net.query("y", {"x": "b"})["yes"] == pytest.approx(3 / 4, rel=1e-14)
    assert net.query("y")["yes"] == pytest.approx(0.03, rel=1e-14)


def test_fitting_leaves_no_copy_of_the_data_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text("A,B\nx,u\ny,v\n", encoding="utf-8")
    bayou.Network("A -> B").fit("own.csv").log_probability("own.csv")
    assert os.listdir(tmp_path) == ["own.csv"]


def test_bif_keeps_all_digits_of_a_double(tmp_path: Path) -> None:
    third = 1 / 3
    net = bayou.Network("A", tables={"A": {"x": third, "y": 1 - third}})
    net.save(tmp_path / "digits.bif")
    assert bayou.load(tmp_path / "digits.bif").cpt("A")["x"] == third


def test_an_answer_in_a_loop_is_the_posterior_not_a_propagated_guess() -> None:
    tables = {
        "A": [0.3, 0.7],
        "B": [[0.9, 0.1], [0.2, 0.8]],
        "C": [[0.6, 0.4], [0.1, 0.9]],
        "D": [[[0.99, 0.01], [0.5, 0.5]], [[0.4, 0.6], [0.05, 0.95]]],
    }
    net = bayou.Network("A -> B, C; B, C -> D", states={name: [0, 1] for name in "ABCD"}, tables=tables)
    a, b, c, d = (np.array(tables[name]) for name in "ABCD")
    joint = np.einsum("a,ab,ac,bcd->abcd", a, b, c, d)[..., 1]
    expected = joint.sum(axis=(1, 2)) / joint.sum()
    np.testing.assert_allclose(net.query("A", {"D": 1}).to_array(), expected, rtol=1e-14)


@pytest.mark.parametrize("prior", [bayou.BDeu(6), bayou.MEstimate(6)])
def test_a_declared_state_that_never_occurs_gets_its_share_of_the_prior(prior: object) -> None:
    net = bayou.Network("X", states={"X": ["a", "b", "never"]}).fit({"X": ["a", "b", "a", "a"]}, prior=prior)
    assert net.cpt("X")["never"] == 2 / 10


def test_no_parameter_is_ever_nan_and_hopeless_data_are_refused() -> None:
    net = bayou.Network("A -> x", continuous=["x"])
    with pytest.raises(bayou.BayouError, match="'x'"):
        net.fit({"A": ["u", "v"], "x": [math.nan, math.nan]})
    with pytest.raises(bayou.BayouError, match="'x'"):
        net.fit({"A": ["u", "u", "u"], "x": [2.0, 2.0, 2.0]})


@needs_shared_data
def test_a_bif_file_is_read_in_double_precision() -> None:
    from tests.shared_data import SHARED

    net = bayou.load(SHARED / "networks" / "alarm.bif.gz")
    case = next(case for case in shared_json("reference/alarm.json.gz")["cases"] if case["kind"] == "prior")
    for name, expected in list(case["posteriors"].items())[:5]:
        np.testing.assert_allclose(net.query(name).to_array(), expected, rtol=1e-11)
