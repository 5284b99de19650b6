"""Durations in files: Parquet stores them as integers, which must not be taken for what they mean."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import bayou
from bayou.errors import BadFile
from bayou.sources.files import file_source
from bayou.sources.files.typed.parquet_durations import durations_of

FRAME = pd.DataFrame({"v": pd.to_timedelta([1, 2] * 10, unit="s"), "n": [3, 4] * 10, "y": ["yes", "no"] * 10})


def write(path: Path, writer: str) -> Path:
    if writer == "polars":
        pl.from_pandas(FRAME).write_parquet(path)
    elif path.suffix == ".feather":
        FRAME.to_feather(path)
    else:
        FRAME.to_parquet(path)
    return path


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("name", "writer"), [("t.parquet", "pandas"), ("t.parquet", "polars"), ("t.feather", "pandas")]
)
def test_durations_in_a_file_are_refused_by_name(
    name: str, writer: str, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = bayou.NaiveBayes().fit(FRAME, "y")
    path = write(tmp_path / name, writer)
    if streamed:
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    with pytest.raises(BadFile, match=r"column 'v' holds durations, .*Leave the column out"):
        model.predict_proba(path)
    with pytest.raises(BadFile, match="column 'v' holds durations"):
        bayou.NaiveBayes().fit(path, "y")
    others = bayou.NaiveBayes().fit(bayou.from_file(path, ignore=["v"]), "y")
    assert others.feature_names_in_.tolist() == ["n"]


def test_durations_in_the_second_of_two_files(tmp_path: Path) -> None:
    FRAME.assign(v=[1, 2] * 10).to_parquet(tmp_path / "0.parquet")
    FRAME.to_parquet(tmp_path / "1.parquet")
    with pytest.raises(BadFile, match="column 'v' holds durations"):
        bayou.NaiveBayes().fit(tmp_path / "*.parquet", "y")


@pytest.mark.parametrize("schema", [b"", b"AAAA", b"/////wAAAAA=", b"\xff", b"/////1YBAAAEAAAA8v///xQA"])
def test_a_damaged_schema_has_no_durations(schema: bytes) -> None:
    assert durations_of(schema) == set()
