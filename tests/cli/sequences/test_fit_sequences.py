"""bayou fit on tables of sequences: hidden Markov models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.loading import load
from tests.cli.conftest import Run, RunJson
from tests.cli.sequences.conftest import KEYS, parsed


def test_a_model_is_learned_as_in_python(casino: Any, run: Run, run_json: RunJson) -> None:
    shown = run("fit", "rolls.csv", *KEYS, "--states", "2", "--seed", "3", "-o", "m.bayou").stdout
    assert "Learned from 240 rows" in shown
    assert "roll=6" in shown
    found = bayou.HMM(2).fit("rolls.csv", sequence="sequence", time="time", seed=3)
    assert np.allclose(load("m.bayou").transition, found.transition, atol=1e-12)
    labelled = run_json("fit", "seqs.csv", *KEYS, "--states", "fair,loaded", "--prior", "ml", "-o", "l.bayou")
    counted = bayou.HMM(["fair", "loaded"]).fit("seqs.csv", sequence="sequence", time="time", prior=0)
    assert labelled["model"]["transition"] == counted.transition.tolist()
    assert labelled["learning"]["method"] == "count"
    assert load("l.bayou").states == ("fair", "loaded")
    assert "Added 240 rows" in run("fit", "seqs.csv", *KEYS, "--add", "l.bayou", "-o", "l2.bayou").stdout
    assert np.allclose(load("l2.bayou").transition, counted.transition, atol=1e-12)


@pytest.mark.usefixtures("few_starts")
def test_kinds_symbols_and_left_out_columns(run: Run, run_json: RunJson, folder: Path) -> None:
    lines = [f"{k},{k % 3},{k % 7 / 2},{k % 4},{'a' if k % 2 else 'b'}" for k in range(40)]
    (folder / "mixed.csv").write_text(
        "\n".join(["id,calls,heat,other,weather", *lines]) + "\n", encoding="utf-8"
    )
    options = (
        "--states",
        "calls=0,1,2,3",
        "--ignore",
        "other",
        "--emissions",
        "heat=gaussian",
        "--time",
        "id",
    )
    model = run_json("fit", "mixed.csv", "--label", "weather", *options, "-o", "w.bayou")["model"]
    assert model["state"] == "weather"
    assert model["states"] == ["a", "b"]
    assert [(one["name"], one["kind"]) for one in model["columns"]] == [
        ("calls", "table"),
        ("heat", "gaussian"),
    ]
    assert model["columns"][0]["symbols"] == [0, 1, 2, 3]
    heat = [k % 7 / 2 for k in range(40) if k % 2]
    assert model["columns"][1]["means"][0] == pytest.approx(np.mean(heat))
    counts = ("--emissions", "poisson", "--ignore", "weather", "--ignore", "heat")
    rates = run_json("fit", "mixed.csv", "--states", "2", *counts)["model"]
    assert {one["kind"] for one in rates["columns"]} == {"poisson"}
    assert "heat" in run("show", "w.bayou").stdout
    ahead = parsed(run("forecast", "w.bayou", "mixed.csv", "--time", "id").stdout)[0]
    assert float(ahead["mean(heat)"]) == pytest.approx(
        load("w.bayou").forecast("mixed.csv", time="id").means["heat"][0]
    )


def test_a_fraction_is_no_number_of_states(casino: Any, run: Run) -> None:
    assert "'2.5' cannot be read" in run("fit", "rolls.csv", "--states", "2.5", exit_code=2).stderr


@pytest.mark.usefixtures("few_starts")
def test_durations_are_stated_as_in_python(casino: Any, run: Run, run_json: RunJson) -> None:
    names = ("--states", "fair,loaded", "--duration", "fair=4", "--duration", "loaded=2-9")
    run("fit", "rolls.csv", *KEYS, *names, "-o", "d.bayou")
    found = bayou.HMM(["fair", "loaded"], duration={"fair": 4, "loaded": (2, 9)})
    assert load("d.bayou").same_as(found.fit("rolls.csv", sequence="sequence", time="time"))
    document = run_json("decode", "d.bayou", "rolls.csv", *KEYS)
    assert {row[2] for row in document["rows"]} <= {"fair", "loaded"}
    assert "· 1" not in run("show", "d.bayou").stdout
    run(
        "fit",
        "rolls.csv",
        *KEYS,
        "--states",
        "2",
        "--duration",
        "2",
        "--max-iterations",
        "3",
        "-o",
        "e.bayou",
    )
    assert load("e.bayou").stay_lengths(0, 1).tolist() == [0.0]
    run("forecast", "d.bayou", "rolls.csv", *KEYS, "--steps", "2")
    for wrong, said, code in (
        ("long", "cannot be read", 2),
        ("fair=2=3", "give one rule", 2),
        ("odd=2", "no state 'odd'", 1),
    ):
        line = ("fit", "rolls.csv", *KEYS, *names[:2], "--duration", wrong)
        assert said in run(*line, exit_code=code).stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sequence", "sequence"), "Give --states 3, or --states calm,storm"),
        (("--sequence", "sequnce", "--states", "2"), "Did you mean 'sequence'"),
        (("--states", "2", "--emissions", "rol=table"), "Did you mean 'roll'"),
        (("--states", "2", "--method", "gradient"), "use em, baum-welch, viterbi, count"),
        (("--states", "2", "--sequence", "time", "--time", "time"), "name two columns"),
        (("--states", "2", "--states", "3"), "give it once"),
        (("--states", "2", "--sequence", "sequence", "--target", "roll"), "--target cannot be combined"),
        (("--network", "a -> b", "--covariance", "full"), "--covariance is for hidden Markov models"),
        (("--states", "2", *KEYS, "-o", "m.bif"), ".bayou"),
        (("--states", "2", *KEYS, "--method", "count"), "Leave --method out"),
        (("--states", "2", "--time", "time"), "have the same time, 'time' = 0"),
    ],
)
def test_errors_name_the_option_to_change(casino: Any, run: Run, options: tuple[str, ...], said: str) -> None:
    usage = any(text in said for text in ("two columns", "give it once", "combined", "is for", "use em"))
    assert said in run("fit", "rolls.csv", *options, exit_code=2 if usage else 1).stderr


def test_show_prints_the_tables(casino: Any, run: Run, run_json: RunJson) -> None:
    shown = run("show", "casino.bayou").stdout
    assert "→ loaded" in shown
    assert "roll=6" in shown
    assert run_json("show", "casino.bayou")["columns"][0]["table"][1][5] == 0.5


@pytest.mark.parametrize(
    "line",
    [
        ("query", "casino.bayou", "state"),
        ("predict", "casino.bayou", "rolls.csv"),
        ("show", "casino.bayou", "--arcs"),
    ],
)
def test_other_commands_name_those_for_sequences(casino: Any, run: Run, line: tuple[str, ...]) -> None:
    assert "bayou decode casino.bayou DATA" in run(*line, exit_code=1).stderr
