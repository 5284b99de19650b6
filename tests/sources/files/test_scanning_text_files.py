"""The core's own CSV scanner against Python's csv module; what is irregular it declines."""

from __future__ import annotations

import csv
import io
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native._core import encode_text_file

fields = st.text(st.sampled_from('ab,;"\n\r é日\x00'), max_size=6) | st.text(max_size=30).filter(
    lambda text: max(text, default="a") < "\ud800" or min(text) > "\udfff"
)


def spelled(rows: list[list[str]], end: str, quoting: int, separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator=end, quoting=quoting, delimiter=separator).writerows(rows)
    return text.getvalue()


def scanned(path: Path, width: int, separator: str = ",") -> list[list[str | None]] | None:
    encoded = encode_text_file(os.fsencode(path), separator, width, list(range(width)), [], True)
    if encoded is None:
        return None
    rows, columns = encoded
    values = [
        [None if code == 2 ** (8 * codes.itemsize) - 1 else labels[code] for code in codes.tolist()]
        for codes, labels, _ in columns
    ]
    assert all(len(column) == rows for column in values)
    return [list(row) for row in zip(*values, strict=True)]


@given(
    st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(fields, min_size=width, max_size=width), min_size=1)
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from([",", ";", "\t"]),
)
def test_what_the_csv_module_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], end: str, quoting: int, separator: str
) -> None:
    if any("\r" in field for row in rows for field in row):
        quoting = csv.QUOTE_ALL  # some versions of the csv module forget to quote it otherwise
    path = tmp_path_factory.getbasetemp() / "scanned.csv"
    path.write_bytes(spelled(rows, end, quoting, separator).encode())
    found = scanned(path, len(rows[0]), separator)
    assert found == [[field or None for field in row] for row in rows[1:]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_records_that_cross_the_blocks_of_a_long_file(tmp_path: Path, end: str) -> None:
    dice = random.Random(5)
    texts = ["x", "", "é" * 40, 'with "quotes"', "two\nlines", "a,b", "plain text of some length"]
    rows = [[dice.choice(texts) for _ in range(5)] for _ in range(60_000)]
    path = tmp_path / "long.csv"
    path.write_bytes(spelled(rows, end, csv.QUOTE_MINIMAL, ",").encode())
    assert path.stat().st_size > 3_000_000
    assert scanned(path, 5) == [[field or None for field in row] for row in rows[1:]]


def test_one_record_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("a,b\nx," + "y" * 3_000_000 + "\nz,w", newline="")
    assert scanned(path, 2) == [["x", "y" * 3_000_000], ["z", "w"]]


@pytest.mark.parametrize(
    "text",
    ["a,b\n1\n", "a,b\n1,2,3\n", 'a,b\n1,x"y\n', 'a,b\n1,"x"y\n', 'a,b\n1,"x', "a,b\r\n1,2\n", "a,b\n1,2\r\n",
     "a,b\r1,2\r", "a,b\n1,2\r3,4\n", 'a,b\n1, "2"\n'],
)  # fmt: skip
def test_an_irregular_file_is_declined(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(text.encode())
    assert scanned(path, 2) is None


def test_what_is_not_utf8_is_declined(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b"a,b\n1,\xe4\n")
    assert scanned(path, 2) is None
    assert scanned(tmp_path / "absent.csv", 2) is None
