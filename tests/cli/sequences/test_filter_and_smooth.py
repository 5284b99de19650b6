"""bayou filter and bayou smooth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from tests.cli.conftest import Run, RunJson
from tests.cli.sequences.conftest import HOW, KEYS, OF_CITIES, parsed


def test_questions_about_every_row(days: dict[str, list[Any]], run: Run, run_json: RunJson) -> None:
    world = bayou.examples.umbrella_world()
    world.save("world.bayou")
    seen = pl.read_csv("seen.csv").to_dict(as_series=False)
    cities = sorted(set(seen["city"]))
    for verb, asked in (("filter", world.filter), ("smooth", world.smooth)):
        rows = parsed(run(verb, "world.bayou", "seen.csv", *OF_CITIES, "--ask", "Rain").stdout)
        assert [row["city"] for row in rows] == seen["city"]
        beliefs = asked(seen, **HOW)
        for row in rows:
            own = beliefs[cities.index(row["city"])]["Rain"].probabilities[int(row["day"]), 1]
            assert float(row["P(Rain=yes)"]) == pytest.approx(own, abs=1e-12)
    rows = parsed(run("decode", "world.bayou", "seen.csv", *OF_CITIES).stdout)
    best = world.most_probable(seen, **HOW)
    assert [row["Rain"] for row in rows] == [
        best[cities.index(row["city"])]["Rain"][int(row["day"])] for row in rows
    ]
    likely = parsed(
        run("decode", "world.bayou", "seen.csv", *OF_CITIES, "--method", "posterior", "--proba").stdout
    )
    assert all((row["Rain"] == "yes") == (float(row["P(Rain=yes)"]) > 0.5) for row in likely)
    ahead = parsed(run("forecast", "world.bayou", "seen.csv", *OF_CITIES, "--steps", "2").stdout)
    want = world.forecast(seen, 2, **HOW)
    assert [row["step"] for row in ahead] == ["1", "2"] * 6
    assert [row["day"] for row in ahead] == ["12", "13"] * 6
    assert float(ahead[3]["P(Umbrella=yes)"]) == pytest.approx(want[1]["Umbrella"].probabilities[1, 1])
    scored = run_json("score", "world.bayou", "seen.csv", *OF_CITIES)
    assert scored["log_likelihood"] == pytest.approx(world.score(seen, **HOW))
    assert [name for name, _ in scored["rows"]] == cities
    close = run_json("filter", "world.bayou", "seen.csv", *OF_CITIES, "--engine", "factored")
    assert close["approximate"] is True


def test_questions_that_have_no_answer(days: dict[str, list[Any]], run: Run) -> None:
    world = bayou.examples.umbrella_world()
    world.save("world.bayou")
    assert "nothing to find out" in run("smooth", "world.bayou", "days.csv", exit_code=1).output
    assert "'Rian' in ask" in run("filter", "world.bayou", "seen.csv", "--ask", "Rian", exit_code=1).output
    known = run("decode", "world.bayou", "seen.csv", "--known", exit_code=2).output
    assert "count as observed" in " ".join(known.split())
    world.set_cpt("Umbrella", [[1, 0], [1, 0]]).save("never.bayou")
    shown = run("score", "never.bayou", "seen.csv", *OF_CITIES).stdout
    assert "log P = -inf of 6 sequences" in shown
    assert "Impossible under this model: 6 sequences (c0, c1, c2, c3, c4, …)" in shown
    assert "Sequence 0" in run("smooth", "never.bayou", "seen.csv", *OF_CITIES, exit_code=1).output


def test_hidden_markov_models_are_asked_alike(casino: Any, run: Run, run_json: RunJson) -> None:
    hmm = bayou.load("casino.bayou")
    table = pl.read_csv("rolls.csv").to_dict(as_series=False)
    for verb in ("filter", "smooth"):
        found = run_json(verb, "casino.bayou", "rolls.csv", *KEYS)
        asked = hmm.decode_rows(table, sequence=KEYS[1], time=KEYS[3])
        if verb == "smooth":
            shares = np.array([row[2:] for row in found["rows"]])
            np.testing.assert_allclose(shares, asked.probabilities, atol=1e-12)
        assert [row[0] for row in found["rows"]] == table[KEYS[1]]
    total = run_json("score", "casino.bayou", "rolls.csv", *KEYS)["log_likelihood"]
    assert total == pytest.approx(hmm.score(table, sequence=KEYS[1], time=KEYS[3]))
    refused = run("filter", "casino.bayou", "rolls.csv", *KEYS, "--ask", "die", exit_code=2).output
    assert "are for dynamic networks" in refused


def test_numbers_of_a_dynamic_network_are_answered_in_the_order_of_the_rows(
    folder: Path, run: Run, run_json: RunJson
) -> None:
    net = bayou.DynamicNetwork(
        "mode -> mode'; level -> level'; mode -> level; level -> meter",
        continuous=["level", "meter"],
        states={"mode": ["off", "on"]},
        tables={
            "mode": [0.5, 0.5],
            "mode'": [[0.9, 0.1], [0.2, 0.8]],
            "level": {"off": {"mean": 0, "variance": 1}, "on": {"mean": 3, "variance": 1}},
            "level'": {
                mode: {"mean": mean, "coefficients": {"level": 0.5}, "variance": 1}
                for mode, mean in (("off", 0), ("on", 2))
            },
            "meter": {"mean": 0, "coefficients": {"level": 1}, "variance": 0.5},
        },
    )
    net.save("cooler.bayou")
    rows = {"run": ["b", "a", "b", "a"], "t": [1, 1, 0, 0], "meter": [2.5, 0.1, 3.0, -0.2]}
    pl.DataFrame(rows).write_csv("meter.csv")
    keys = ("--sequence", "run", "--time", "t")
    found = parsed(run("filter", "cooler.bayou", "meter.csv", *keys).stdout)
    a, b = net.filter([{"meter": [-0.2, 0.1]}, {"meter": [3.0, 2.5]}])
    for line, (one, step) in zip(found, [(b, 1), (a, 1), (b, 0), (a, 0)], strict=True):
        assert float(line["mean(level)"]) == pytest.approx(one["level"].means[step])
        assert float(line["P(mode=on)"]) == pytest.approx(one["mode"].probabilities[step, 1])
        assert float(line["error(P(mode=on))"]) == pytest.approx(one.errors["mode"][step, 1])
    assert run_json("smooth", "cooler.bayou", "meter.csv", *keys)["approximate"]
    known = pl.DataFrame({**rows, "mode": ["on", "off", "on", "off"]})
    known.write_csv("known.csv")
    exact = run_json("smooth", "cooler.bayou", "known.csv", *keys)
    assert exact["columns"] == ["run", "t", "mean(level)", "deviation(level)"]
    assert "approximate" not in exact
    for verb in ("score", "forecast"):
        assert run_json(verb, "cooler.bayou", "meter.csv", *keys)["approximate"]
    assert "estimated with particles" in run("score", "cooler.bayou", "meter.csv", *keys).stdout
    assert "approximate" not in run_json("score", "cooler.bayou", "known.csv", *keys)
    decoded = run("decode", "cooler.bayou", "meter.csv", *keys)
    assert not decoded.stderr  # two steps have few paths, which are all compared
    a, b = net.most_probable([{"meter": [-0.2, 0.1]}, {"meter": [3.0, 2.5]}])
    for line, (best, step) in zip(parsed(decoded.stdout), [(b, 1), (a, 1), (b, 0), (a, 0)], strict=True):
        assert line["mode"] == best["mode"][step]
        assert float(line["level"]) == pytest.approx(best["level"][step])
    refused = run("convert", "cooler.bayou", "cooler.xdsl", exit_code=1)
    assert "Save the network as .bayou" in refused.stderr
