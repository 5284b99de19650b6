"""The options of text files, folders and patterns, on every command that reads a table."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run, RunJson

import bayou

ROWS = "wind^play^height\nweak^ja^1,5\nstrong^nein^-\nweak^ja^2,25\nstrong^nein^3,5\nweak^möglich^1,0\n" * 4
OPTIONS = ["--sep", "^", "--encoding", "cp1252", "--decimal", ",", "--na", "-"]


@pytest.fixture
def table(folder: Path) -> str:
    path = folder / "days.txt"
    lines = ROWS.splitlines()
    path.write_text("\n".join([lines[0], *(line for line in lines if line != lines[0])]), encoding="cp1252")
    return str(path)


def test_every_command_that_reads_tables_takes_them(table: str, run: Run, run_json: RunJson) -> None:
    model, net, out = "play.bayou", "net.bayou", "out.csv"
    run("fit", table, "--target", "play", "-o", model, *OPTIONS)
    run("fit", table, "--network", "wind -> play", "-o", net, *OPTIONS)
    run("structure", table, *OPTIONS)
    found = run_json("check", table, *OPTIONS)
    assert found["rows"] == 20
    judged = run_json("evaluate", table, "--target", "play", "--folds", "2", *OPTIONS)
    assert judged["rows"] == 20
    run("predict", model, table, "-o", out, *OPTIONS)
    header, first, *_ = Path(out).read_text(encoding="utf-8").splitlines()
    assert (header, first) == ("wind,play,height,predicted_play", 'weak,ja,"1,5",ja')
    assert "möglich" in Path(out).read_text(encoding="utf-8")
    run("explain", model, table, "--row", "0", *OPTIONS)
    run("count", table, "--network", "wind -> play", "-o", "days.stats", *OPTIONS)
    run("fit", "--from-stats", "days.stats", "-o", "counted.bayou")
    assert bayou.load("counted.bayou").cpt("play") == bayou.load(net).cpt("play")


def test_a_folder_and_a_pattern_are_tables(folder: Path, run_json: RunJson) -> None:
    for name in ("a", "b"):
        part = folder / "parts" / f"part={name}"
        part.mkdir(parents=True)
        (part / "rows.csv").write_text("x,y\n1,u\n2,v\n1,u\n")
    for data in ("parts", "parts/*/*.csv"):
        assert run_json("fit", data, "--network", "part -> x")["rows"] == 6
        assert run_json("count", data, "--network", "part -> x", "-o", "parts.stats")["rows"] == 6
        Path("parts.stats").unlink()


def test_a_wrong_option_is_told_as_an_option(table: str, run: Run) -> None:
    told = run("fit", table, "--network", "wind", "--sep", "ab", exit_code=1)
    assert "--sep ab" in told.stderr
    told = run("fit", table, "--network", "wind", "--sep", "^", exit_code=1)
    assert "--encoding cp1252" in told.stderr
