"""Ctrl-C stops reading and counting at any moment: no answer, no changed model, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest

import bayou
from bayou.sources.files import file_source
from bayou.sources.files.found_files import FoundFiles
from bayou.sources.files.typed.parquet_file import ParquetFile
from bayou.sources.tables.columns import Columns
from bayou.typing import Name

ROWS = pl.DataFrame({"a": ["0", "1", "1", "0"] * 5_000, "b": ["1", "0", "1", "0"] * 5_000})


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow"])
def test_twenty_moments(tmp_path: Path, ending: str) -> None:
    path, temporary = tmp_path / f"t.{ending}", tmp_path / "temporary"
    temporary.mkdir()
    writers = {"csv": ROWS.write_csv, "parquet": ROWS.write_parquet, "arrow": ROWS.write_ipc}
    writers.get(ending, ROWS.write_ndjson)(path)
    child = Path(__file__).with_name("interrupted_fits.py")
    found = subprocess.run(
        [sys.executable, str(child), str(path)],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(found.stdout)
    # A fit may be over before its Ctrl-C is due; none may go on after it, or end with another error.
    assert set(told["outcomes"]) <= {"stopped", "finished before it"}
    assert told["outcomes"].count("stopped") >= 3
    assert [o == "stopped" for o in told["outcomes"]] == [not changed for changed in told["changed"]]
    assert (told["ignored"], told["threads"], told["left"]) == ([], 1, [])


class InterruptedWhenClosed(ParquetFile):
    """A Parquet file whose reader gets Ctrl-C while it is closed before its end."""

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        for batch in super().batches(names, as_text, batch_rows):
            try:
                yield batch
            except GeneratorExit:
                signal.raise_signal(signal.SIGINT)
                raise


def test_ctrl_c_while_a_reader_of_some_rows_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first rows show the columns; the reader is then closed where Python ignores errors."""
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 100)
    path = tmp_path / "t.parquet"
    ROWS.write_parquet(path)
    file = InterruptedWhenClosed(FoundFiles((str(path),), str(path)))
    monkeypatch.setattr(file_source, "open_file", lambda path, columns: file)
    with pytest.raises(KeyboardInterrupt):
        bayou.Network("a -> b").fit(path)
