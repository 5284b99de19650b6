"""bayou structure."""

from __future__ import annotations

import signal
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Run, RunJson

import bayou


@pytest.fixture
def table(folder: Path) -> str:
    random = np.random.default_rng(0)
    rain = random.random(300) < 0.4
    wet = np.where(random.random(300) < 0.9, rain, ~rain)
    slippery = np.where(random.random(300) < 0.9, wet, ~wet)
    rows = ["Regen,naß heute,glatt,id"]
    rows += [f"{a},{b},{c},k{k}" for k, (a, b, c) in enumerate(zip(rain, wet, slippery, strict=True))]
    (folder / "wetter.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return "wetter.csv"


def test_structure_learns_saves_draws_and_reports(run: Run, table: str) -> None:
    printed = run(
        "structure", table, "--ignore", "id", "--score", "bdeu:5", "--svg", "graph.svg", "-o", "model.bif"
    ).stdout
    assert "2 arcs by exact search, log BDeu" in printed
    assert "runner-up" in printed
    assert "Saved to model.bif" in printed
    assert "Drawn in graph.svg" in printed
    net = bayou.learn_structure(table, ignore=["id"], score=bayou.BDeu(5))
    assert bayou.load("model.bif").dag.same_arcs(net.dag)
    assert ET.parse("graph.svg").getroot().tag.endswith("svg")


def test_structure_as_json_with_constraints(run_json: RunJson, table: str) -> None:
    found = run_json(
        *("structure", table, "--ignore", "id", "--method", "hill-climbing"),
        *("--forbid", "Regen -> 'naß heute'"),
        *("--tiers", "Regen; 'naß heute', glatt", "--require", "Regen -> glatt", "--max-parents", "1"),
    )
    arcs = {(arc["parent"], arc["child"]) for arc in found["arcs"]}
    assert ("Regen", "glatt") in arcs
    assert ("Regen", "naß heute") not in arcs
    assert found["finished"] is True
    assert found["method"] == "hill climbing"
    assert found["network"]["variables"]


def test_variables_without_arcs_are_named(run: Run, table: str) -> None:
    printed = run("structure", table, "--ignore", "id", "--max-parents", "0").stdout
    assert "Without any arc: Regen, naß heute, glatt" in printed
    assert "Not saved" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--forbid", "Regn -> glatt"), "Did you mean 'Regen'"),
        (
            ("--require", "Regen -> glatt", "--forbid", "Regen -> glatt"),
            "required, but --forbid rules it out",
        ),
        (("--method", "k2"), "needs the order"),
        (("--method", "k2", "--order", "Regen"), "--order leaves out"),
        (("-o", "model.txt"), "the ending chooses the format"),
        (("--svg", "graph.png"), "the ending chooses the format"),
        (("--time", "0"), "--time 0"),
    ],
)
def test_mistakes_are_reported(run: Run, table: str, options: tuple[str, ...], message: str) -> None:
    outcome = run("structure", table, "--ignore", "id", *options, exit_code=1)
    assert message in outcome.stderr


def test_a_bad_score_is_a_usage_error_with_a_hint(run: Run, table: str) -> None:
    assert "is not a valid score" in run("structure", table, "--score", "bdeu:much", exit_code=2).stderr
    assert (
        "is not a valid score. Did you mean bdeu?"
        in run("structure", table, "--score", "bdue", exit_code=2).stderr
    )


def test_start_from_a_file_and_k2_with_an_order(run: Run, table: str) -> None:
    run("structure", table, "--ignore", "id", "-o", "first.bayou")
    again = run("structure", table, "--ignore", "id", "--start", "first.bayou").stdout
    assert "2 arcs by hill climbing" in again
    assert (
        "2 arcs by K2"
        in run(
            "structure", table, "--ignore", "id", "--method", "k2", "--order", "glatt, naß heute, Regen"
        ).stdout
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--method", "k2"],
            "parents before children: --order 'Age, Ill, …'",
        ),
        (["--time", "0"], "--time 0.0: give the seconds"),
        (["--method", "chow-liu", "--forbid", "a -> b"], "takes no --forbid; use --method hill-climbing"),
        (["--max-parents", "-1"], "--max-parents -1: give a whole number"),
    ],
)
def test_messages_name_options_as_they_are_typed(
    run: Run, tmp_path: Path, options: list[str], message: str
) -> None:
    table = tmp_path / "two columns.csv"
    table.write_text("a,b\n" + "0,1\n1,0\n" * 9)
    assert message in run("structure", str(table), *options, exit_code=1).stderr


