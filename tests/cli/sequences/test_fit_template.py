"""bayou fit --template: dynamic networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from tests.cli.conftest import Run, RunJson
from tests.cli.sequences.conftest import HOW, MACHINE, OF_CITIES, OF_MACHINES, RAIN, parsed


def test_a_template_is_learned(days: dict[str, list[Any]], run: Run, run_json: RunJson) -> None:
    table = pl.read_csv("days.csv").to_dict(as_series=False)
    shown = run("fit", "days.csv", "--template", RAIN, *OF_CITIES, "-o", "rain.bayou").stdout
    assert "Learned from 72 rows" in shown
    whole = bayou.DynamicNetwork(RAIN).fit(table, **HOW)
    assert bayou.load("rain.bayou").same_as(whole)
    run("fit", "days.csv", "--add", "rain.bayou", *OF_CITIES, "-o", "twice.bayou")
    assert bayou.load("twice.bayou").same_as(whole.partial_fit(table, **HOW))
    hidden = ("--states", "Rain=no,yes", "--seed", "1", "--restarts", "2")
    found = run_json("fit", "seen.csv", "--template", RAIN, *OF_CITIES, *hidden, "-o", "h.bayou")
    assert found["learning"]["method"] == "em"
    seen = pl.read_csv("seen.csv").to_dict(as_series=False)
    own = bayou.DynamicNetwork(RAIN, states={"Rain": ["no", "yes"]}).fit(seen, **HOW, seed=1, restarts=2)
    assert bayou.load("h.bayou").same_as(own)
    Path("template.txt").write_text("Place -> Rain\n" + RAIN, encoding="utf-8")
    run("fit", "days.csv", "--template", "template.txt", "--constant", "Place", "--states", "Place=a,b",
        "--max-iterations", "2", *OF_CITIES, "-o", "place.xdsl")  # fmt: skip
    assert bayou.load("place.xdsl").template.constant == {"Place"}
    run("fit", "days.csv", "--template", "rain.bayou", "--prior", "ml", *OF_CITIES, "-o", "again.bayou")
    assert bayou.load("again.bayou").same_as(bayou.DynamicNetwork(RAIN).fit(table, **HOW, prior=0))


@pytest.mark.parametrize(
    ("words", "problem", "code"),
    [
        (["--template", RAIN, "--target", "Rain"], "--target cannot be combined", 2),
        (["--template", RAIN, "--method", "viterbi"], "learned by em or count", 2),
        (["--constant", "Rain", "--states", "3"], "say which one with --template", 2),
        (["--template", RAIN, "--states", "3"], "name the variable", 2),
        (["--template", "Rain' -> Rain"], "goes back in time", 1),
        (["--template", "Snow -> Snow'"], "'Snow' is not a column", 1),
        (["--template", RAIN, "--sequence", "town"], "'town'", 1),
        (["--add", "world.bayou", "--prior", "ml"], "omit --prior", 2),
    ],
)
def test_templates_that_cannot_be_learned(
    days: dict[str, list[Any]], run: Run, words: list[str], problem: str, code: int
) -> None:
    bayou.examples.umbrella_world().save("world.bayou")
    output = run("fit", "days.csv", *words, exit_code=code).output
    assert problem in " ".join(output.split())


def test_states_that_switch_numbers_are_learned(meters: None, run: Run, run_json: RunJson) -> None:
    hidden = ("--states", "mode=ok,stuck", "--continuous", "heat", "--max-iterations", "3")
    shown = run("fit", "meters.csv", "--template", MACHINE, *OF_MACHINES, *hidden, "--particles", "30",
                "-o", "machine.bayou").stdout  # fmt: skip
    assert "96 gaps. EM with 30 particles: stopped at max_iterations after 3 iterations" in shown
    found = run_json("fit", "meters.csv", "--template", MACHINE, *OF_MACHINES, *hidden)
    assert found["learning"]["particles"] == 100
    assert found["learning"]["error"] > 0
    decoded = run("decode", "machine.bayou", "meters.csv", *OF_MACHINES)
    assert "the best path that was found" in decoded.stderr
    lines = parsed(decoded.stdout)
    assert list(lines[0]) == ["machine", "minute", "mode", "heat"]
    assert {line["mode"] for line in lines} <= {"ok", "stuck"}
    assert len(lines) == 48
    assert all(np.isfinite(float(line["heat"])) for line in lines)


def test_particles_are_for_templates(meters: None, run: Run) -> None:
    refused = run("fit", "meters.csv", "--states", "2", *OF_MACHINES, "--particles", "10", exit_code=2)
    assert "--particles is for dynamic networks" in refused.stderr
