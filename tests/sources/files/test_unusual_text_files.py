"""Text files with long fields, and files that are something else than their name says."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest

import bayou
from bayou.errors import BadFile

ROWS = b"a,b\nc,d\n" * 20


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", b"x,y\n" + bytes(range(65, 91)) * 50)
    return packed.getvalue()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_names_and_cells_may_be_long(name: str, tmp_path: Path) -> None:
    long = b"z" * 200_000
    before = csv.field_size_limit(131_072)
    try:
        text = long + b",y\n" + ROWS + long + b",b\n"
        (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
        model = bayou.NaiveBayes("table").fit(tmp_path / name, "y")
        assert csv.field_size_limit() == 131_072  # the host program's own limit
    finally:
        csv.field_size_limit(before)
    assert model.feature_names_in_.tolist() == [long.decode()]
    assert model.predict({long.decode(): [long.decode()]}).tolist() == ["b"]


def test_a_first_line_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"x" * 1_500_000 + b",y\n" + ROWS)
    with pytest.raises(BadFile, match=r"t\.csv, line 1: the first line has more than 1,048,576 bytes"):
        bayou.NaiveBayes().fit(tmp_path / "t.csv", "y")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (bz2.compress(b"x,y\n" + ROWS), r"this is a bzip2 file: unpack it first"),
        (lzma.compress(b"x,y\n" + ROWS), r"this is an xz file: unpack it first"),
        (zipped(), r"this is a zip file: unpack it first"),
        (b"PAR1" + bytes(range(256)), r"this is a Parquet file: name it t\.parquet\."),
        (b"x,y\n\xff\xfe", r"line 2: the file is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_the_error_names_what_a_file_is(data: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(BadFile, match=told):
        bayou.NaiveBayes().fit(tmp_path / "t.csv", "y")


def test_a_text_under_the_name_of_a_gzip_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(b"x,y\n" + ROWS)
    assert bayou.NaiveBayes().fit(tmp_path / "t.csv.gz", "y").feature_names_in_.tolist() == ["x"]


def test_columns_that_are_called_like_the_start_of_a_packed_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"PAR1,y\n" + ROWS)
    assert bayou.NaiveBayes().fit(tmp_path / "t.csv", "y").feature_names_in_.tolist() == ["PAR1"]