def test_a_file_that_is_not_there_gets_no_unrelated_hint(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a\n1\n")
    assert "Did you mean" not in run("structure", str(tmp_path / "nofile.csv"), exit_code=1).stderr


def test_numbers_that_a_format_cannot_hold_are_refused_before_the_search(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "n.csv").write_text("a,x\n" + "0,1.5\n1,2.5\n1,2.25\n" * 9)
    monkeypatch.delattr("bayou.models.structures.structure_learning.search_structure")
    said = run("structure", "n.csv", "-o", "n.bif", exit_code=1).stderr
    assert "n.bif: this format cannot hold continuous variables, such as 'x'. Save as .bayou" in said
    assert "--cuts x=" in said


def test_numbers_cut_into_ranges_can_be_saved(run: Run, folder: Path) -> None:
    (folder / "n.csv").write_text("a,x\n" + "0,1.5\n1,2.5\n1,2.25\n" * 9)
    run("structure", "n.csv", "--cuts", "x=2", "-o", "n.bif")
    assert len(bayou.load("n.bif").states("x")) == 2


def test_many_whole_numbers_are_noted(run: Run, folder: Path) -> None:
    rows = [f"{k % 2},{k % 30},{k % 30}" for k in range(300)]
    (folder / "n.csv").write_text("\n".join(["a,age at visit,weight", *rows]) + "\n")
    said = run("structure", "n.csv", "--continuous", "weight").stderr
    assert "there are many of them: 'age at visit' (30 states). " in said
    assert "(--continuous 'age at visit')" in said
    assert "Note" not in run("structure", "n.csv", "--ignore", "age at visit", "--ignore", "weight").stderr


def test_words_that_stand_for_a_gap_are_noted(run: Run, folder: Path) -> None:
    (folder / "n.csv").write_text("a,b,c\n" + "x,NA,None\ny,u,1\ny,?,2\n" * 9)
    printed = "Taken as states, not as gaps: 'b' has '?', 'NA'."
    assert printed in run("structure", "n.csv").stderr
    assert printed in run("fit", "n.csv", "--network", "a -> b").stderr
    assert printed not in run("fit", "n.csv", "--network", "a -> b", "--states", "b=u,?,NA").stderr


def test_a_note_is_reported_once(run: Run, folder: Path) -> None:
    rows = [
        f"{'abcdefgh'[min(k % 11, 7)]},{k % 7 + k / 100},{'' if k % 5 == 0 else k % 3}" for k in range(60)
    ]
    (folder / "n.csv").write_text("\n".join(["a,x,b", *rows]) + "\n")
    notes = run("structure", "n.csv", "--require", "a -> x; b -> x").stderr.splitlines()
    assert len(notes) == len(set(notes)) > 0


def test_every_arc_is_reported(run: Run, folder: Path) -> None:
    rows = [",".join([str(k % 2)] * 64) for k in range(40)]
    (folder / "wide.csv").write_text("\n".join([",".join(f"v{k}" for k in range(64)), *rows]) + "\n")
    printed = run("structure", "wide.csv", "--method", "chow-liu").stdout
    assert "63 arcs by" in printed
    assert "more row" not in printed


def test_a_column_without_a_name_is_shown(run: Run, folder: Path) -> None:
    (folder / "index.csv").write_text(",a\n" + "".join(f"{k},x\n{k},y\n" for k in range(30)))
    assert "Without any arc: '', a" in run("structure", "index.csv").stdout


@pytest.mark.parametrize(
    ("signals", "code"), [([], 0), ([signal.SIGINT], 130), ([signal.SIGINT, signal.SIGTERM], 143)]
)
def test_a_stopped_search_is_saved_and_reported_by_the_exit_code(
    run: Run, table: str, monkeypatch: pytest.MonkeyPatch, signals: list[int], code: int
) -> None:
    # Names of bayou load on first use: load this one before the patch, so that the patch does not.
    learn = bayou.learn_structure

    def stopped(*arguments: Any, **options: Any) -> bayou.Network:
        net = learn(*arguments, **options)
        assert net.learned_structure is not None
        net.learned_structure = replace(net.learned_structure, finished=False)
        return net

    monkeypatch.setattr("bayou.models.structures.structure_learning.learn_structure", stopped)
    monkeypatch.setattr("bayou.cli.terminal.stopping._signals", signals)
    printed = run("structure", table, "--ignore", "id", "-o", "best.bayou", exit_code=code).stdout
    assert "stopped before its end" in printed
    assert bayou.load("best.bayou").arcs


def test_variables_share_one_table(folder: Path, run: Run) -> None:
    random = np.random.default_rng(0)
    genre = random.integers(0, 2, 200)
    first, second = (np.where(random.random(200) < 0.8, genre, random.integers(0, 2, 200)) for _ in "ab")
    rows = ["G,R1,R2", *(f"{a},{b},{c}" for a, b, c in zip(genre, first, second, strict=True))]
    (folder / "ratings.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    printed = run("structure", "ratings.csv", "--share", "p_R=R1, R2", "-o", "ratings.bayou").stdout
    assert "share the table 'p_R'" in printed
    learned = bayou.load("ratings.bayou")
    assert learned.sharing == {"p_R": ("R1", "R2")}
    assert learned.parents("R1") == learned.parents("R2") == ("G",)
