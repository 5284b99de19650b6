"""Answers for files: streamed through in chunks, written whole or not at all, equal to those in memory."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.errors import BadFile, BadQuestion, BayouWarning, ImpossibleEvidence, TooWide
from bayou.models.rows import row_answers, row_chunks

PAIRS = [(".csv", "a.parquet"), (".csv.gz", "a.csv"), (".parquet", "a.csv.gz"), (".parquet", "a.parquet")]


def network() -> bayou.Network:
    """Names and states that need quotes, whole numbers, a continuous variable."""
    rows = sample(300, 0.0)
    return bayou.Network(
        {"Größe, m": [], "n": ["Größe, m"], "x": ["n"]},
        states={"Größe, m": ["klein", 'sehr "groß", oder'], "n": [1, 2, 30]},
        continuous=["x"],
    ).fit(rows)


def sample(count: int, gaps: float) -> pd.DataFrame:
    random = np.random.default_rng(7)
    size = random.integers(0, 2, count)
    n = np.array([1, 2, 30])[np.minimum(2, size + random.integers(0, 2, count))]
    frame = pd.DataFrame(
        {
            "007": [f"{k:04d}" for k in range(count)],
            "Größe, m": np.array(["klein", 'sehr "groß", oder'], dtype=object)[size],
            "n": pd.array(n, dtype="Int64"),
            "x": np.round(n / 4 + random.normal(size=count), 3),
            "salary": random.integers(1000, 9000, count),
        }
    )
    for name in ("Größe, m", "n", "x"):
        frame.loc[random.random(count) < gaps, name] = None
    return frame


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is a large one, read 32 rows at a time."""
    monkeypatch.setattr(row_chunks, "LARGEST_WHOLE", 0)
    monkeypatch.setattr("bayou.sources.files.file_source.LARGEST_WHOLE", 0)
    monkeypatch.setattr("bayou.sources.files.file_source.BATCH_ROWS", 50)
    monkeypatch.setattr(row_chunks, "ROWS_AT_A_TIME", 32)


def written(frame: pd.DataFrame, folder: Path, ending: str) -> Path:
    path = folder / f"the data of 'today'{ending}"
    if ending == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


def read(path: Path, **more: Any) -> pd.DataFrame:
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, **more)


@pytest.mark.parametrize(("ending", "out"), PAIRS)
def test_streamed_answers_are_those_in_memory(
    small_chunks: None, tmp_path: Path, ending: str, out: str
) -> None:
    net, frame = network(), sample(90, 0.3)
    path, target = written(frame, tmp_path, ending), tmp_path / out
    assert net.posterior(path, ["n", "Größe, m"], out=target) == target.resolve()
    expected = net.posterior(frame, ["n", "Größe, m"]).to_frame()
    result = read(target)
    assert result.columns.tolist() == expected.columns.tolist()
    np.testing.assert_array_equal(result.to_numpy(), expected.to_numpy())
    net.predict(path, "n", out=target)
    assert read(target)["n"].tolist() == net.predict(frame, "n").tolist()
    net.predict(path, "x", out=target)
    assert read(target)["x"].tolist() == net.predict(frame, "x").tolist()
    assert net.log_likelihood(path) == pytest.approx(net.log_likelihood(frame), rel=1e-12)
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, out])


@pytest.mark.parametrize(("ending", "out"), PAIRS)
@pytest.mark.parametrize("method", ["marginal", "joint", "sample"])
def test_a_file_is_filled_as_a_table_in_memory(
    small_chunks: None, tmp_path: Path, ending: str, out: str, method: str
) -> None:
    net, frame = network(), sample(90, 0.3)
    path, target = written(frame, tmp_path, ending), tmp_path / out
    net.impute(path, method, seed=4, out=target)
    expected = net.impute(frame, method, seed=4)
    result = read(target, dtype={"007": str})
    assert result.columns.tolist() == frame.columns.tolist()
    for name in frame.columns:
        assert result[name].tolist() == expected[name].tolist()
    if target.suffix == ".parquet":
        assert result["n"].dtype == result["salary"].dtype == "int64"
        assert result["x"].dtype == "float64"
        assert result["007"][3] == "0003"
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, out])


def test_cells_that_are_not_filled_keep_their_spelling(small_chunks: None, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "Größe, m;n;x;note\n".replace("Größe, m", '"Größe, m"').replace(";", ",")
        + 'klein,1,0.50,"a, ""b"""\nklein,NA,+1e0,\n'
    )
    network().impute(path, out=path)
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["Größe, m", "n", "x", "note"]
    assert rows[1] == ["klein", "1", "0.50", 'a, "b"']
    assert rows[2][0::2] == ["klein", "+1e0"]
    assert rows[2][1] in ("1", "2")


