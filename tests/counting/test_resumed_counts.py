"""A count that goes on reads only the first and the last table again, and gives the same bits."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

import bayou
from bayou.counting.interrupted_count import InterruptedCount
from bayou.errors import BadFile
from bayou.sources.files import file_source
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.text import text_file
from bayou.sources.files.typed import typed_file

ROWS, BATCH = 2_000, 100
ARCS = "ill -> smoke, visits; smoke -> pulse"


def table() -> pd.DataFrame:
    random = np.random.default_rng(5)
    ill = random.choice(["no", "yes"], ROWS)
    smoke = random.choice(["never", "once", "daily", 'a "pipe",\nor two'], ROWS).astype(object)
    smoke[1_500:] = np.where(smoke[1_500:] == "once", "late", smoke[1_500:])
    return pd.DataFrame(
        {
            "smoke": smoke,
            "visits": random.integers(0, 4, ROWS) + (ill == "yes"),
            "pulse": random.normal(70, 8, ROWS) + 5 * (ill == "yes"),
            "ill": ill,
        }
    )


def _parquet(folder: Path) -> Path:
    table().to_parquet(folder / "t.parquet", row_group_size=150)
    return folder / "t.parquet"


def _parts(folder: Path) -> Path:
    (folder / "parts").mkdir()
    for place, (first, end) in enumerate(((0, 730), (730, 1_040), (1_040, ROWS))):
        table()[first:end].to_parquet(folder / "parts" / f"{place}.parquet", row_group_size=150)
    return folder / "parts"


def _csv(folder: Path) -> Path:
    table().to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def _packed_csv(folder: Path) -> Path:
    (folder / "t.csv.gz").write_bytes(gzip.compress(table().to_csv(index=False).encode()))
    return folder / "t.csv.gz"


def _csv_with_empty_lines(folder: Path) -> Path:
    plain = table().assign(smoke=table()["smoke"].str.replace("\n", " "))
    lines = plain.to_csv(index=False).splitlines()
    (folder / "t.csv").write_text("\n".join([*lines[:50], "", "", *lines[50:]]) + "\n")
    return folder / "t.csv"


def _csv_parts(folder: Path) -> Path:
    (folder / "parts").mkdir()
    for place, (first, end) in enumerate(((0, 730), (730, ROWS))):
        table()[first:end].to_csv(folder / "parts" / f"{place}.csv", index=False)
    return folder / "parts"


def _json(folder: Path) -> Path:
    table().to_json(folder / "t.jsonl", orient="records", lines=True)
    return folder / "t.jsonl"


def _arrow(folder: Path) -> Path:
    pyarrow.feather.write_feather(pa.Table.from_pandas(table()), folder / "t.arrow", chunksize=150)
    return folder / "t.arrow"


FILES: dict[str, Callable[[Path], Path]] = {
    "parquet": _parquet,
    "parquet parts": _parts,
    "csv": _csv,
    "csv in gzip": _packed_csv,
    "csv with empty lines": _csv_with_empty_lines,
    "csv parts": _csv_parts,
    "json lines": _json,
    "arrow": _arrow,
}
SLOW = ("csv with empty lines",)
"""Files whose rows cannot be found by their lines: they are read again from the beginning."""


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_source, "BATCH_ROWS", BATCH)
    monkeypatch.setattr(file_source, "_ROW_BYTES", 1)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of every batch that duckdb hands over."""
    found: list[int] = []
    for module in (typed_file, text_file):
        original: Any = module.query_batches  # type: ignore[attr-defined]  # imported names are not exported

        def counting(*args: Any, original: Any = original) -> Iterator[Any]:
            for batch in original(*args):
                found.append(batch.rows)
                yield batch

        monkeypatch.setattr(module, "query_batches", counting)
    return found


def interrupted(monkeypatch: pytest.MonkeyPatch, tables: int, count: Callable[[], Any]) -> None:
    """Ctrl-C right after so many tables were counted."""
    original, seen = InterruptedCount.counted, []

    def stopping(self: InterruptedCount, *args: Any) -> None:
        original(self, *args)
        seen.append(1)
        if len(seen) == tables:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(InterruptedCount, "counted", stopping)
        with pytest.raises(KeyboardInterrupt):
            count()


MODELS = {
    "network": lambda: (bayou.Network(ARCS), {}),
    "naive Bayes": lambda: (bayou.NaiveBayes(), {"target": "ill"}),
    "TAN with learned cuts": lambda: (bayou.TAN(), {"target": "ill"}),
}


@pytest.mark.parametrize(
    ("kind", "model"),
    [(kind, "network") for kind in FILES]
    + [(kind, model) for kind in ("parquet", "csv") for model in MODELS if model != "network"],
)
def test_counted_rows_are_not_read_again(
    kind: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[int]
) -> None:
    path, kept = FILES[kind](tmp_path), tmp_path / "so-far.stats"
    chosen, how = MODELS[model]()
    expected = bayou.count(path, chosen, checkpoint=kept, **how)
    interrupted(monkeypatch, 12, lambda: bayou.count(path, chosen, checkpoint=kept, **how))
    interrupted(monkeypatch, 3, lambda: bayou.count(path, chosen, checkpoint=kept, **how))
    read.clear()
    found = bayou.count(path, chosen, checkpoint=kept, **how)
    assert found.same_as(expected)  # to the last bit
    assert not kept.exists()
    left = ROWS - 15 * BATCH
    if kind not in SLOW:
        assert sum(read) <= left + 4 * BATCH  # the first table, perhaps one read ahead; the last one counted
    else:
        assert sum(read) >= ROWS


