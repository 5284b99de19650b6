"""One bad cell in a column of numbers: the column is text, and the user is told which cell it is."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import bayou
from bayou.sources.files import file_source


def _file(folder: Path, cells: list[str]) -> Path:
    path = folder / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{cell},{'ab'[k % 2]}\n" for k, cell in enumerate(cells)))
    return path


@pytest.mark.parametrize("streamed", [False, True], ids=["in memory", "streamed"])
@pytest.mark.parametrize("row", [5, 2600])
def test_the_cell_is_named(row: int, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if streamed:
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    cells = [f"{k % 50}.5" for k in range(3000)]
    cells[row], cells[7] = "1O.5", ""
    path = _file(tmp_path, cells)
    with pytest.warns(bayou.BayouWarning) as told:
        bayou.Network("y -> x").fit(path)
    texts = [str(each.message) for each in told if "'1O.5'" in str(each.message)]
    assert len(texts) == 1
    assert f"Column 'x' would hold numbers, but row {row:,} (counting from 0) has '1O.5': it is" in texts[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = bayou.Network("y -> x").fit(bayou.from_file(path, na="1O.5"))  # the remedy of the message
    assert net.query("x").mean == pytest.approx(24.99, abs=0.05)
    assert "'x' would be a column of numbers but for 1 row (such as '1O.5'" in str(bayou.check(path))


_CODES = [["1", "2", "3", "X"] * 50, [*(f"A{k}" for k in range(50)), "1"], ["007"] * 50]


@pytest.mark.parametrize("cells", _CODES, ids=["codes", "words", "zeros"])
def test_nothing_is_told_of_codes_and_words(cells: list[str], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bayou.Network("y -> x").fit(_file(tmp_path, cells))
