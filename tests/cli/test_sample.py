"""bayou sample."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from bayou.cli import sample as sampling
from bayou.cli.terminal.disk_space import bytes_of_rows
from bayou.loading import load
from bayou.models.network import Network
from bayou.sources import read_columns
from tests.cli.conftest import Run, RunJson


def parsed(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_rows_go_to_standard_output_quoted_so_that_any_reader_gets_them_back(run: Run) -> None:
    header, *rows = parsed(run("sample", "weird.bayou", "-n", "200", "--seed", "7").stdout)
    drawn = load("weird.bayou").sample(200, seed=7)
    assert header == ["größe, cm", "7"]
    assert [row[0] for row in rows] == drawn["größe, cm"].tolist()
    assert [int(row[1]) for row in rows] == drawn[7].tolist()
    assert {row[0] for row in rows} == {'very "big"', "", "小さい, small"}


def test_batches_do_not_change_the_rows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("sample", "rain.bif", "-n", "100", "--seed", "3").stdout
    monkeypatch.setattr(sampling, "BATCH_ROWS", 7)
    assert run("sample", "rain.bif", "-n", "100", "--seed", "3").stdout == whole


def test_files_hold_the_same_rows_in_every_format(run: Run, folder: Path) -> None:
    printed = run("sample", "weird.bayou", "-n", "50", "--seed", "7").stdout
    for name in ("rows.csv", "rows.csv.gz", "rows.parquet"):
        assert "Saved 50 rows" in run("sample", "weird.bayou", "-n", "50", "--seed", "7", "-o", name).stdout
    assert (folder / "rows.csv").read_text(encoding="utf-8") == printed
    assert gzip.decompress((folder / "rows.csv.gz").read_bytes()).decode() == printed
    table = read_columns("rows.parquet")
    drawn = load("weird.bayou").sample(50, seed=7)
    assert table.coded("größe, cm").values() == drawn["größe, cm"].tolist()
    assert table.coded("7").values() == drawn[7].tolist()
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_parquet_refuses_names_that_differ_in_case_only(run: Run, folder: Path) -> None:
    Network("a; A", tables={"a": {"x": 1.0}, "A": {"x": 1.0}}).save("case.bayou")
    failed = run("sample", "case.bayou", "-n", "1", "-o", "case.parquet", exit_code=1)
    assert "both 'a' and 'A'" in failed.stderr
    assert not list(folder.glob("*.parquet"))
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_real_numbers_are_written_to_the_last_bit(run: Run) -> None:
    net = Network("c -> x; y", continuous=["x", "y"], states={"c": ["a", "b"]})
    net.set_cpt("c", [0.5, 0.5]).set_gaussian("x", {"a": (0, 1), "b": (5, 2)}).set_gaussian("y", (1, 1))
    net.save("real.bayou")
    rows = parsed(run("sample", "real.bayou", "-n", "20", "--seed", "1").stdout)[1:]
    drawn = load("real.bayou").sample(20, seed=1)
    assert [float(row[1]) for row in rows] == drawn["x"].tolist()
    assert [float(row[2]) for row in rows] == drawn["y"].tolist()


def test_json_is_one_document_with_typed_rows(run_json: RunJson) -> None:
    document = run_json("sample", "weird.bayou", "-n", "9", "--seed", "7")
    drawn = load("weird.bayou").sample(9, seed=7)
    assert document["columns"] == ["größe, cm", 7]
    assert document["rows"] == [list(row.values()) for row in drawn.to_dicts()]
    assert run_json("sample", "rain.bif", "-n", "0")["rows"] == []
    saved = run_json("sample", "rain.bif", "-n", "4", "--seed", "5", "-o", "rows.csv")
    assert saved == {"saved": "rows.csv", "rows": 4, "columns": ["Rain", "Wet"], "seed": 5}


def test_a_fresh_seed_is_reported_and_draws_the_same_rows_again(run_json: RunJson) -> None:
    first = run_json("sample", "rain.bif", "-n", "30")
    assert run_json("sample", "rain.bif", "-n", "30", "--seed", str(first["seed"])) == first


def test_no_rows_is_a_header(run: Run) -> None:
    assert run("sample", "rain.bif", "-n", "0").stdout == "Rain,Wet\n"


def test_rows_that_the_disk_has_no_room_for_are_refused_unless_forced(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=2345))
    before = sorted(folder.iterdir())
    failed = run("sample", "rain.bif", "-n", "1000", "-o", "rows.csv", exit_code=1).stderr
    assert "the sample takes about 6." in failed
    assert "the disk has 2.3 kB free" in failed
    assert "--force" in failed
    assert sorted(folder.iterdir()) == before
    run("sample", "rain.bif", "-n", "100", "-o", "rows.csv")
    run("sample", "rain.bif", "-n", "1000", "-o", "rows.csv.gz")
    run("sample", "rain.bif", "-n", "1000", "-o", "rows.csv", "--force")


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz"])
def test_the_size_is_reported_within_a_tenth(run: Run, folder: Path, name: str) -> None:
    net = Network("g -> x", continuous=["x"], states={"g": ["klein", "sehr groß"]})
    net.set_cpt("g", [0.5, 0.5]).set_gaussian("x", {"klein": (0, 1), "sehr groß": (5, 2)}).save("x.bayou")
    run("sample", "x.bayou", "-n", "5000", "--seed", "1", "-o", name)
    assert bytes_of_rows(net, 5000, name) == pytest.approx((folder / name).stat().st_size, rel=0.1)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-n", "-1"], 2, "-n"),
        (["--seed", "-1"], 2, "--seed"),
        (["-o", "rows.xlsx"], 1, "use one of .csv, .csv.gz, .parquet"),
        (["-o", "no/rows.csv"], 1, "there is no folder 'no'"),
    ],
)
def test_what_cannot_be_drawn_says_why(run: Run, arguments: list[str], code: int, message: str) -> None:
    assert message in run("sample", "rain.bif", *arguments, exit_code=code).stderr