def test_row_groups_before_the_place_are_not_read(tmp_path: Path) -> None:
    if not os.path.exists("/proc/self/io"):
        pytest.skip("only Linux counts the bytes that a process reads")
    random = np.random.default_rng(2)
    path, rows = tmp_path / "t.parquet", 1_000_000
    frame = pd.DataFrame({f"c{k}": random.integers(0, 250, rows).astype(np.uint8) for k in range(6)})
    frame.to_parquet(path, row_group_size=50_000)
    file = open_file(path, None)

    def reading(first_row: int) -> tuple[int, int]:
        before = int(Path("/proc/self/io").read_text().split()[1])
        found = sum(batch.rows for batch in file.batches_from(first_row, None, (), 50_000))
        return found, int(Path("/proc/self/io").read_text().split()[1]) - before

    whole, every = reading(0)
    rest, some = reading(900_000)
    assert (whole, rest) == (rows, 100_000)
    assert some < 0.25 * every


def test_batches_that_were_counted_are_passed_over_by_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    class Batch(dict[str, Any]):
        """A table that notes when it is read."""

        def __init__(self, number: int) -> None:
            super().__init__(table()[number * BATCH : (number + 1) * BATCH].to_dict("list"))
            self.number = number

        def __iter__(self) -> Iterator[str]:
            made.append(self.number)
            return super().__iter__()

    kept = tmp_path / "so-far.stats"
    net = bayou.Network(ARCS)

    def counted() -> Any:
        return bayou.count(bayou.from_batches(map(Batch, range(ROWS // BATCH))), net, checkpoint=kept)

    expected = counted()
    interrupted(monkeypatch, 14, counted)
    made.clear()
    assert counted().same_as(expected)
    assert set(made) == {0, *range(13, 20)}


def test_a_repaired_file_is_compared_from_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[int]
) -> None:
    path, kept = _csv(tmp_path), tmp_path / "so-far.stats"
    net = bayou.Network(ARCS)
    interrupted(monkeypatch, 12, lambda: bayou.count(path, net, checkpoint=kept))
    rows = table()
    rows.loc[1_700, "smoke"] = "repaired"
    rows.to_csv(path, index=False)
    read.clear()
    found = bayou.count(path, net, checkpoint=kept)
    assert sum(read) >= ROWS
    assert found.same_as(bayou.count(path, net, checkpoint=kept))

    interrupted(monkeypatch, 12, lambda: bayou.count(path, net, checkpoint=kept))
    rows.loc[17, "smoke"] = "counted as another"
    rows.to_csv(path, index=False)
    with pytest.raises(BadFile, match=r"1,200 rows.* have changed since"):
        bayou.count(path, net, checkpoint=kept)
    rows[:500].to_csv(path, index=False)
    with pytest.raises(BadFile, match=r"1,200 rows.* have changed since"):
        bayou.count(path, net, checkpoint=kept)


def test_files_of_a_pattern_that_changed_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _csv_parts(tmp_path)
    pattern, kept = str(tmp_path / "parts" / "*.csv"), tmp_path / "so-far.stats"
    net = bayou.Network(ARCS)
    interrupted(monkeypatch, 12, lambda: bayou.count(pattern, net, checkpoint=kept))
    rows = table()[:730]
    rows.loc[17, "smoke"] = "counted as another"
    rows.to_csv(tmp_path / "parts" / "0.csv", index=False)
    with pytest.raises(BadFile, match=r"1,200 rows.* have changed since"):
        bayou.count(pattern, net, checkpoint=kept)


def test_other_options_are_other_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kept = _csv(tmp_path), tmp_path / "so-far.stats"
    net = bayou.Network(ARCS)
    interrupted(monkeypatch, 12, lambda: bayou.count(bayou.from_file(path, na="once"), net, checkpoint=kept))
    with pytest.raises(BadFile, match=r"t\.csv, na=\('once',\)"):
        bayou.count(path, net, checkpoint=kept)


def test_rows_that_were_passed_over_cannot_be_compared_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = _csv(tmp_path), tmp_path / "so-far.stats"
    net = bayou.Network(ARCS)
    interrupted(monkeypatch, 5, lambda: bayou.count(path, net, checkpoint=kept))
    interrupted(monkeypatch, 5, lambda: bayou.count(path, net, checkpoint=kept))
    table().to_csv(path, index=False)
    os.utime(path, ns=(1, 1))
    with pytest.raises(BadFile, match="Delete it"):
        bayou.count(path, net, checkpoint=kept)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bayou.formats.bundle import read_bundle, write_bundle

    path, kept = _csv(tmp_path), tmp_path / "so-far.stats"
    interrupted(monkeypatch, 5, lambda: bayou.count(path, bayou.Network(ARCS), checkpoint=kept))
    kind, state = read_bundle(kept)
    for damage in ({"counted": {"rows": 3}}, {"column_kinds": {"1": {"nonsense": 2}}}):
        write_bundle(kept, kind, {**state, "progress": {**state["progress"], **damage}})
        with pytest.raises(BadFile):
            bayou.count(path, bayou.Network(ARCS), checkpoint=kept)
