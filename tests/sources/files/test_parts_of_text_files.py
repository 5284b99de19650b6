"""A large text file is cut at line ends and its parts are read side by side: as if one thread read it all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bayou._native._core import encode_text_file

ROWS = 60_000
LONG = "of a list of long names " * 5
"""Makes the file large enough to be cut in parts, with few rows."""


def lines_of(kind: str) -> list[str]:
    """Records of four fields: a few words, a number, many words, and words that appear late."""
    rng = np.random.default_rng(2)
    words = rng.choice(["yes", "no", "perhaps", ""], ROWS)
    numbers = rng.integers(0, 5000, ROWS)
    many = [f"item number {number} {LONG}" for number in rng.integers(0, 400, ROWS)]
    late = np.where(np.arange(ROWS) > ROWS - 50, "end", "start")
    lines = [f"{w},{n},{m},{t}" for w, n, m, t in zip(words, numbers, many, late, strict=True)]
    if kind == "a quoted line end in the last part":
        lines[-7] = 'no,3,"item\nnumber 9",start'
    if kind == "too many fields in the last part":
        lines[-7] += ",more"
    return lines


def read(path: Path, threads: int) -> Any:
    return encode_text_file(bytes(path), ",", 4, [0, 1, 2, 3], [1], True, threads)


@pytest.mark.parametrize(
    "kind",
    [
        "plain",
        "line ends of two bytes",
        "no last line end",
        "blank lines",
        "a quoted line end in the last part",
    ],
)
def test_parts_are_joined(tmp_path: Path, kind: str) -> None:
    path, lines = tmp_path / "rows.csv", lines_of(kind)
    end = "\r\n" if kind == "line ends of two bytes" else "\n"
    between = end * 2 if kind == "blank lines" else end
    text = between.join(["a,b,c,d", *lines]) + ("" if kind == "no last line end" else end)
    path.write_bytes(text.encode())
    assert len(text) > 2**23  # large enough for several parts
    rows, columns = read(path, 1)
    assert rows == ROWS
    fields = [line.split(",") for line in lines[: ROWS - 10]]
    for place in (0, 2, 3):
        codes, labels, _ = columns[place]
        meaning = np.array([*labels, ""], dtype=object)
        read_back = meaning[np.minimum(codes, len(labels))][: ROWS - 10].tolist()
        assert read_back == [field[place] for field in fields]
    assert columns[1][0][: ROWS - 10].tolist() == [float(field[1]) for field in fields]
    for threads in (2, 3, 8):
        more_rows, more_columns = read(path, threads)
        assert more_rows == rows
        for (data, *rest), (more_data, *more_rest) in zip(columns, more_columns, strict=True):
            assert rest == more_rest
            assert data.dtype == more_data.dtype
            np.testing.assert_array_equal(data, more_data)


def test_an_irregular_part_declines_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,c,d", *lines_of("too many fields in the last part")]))
    assert read(path, 1) is None
    assert read(path, 4) is None


def test_mixed_line_ends_decline_the_file(tmp_path: Path) -> None:
    path, lines = tmp_path / "rows.csv", lines_of("plain")
    half = ROWS // 2
    text = "\n".join(["a,b,c,d", *lines[:half]]) + "\n" + "\r\n".join(lines[half:]) + "\r\n"
    path.write_bytes(text.encode())
    assert read(path, 1) is None
    assert read(path, 4) is None
