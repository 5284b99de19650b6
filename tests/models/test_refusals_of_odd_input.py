"""Odd input is refused where it is given, with an error that says what to do."""

from __future__ import annotations

import pandas as pd
import pytest

import bayou

RAIN = {"a": {"y": 0.2, "n": 0.8}, "b": {"y": {"y": 0.1, "n": 0.9}, "n": {"y": 0.0, "n": 1.0}}}


@pytest.mark.parametrize("place", [0, 1])
def test_a_name_that_was_changed_in_one_place_of_a_file(tmp_path, place):
    path = tmp_path / "net.json"
    bayou.Network("a->b", tables=RAIN).save(path)
    parts = path.read_text().split('"b"')
    assert len(parts) == 3
    path.write_text('"b"'.join(parts[: place + 1]) + '"bb"' + '"b"'.join(parts[place + 1 :]))
    with pytest.raises(bayou.errors.BadFile, match="none of its variables"):
        bayou.load(path)


@pytest.mark.parametrize("node", [bayou.NoisyOr({"c": 0.8}), bayou.NoisyAnd(leak=0.1)])
def test_numbers_of_a_node_that_is_to_be_learned(node):
    with pytest.raises(bayou.errors.BadVariable, match=r"state them in tables=\{'e': Noisy"):
        bayou.Network("c->e", nodes={"e": node})


def test_the_share_that_is_kept_after_learning():
    net = bayou.Network("a").fit({"a": [1, 2]})
    with pytest.raises(bayou.errors.BadQuestion, match=r"^keep= \(another name of weight=\)"):
        net.partial_fit({"a": [1]}, keep=0.5)
    with pytest.raises(bayou.errors.BadQuestion, match=r"^weight= says"):
        net.partial_fit({"a": [1]}, weight=5)


@pytest.mark.parametrize("value", [1e160, -1e200])
def test_a_number_whose_square_is_too_large(value):
    rows = pd.DataFrame({"a": ["u", "v"] * 5, "x": [0.1 * k for k in range(10)]})
    net = bayou.Network("a->x").fit(rows)
    assert 0 <= net.query("a", {"x": 1e140})["u"] <= 1
    with pytest.raises(bayou.errors.BadQuestion, match="too large for a calculation"):
        net.query("a", {"x": value})


def test_dates_that_no_calendar_has():
    data = pd.DataFrame({"a": ["2024-01-01", "2024-02-30", "2024-03-01"]})
    (finding,) = bayou.check(data).findings
    assert "but for 1 value that no calendar has" in str(finding)
    space = {"data": data, "pandas": pd}
    exec(finding.fix, space)
    assert data["a"].isna().tolist() == [False, True, False]
