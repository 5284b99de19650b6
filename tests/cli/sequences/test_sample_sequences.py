"""bayou sample on models of sequences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bayou
from tests.cli.conftest import Run, RunJson
from tests.cli.sequences.conftest import KEYS, parsed


def test_sampled_sequences_are_those_of_the_library(casino: Any, run: Run, run_json: RunJson) -> None:
    rows = parsed(run("sample", "casino.bayou", "--length", "5", "--sequences", "2", "--seed", "7").stdout)
    drawn = casino.sample(5, sequences=2, seed=7)
    assert [int(row["roll"]) for row in rows] == [roll for one in drawn for roll in one["roll"]]
    assert [row["state"] for row in rows] == [state for one in drawn for state in one["state"]]
    assert [(row["sequence"], row["time"]) for row in rows[4:6]] == [("0", "4"), ("1", "0")]
    document = run_json("sample", "casino.bayou", "--length", "2", "--seed", "7")
    assert document["columns"] == ["sequence", "time", "roll", "state"]
    assert len(document["rows"]) == 2
    assert (
        "Saved 2 sequences (10 rows)"
        in run("sample", "casino.bayou", "--length", "5", "--sequences", "2", "-o", "s.csv.gz").stdout
    )
    assert "--length" in run("sample", "casino.bayou", "-n", "3", exit_code=2).stderr
    assert "-n" in run("sample", "rain.bif", "--length", "3", exit_code=2).stderr


def test_states_and_continuations_are_drawn_given_a_table(casino: Any, run: Run, run_json: RunJson) -> None:
    options = ("sample", "casino.bayou", "--given", "rolls.csv", *KEYS, "--seed", "3")
    rows = parsed(run(*options, "--length", "2").stdout)
    drawn = casino.sample(2, given="rolls.csv", sequence="sequence", time="time", seed=3)
    assert [row["state"] for row in rows] == [state for one in drawn for state in one["state"]]
    assert [row["roll"] for row in rows] == [str(roll) for one in drawn for roll in one["roll"]]
    assert [int(row["step"]) for row in rows[:62]] == list(range(-59, 3))
    assert [row["sequence"] for row in rows[61:63]] == ["0", "1"]
    twice = run_json(*options, "--sequences", "2")
    assert twice["columns"] == ["sequence", "draw", "step", "time", "roll", "state"]
    assert len(twice["rows"]) == 480
    assert "Saved 4 sequences (240 rows)" in run(*options, "-o", "g.parquet").stdout
    single = run_json("sample", "casino.bayou", "--given", "rolls.csv", "--length", "1")
    assert single["columns"] == ["step", "roll", "state"]
    twice_given = ("--given", "rolls.csv", "--given", "seqs.csv")
    assert "give it once" in run("sample", "casino.bayou", *twice_given, exit_code=2).stderr
    assert "add --given DATA" in run("sample", "casino.bayou", *KEYS, exit_code=2).stderr
    assert "--given" in run("sample", "casino.bayou", "--length", "0", exit_code=2).stderr
    assert "for models of sequences" in run("sample", "rain.bif", "--time", "t", exit_code=2).stderr


def test_dynamic_networks_are_converted(folder: Path, run: Run, run_json: RunJson) -> None:
    world = bayou.examples.umbrella_world()
    world.save("world.bayou")
    assert "3 variables" not in run("convert", "world.bayou", "world.xdsl").stdout
    assert "Rain -> Rain'" in run("show", "world.xdsl").stdout
    saved = run_json("convert", "world.xdsl", "again.bayou")
    assert saved["not_kept"] == []
    assert set(bayou.load("again.bayou").arcs) == set(world.arcs)
    assert (
        "use a name that ends in .bayou, .json (a text) or .xdsl"
        in run("convert", "world.bayou", "world.bif", exit_code=1).output
    )
    learned = bayou.DynamicNetwork("Rain -> Rain'").fit({"Rain": [0, 1, 1]})
    learned.save("learned.bayou")
    assert "does not keep: the counts" in run("convert", "learned.bayou", "learned.xdsl").stdout


def test_dynamic_networks_are_shown_and_sampled(folder: Path, run: Run, run_json: RunJson) -> None:
    bayou.examples.umbrella_world().save("world.bayou")
    assert "Rain -> Rain'" in run("show", "world.bayou").stdout
    assert run_json("show", "world.bayou")["arcs"] == [["Rain", "Rain", 1], ["Rain", "Umbrella", 0]]
    rows = parsed(run("sample", "world.bayou", "--length", "4", "--seed", "7").stdout)
    assert [row["Rain"] for row in rows] == bayou.examples.umbrella_world().sample(4, seed=7)["Rain"]
    assert "ask it with bayou smooth world.bayou" in run("query", "world.bayou", "Rain", exit_code=1).output
