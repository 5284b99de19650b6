"""bayou structure."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import bayou
from tests.cli.conftest import Run, RunJson


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
        (("--score", "bdue"), "is no score"),
        (("-o", "model.txt"), "the ending chooses the format"),
        (("--svg", "graph.png"), "the ending chooses the format"),
        (("--time", "0"), "--time 0"),
    ],
)
def test_mistakes_are_told(run: Run, table: str, options: tuple[str, ...], message: str) -> None:
    outcome = run("structure", table, "--ignore", "id", *options, exit_code=1)
    assert message in outcome.stderr


def test_a_bad_sample_size_is_a_usage_error(run: Run, table: str) -> None:
    assert "is no score" in run("structure", table, "--score", "bdeu:much", exit_code=2).stderr


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
    ("options", "told"),
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
    run: Run, tmp_path: Path, options: list[str], told: str
) -> None:
    table = tmp_path / "two columns.csv"
    table.write_text("a,b\n" + "0,1\n1,0\n" * 9)
    assert told in run("structure", str(table), *options, exit_code=1).stderr


def test_a_file_that_is_not_there_gets_no_unrelated_hint(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a\n1\n")
    assert "Did you mean" not in run("structure", str(tmp_path / "nofile.csv"), exit_code=1).stderr
