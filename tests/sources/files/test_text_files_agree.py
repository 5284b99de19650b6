"""Four ways to read one text file: the scanner, duckdb, duckdb through gzip, duckdb in batches."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou.errors import BadFile
from bayou.sources import Columns, NumberColumn, column_batches, read_columns
from bayou.sources.files.text import text_file

numbers = st.sampled_from(
    [
        "",
        "0",
        "1",
        "-1",
        "2.5",
        "1.0",
        "1e3",
        "007",
        "NA",
        " 7 ",
        "inf",
        "1e400",
        "9007199254740993",
        ".5",
        "1_0",
        "?",
        "$1,234.50",
        "12k",
        "2K",
        "$5%",
        "12 %",
    ]
)
dates = st.sampled_from(["", "2024-02-29", "2024-03-01", "NA", "2024-02-30", "2024-02-29 12:30"])
words = st.sampled_from(["", "True", "FALSE", "true", "NA", "1"])
texts = st.sampled_from(["", "yes", "no", "é日", 'a "quote"', "two\nlines", "a,b", " ", "true"])
columns = st.sampled_from([numbers, texts, dates, words, numbers | texts])


@st.composite
def files(draw: st.DrawFn) -> str:
    """A header, records, and blank lines anywhere between them."""
    kinds = draw(st.lists(columns, min_size=1, max_size=3))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    header = ",".join(f"column {k}" for k in range(len(kinds)))
    lines = [
        draw(st.sampled_from(["", "", end, end * 2])),
        draw(st.sampled_from(["", "\ufeff"])),
        header,
        end,
    ]
    lines[:2] = reversed(lines[:2])  # a byte order mark stands before anything else
    for _ in range(draw(st.integers(0, 6))):
        text = io.StringIO()
        csv.writer(text, lineterminator=end).writerow([draw(kind) for kind in kinds])
        lines.append(text.getvalue())
        if len(kinds) > 1:
            lines.append(draw(st.sampled_from(["", "", end])))
    return "".join(lines)


def content(batches: list[Columns]) -> dict[Any, tuple[str, list[Any]]]:
    """Each column's kind and its values over all batches."""
    found: dict[Any, tuple[str, list[Any]]] = {}
    for name in batches[0].names:
        kinds, values = set(), []
        for batch in batches:
            column = batch[name]
            if isinstance(column, NumberColumn):
                kinds.add(column.kind)
                values += [None if np.isnan(value) else value for value in column.values.tolist()]
            else:
                kinds.add("coded")
                values += column.values()
        found[name] = ("/".join(sorted(kinds)), values)
    return found


def read_in_every_way(folder: Path, text: str) -> list[Any]:
    plain, packed = folder / "file.csv", folder / "file.csv.gz"
    plain.write_bytes(text.encode())
    packed.write_bytes(gzip.compress(text.encode(), 1))
    ways = [
        lambda: [read_columns(plain)],
        lambda: [read_columns(packed)],
        lambda: list(column_batches(plain, batch_rows=2)),
        lambda: list(column_batches(packed, batch_rows=100)),
    ]
    results: list[Any] = []
    for way in ways:
        try:
            results.append(content(way()))
        except BadFile:
            results.append("refused")
    with mock.patch.object(text_file, "encode_text_file", return_value=None):
        results.append(content([read_columns(plain)]) if results[0] != "refused" else "refused")
    return results


@given(files())
@settings(max_examples=12, deadline=None)
def test_every_way_to_read_a_text_file_finds_the_same(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    results = read_in_every_way(tmp_path_factory.getbasetemp(), text)
    for other in results[1:]:
        assert other == results[0]


@pytest.mark.parametrize("blank", ["\n", "\n\n", "\r\n", "\ufeff\n"])
@pytest.mark.parametrize(
    ("rows", "expected"), [("a,b\n1,2\n", {"a": [1], "b": [2]}), ("a\nx\n", {"a": ["x"]})]
)
def test_blank_lines_above_the_header(
    tmp_path: Path, blank: str, rows: str, expected: dict[str, list[Any]]
) -> None:
    text = blank + (rows.replace("\n", "\r\n") if "\r" in blank else rows)
    for found in read_in_every_way(tmp_path, text):
        assert {name: values for name, (_, values) in found.items()} == expected


def test_the_line_of_an_error_counts_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n\na,b\n1,2\n3\n")
    with pytest.raises(BadFile, match="line 5: the line has 1 fields"):
        read_columns(path)