def test_small_files_give_answers_in_memory_and_large_ones_name_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    net, frame = network(), sample(100, 0.3)
    path = written(frame, tmp_path, ".csv")
    np.testing.assert_array_equal(net.posterior(path, "n")["n"], net.posterior(frame, "n")["n"])
    assert net.predict(path, "n").tolist() == net.predict(frame, "n").tolist()
    filled, expected = net.impute(path), net.impute(frame)
    for name in frame.columns:
        assert filled[name].tolist() == expected[name].tolist()
    assert filled["n"].dtype == "int64"
    monkeypatch.setattr(row_answers, "LARGEST_RESULT", 100)
    with pytest.raises(TooWide, match=r"Give out='answers\.parquet'"):
        net.posterior(path, "n")
    monkeypatch.setattr(row_chunks, "LARGEST_WHOLE", 10)
    for ask in (lambda: net.posterior(path, "n"), lambda: net.predict(path, "n"), lambda: net.impute(path)):
        with pytest.raises(TooWide, match=r"are kept in memory\. Give out='answers\.parquet'"):
            ask()


def test_whatever_goes_wrong_the_old_file_stays_and_nothing_beside_it(
    small_chunks: None, tmp_path: Path
) -> None:
    net = bayou.Network(
        "A -> B", states={"A": ["a", "b"], "B": ["c", "d"]}, tables={"A": [0.5, 0.5], "B": [[1, 0], [0, 1]]}
    )
    path, target = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text("A,B,C\n" + "a,c,1\n" * 100 + "a,d,\n,d,2\n" + "b,,3\n")
    target.write_text("old")
    with pytest.raises(BadFile, match="no such file"):
        net.impute(tmp_path / "absent.csv", out=target)
    assert target.read_text() == "old"
    net.impute(path, out=target)
    assert target.read_text().splitlines()[-3:] == ["a,d,", "b,d,2", "b,d,3"]
    bad = tmp_path / "bad.csv"
    bad.write_text("A,B,D\na,d,\n,,1\n")
    three = bayou.Network(
        "A -> B; A -> D",
        states={"A": ["a", "b"], "B": ["c", "d"], "D": [1, 2]},
        tables={"A": [0.5, 0.5], "B": [[1, 0], [0, 1]], "D": [[0.5, 0.5]] * 2},
    )
    before = target.read_text()
    with pytest.raises(ImpossibleEvidence, match=r"Row 0 \(counting from 0\)"):
        three.impute(bad, out=target)
    assert target.read_text() == before
    three.impute(bad, out=target, impossible="leave")
    assert target.read_text().splitlines() == ["A,B,D", "a,d,", "a,c,1"]
    assert sorted(os.listdir(tmp_path)) == ["bad.csv", "in.csv", "out.csv"]


def test_targets_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    net, path = network(), written(sample(5, 0.0), tmp_path, ".csv")
    (tmp_path / "folder.csv").mkdir()
    for out, message in [
        (tmp_path / "x.xlsx", "unknown kind of file"),
        (tmp_path / "folder.csv", "it is a directory"),
        (tmp_path / "absent" / "x.csv", "there is no such folder"),
        (3.5, "is not a path"),
    ]:
        with pytest.raises(BadFile, match=message):
            net.posterior(path, "n", out=out)
    with pytest.raises(BadQuestion, match="out= is for files"):
        net.predict(sample(5, 0.0), "n", out=tmp_path / "x.csv")


def test_names_that_differ_in_case_only(small_chunks: None, tmp_path: Path) -> None:
    net = bayou.Network("a; A", states={"a": ["x"], "A": ["x"]}, tables={"a": [1.0], "A": [1.0]})
    path = tmp_path / "in.csv"
    path.write_text("a,A\nx,\n,x\n")
    net.impute(path, out=tmp_path / "out.csv.gz")
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()).decode().splitlines() == [
        "a,A",
        "x,x",
        "x,x",
    ]
    net.posterior(path, ["a", "A"], out=tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines() == ["a=x,A=x", "1.0,1.0", "1.0,1.0"]
    with pytest.raises(BadFile, match="differ only in case; write CSV"):
        net.impute(path, out=tmp_path / "out.parquet")


def test_files_without_rows_and_unseen_values(small_chunks: None, tmp_path: Path) -> None:
    net, path = network(), tmp_path / "in.csv"
    path.write_text("n,x\n")
    for out in ("out.csv", "out.parquet"):
        net.posterior(path, "n", out=tmp_path / out)
        assert read(tmp_path / out).columns.tolist() == ["n=1", "n=2", "n=30"]
        net.impute(path, out=tmp_path / out)
        assert read(tmp_path / out).shape == (0, 2)
    path.write_text("n,x\n" + "1,\n" * 70 + "9,0.5\n")
    with pytest.warns(BayouWarning, match="1 in 'n'"):
        net.impute(path, out=tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[-1] == "9,0.5"
    with pytest.raises(
        bayou.errors.UnknownState, match=r"9 in row 70 \(counting from 0\) is not a state of 'n'"
    ):
        net.predict(path, "n", unknown="error", out=tmp_path / "out.csv")


def test_columns_are_named_for_files_without_a_header_and_weights_come_from_a_column(
    small_chunks: None, tmp_path: Path
) -> None:
    net, path = network(), tmp_path / "in.csv"
    path.write_text("1,3\n2,0\n" * 40)
    expected = 40 * 3 * net.log_evidence({"n": 1})
    assert net.log_likelihood(path, "w", columns=["n", "w"]) == pytest.approx(expected, rel=1e-12)
    assert net.log_likelihood(path, [3, 0] * 40, columns=["n", "w"]) == pytest.approx(expected, rel=1e-12)
