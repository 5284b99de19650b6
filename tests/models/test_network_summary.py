"""What a network says about itself, and its view in a notebook."""

from __future__ import annotations

import bayou

DATA = {"Rain": ["no", "yes", "no"] * 5, "Sun": ["x", "y", "x"] * 5, "Wet": ["no", "yes", "no"] * 5}


def test_a_counted_network_tells_rows_prior_and_unseen_parents() -> None:
    summary = bayou.Network("Rain -> Wet <- Sun").fit(DATA).summary()
    assert summary.rows == 15
    printed = str(summary)
    assert "Learned from 15 rows" in printed
    assert "Prior: Laplace(strength=1.0)" in printed
    by_name = {one.name: one for one in summary.variables}
    assert by_name["Wet"].unseen == 2  # of four combinations of Rain and Sun, two occur
    assert by_name["Wet"].parents == ("Rain", "Sun")
    assert by_name["Rain"].missing == 0
    assert repr(summary) == printed
    assert "<table>" in summary._repr_html_()
    assert summary.to_dict()["variables"][1]["name"] == summary.variables[1].name


def test_gaps_and_where_the_tables_come_from_are_told() -> None:
    gaps = {**DATA, "Wet": [None, "yes", "no"] * 5}
    printed = str(bayou.Network("Rain -> Wet").fit(gaps).summary())
    assert "Learned from 15 rows with 5 missing cells. EM: " in printed
    assert "were given, not learned" in str(bayou.examples.storm().summary())
    unfitted = bayou.Network("A -> B").summary()
    assert unfitted.rows is None
    assert "Not fitted" in str(unfitted)


def test_a_notebook_shows_the_drawing_of_a_small_network() -> None:
    small = bayou.examples.storm()
    assert small._repr_html_().count("<svg") == 1
    assert "ForestFire</text>" in small._repr_html_()
    large = bayou.random_network(60, seed=1)
    assert "<svg" not in large._repr_html_()
    assert "<svg" not in bayou.Network("A; B")._repr_html_()
