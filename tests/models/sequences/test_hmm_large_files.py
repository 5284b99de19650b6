"""Files larger than memory: the same numbers to the last bit as from rows in memory, however the rows lie."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.conformance.strangers.list_source import ListSource

import bayou
from bayou.errors import BadData
from bayou.sources.files import file_source as file
from bayou.statistics.rows import sequence_batch, whole_sequences
from bayou.temporal import chain_starts
from bayou.temporal.stored_sequences import StoredSequences

KEYS: dict[str, Any] = {"sequence": "id", "time": "t"}


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, few_starts: None) -> dict[str, list[Any]]:
    """Rows of 14 sequences in no order, with gaps, of which a file is streamed in small batches and parts."""
    chance = np.random.default_rng(3)
    columns: dict[str, list[Any]] = {"id": [], "t": [], "roll": [], "x": [], "state": []}
    for k, one in enumerate(bayou.examples.casino().sample(60, sequences=14, seed=2)):
        size = int(chance.integers(1, 60))
        columns["id"] += [f"s{k}"] * size
        columns["t"] += list(range(size))
        rolls = zip(one["roll"][:size], chance.random(size), strict=True)
        columns["roll"] += [None if u < 0.05 else roll for roll, u in rolls]
        loaded = np.array([state == "loaded" for state in one["state"][:size]])
        numbers = zip(chance.normal(2.0 * loaded).tolist(), chance.random(size), strict=True)
        columns["x"] += [None if u < 0.05 else x for x, u in numbers]
        columns["state"] += one["state"][:size]
    monkeypatch.setattr(sequence_batch, "ROWS_OF_PART", 100)
    monkeypatch.setattr(chain_starts, "ROWS", 200)
    monkeypatch.setattr(whole_sequences, "CHUNK_ROWS", 150)
    monkeypatch.setattr(whole_sequences, "LARGEST_HELD", 3000)
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file, "BATCH_ROWS", 123)
    order = chance.permutation(len(columns["id"])).tolist()
    return {name: [column[k] for k in order] for name, column in columns.items()}


def shuffled(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    order = np.random.default_rng(9).permutation(len(table["id"])).tolist()
    return {name: [column[k] for k in order] for name, column in table.items()}


def without(table: dict[str, list[Any]], *names: str) -> dict[str, list[Any]]:
    return {name: column for name, column in table.items() if name not in names}


def saved(table: dict[str, list[Any]], path: Path) -> Path:
    if path.suffix == ".csv":
        pd.DataFrame(table).astype({"roll": "Int64"} if "roll" in table else {}).to_csv(path, index=False)
    else:
        pl.DataFrame(table).write_parquet(path)
    return path


@pytest.mark.parametrize(
    "options",
    [
        {"method": "baum-welch", "max_iterations": 5},
        {"max_iterations": 4, "restarts": 2, "seed": 5},
        {"method": "viterbi", "max_iterations": 3},
    ],
)
@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_a_fit_on_a_streamed_file_is_that_in_memory_to_the_last_bit(
    table: dict[str, list[Any]], tmp_path: Path, options: dict[str, Any]
) -> None:
    hidden = without(table, "state")
    emissions = {"roll": [1, 2, 3, 4, 5, 6], "x": "gaussian"}
    expected = bayou.HMM(2, emissions).fit(hidden, **KEYS, **options)
    logs, bic = expected.log_likelihoods(hidden, **KEYS), expected.bic(hidden, **KEYS)
    same = expected.forecast(hidden, **KEYS)
    for kind in ("rows.csv", "rows.parquet", "source"):
        rows = shuffled(hidden)
        data = ListSource(rows, 31) if kind == "source" else saved(rows, tmp_path / kind)
        found = bayou.HMM(2, emissions).fit(data, **KEYS, **options)
        assert found.same_as(expected), kind
        assert found.learning.objectives == expected.learning.objectives, kind
        assert found.learning.rows == len(table["id"]), kind
        assert np.array_equal(found.log_likelihoods(data, **KEYS), logs), kind
        assert found.bic(data, **KEYS) == bic, kind
        ahead = found.forecast(data, **KEYS)
        assert all(np.array_equal(one.states, two.states) for one, two in zip(ahead, same, strict=True)), kind


@pytest.mark.parametrize("known", ["all", "some"])
@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_known_states_of_a_streamed_file_are_used(
    table: dict[str, list[Any]], tmp_path: Path, known: str
) -> None:
    if known == "some":
        table["state"] = [state if k % 3 else None for k, state in enumerate(table["state"])]
    path = saved(shuffled(table), tmp_path / "rows.parquet")
    expected = bayou.HMM(["fair", "loaded"]).fit(table, **KEYS, max_iterations=3)
    found = bayou.HMM(["fair", "loaded"]).fit(path, **KEYS, max_iterations=3)
    assert found.same_as(expected)
    assert found.learning.method == expected.learning.method == ("count" if known == "all" else "em")
    assert bayou.HMM().fit(path, **KEYS, max_iterations=3).states == ("fair", "loaded")


def test_the_symbols_of_all_rows_are_known_not_only_those_of_the_first_batch(
    tmp_path: Path, table: Any
) -> None:
    names = [f"s{k // 60}" for k in range(300)]
    rows = {"id": names, "t": list(range(300)), "x": ["n", "y"] * 149 + ["late", "y"]}
    path = saved(rows, tmp_path / "rows.csv")
    assert bayou.HMM(2).fit(path, **KEYS, seed=1).same_as(bayou.HMM(2).fit(rows, **KEYS, seed=1))


@pytest.mark.parametrize("target", ["states.csv", "states.parquet"])
def test_decoded_rows_are_written_in_the_order_of_the_table(
    table: dict[str, list[Any]], tmp_path: Path, target: str
) -> None:
    casino = bayou.examples.casino()
    rows = without(table, "x", "state")
    path, out = saved(rows, tmp_path / "rows.parquet"), tmp_path / target
    assert casino.decode_rows(path, **KEYS, out=out, probabilities=True) == out
    found = pl.read_csv(out) if target.endswith(".csv") else pl.read_parquet(out)
    expected = casino.decode_rows(rows, **KEYS)
    assert found["id"].to_list() == table["id"]
    assert found["t"].to_list() == table["t"]
    assert found["state"].to_list() == expected.states
    assert found["probability"].to_list() == expected.probability.tolist()
    assert found["P(state=loaded)"].to_list() == expected.probabilities[:, 1].tolist()
    one = {"roll": rows["roll"]}
    casino.decode_rows(one, out=out, method="posterior")
    again = pl.read_csv(out) if target.endswith(".csv") else pl.read_parquet(out)
    assert again["row"].to_list() == list(range(len(table["id"])))
    assert again["state"].to_list() == casino.decode_rows(one, method="posterior").states


def test_a_warning_names_unseen_values_once(table: dict[str, list[Any]], tmp_path: Path) -> None:
    rows = without(table, "x", "state")
    rows["roll"] = [7 if roll == 1 else roll for roll in rows["roll"]]
    count, path = rows["roll"].count(7), saved(rows, tmp_path / "rows.parquet")
    with pytest.warns(
        bayou.errors.BayouWarning, match=rf"'roll' has 7 in {count} of {len(rows['id'])} rows"
    ) as given:
        bayou.examples.casino().score(path, **KEYS)
    assert len(given) == 1


def test_jumps_in_time_are_steps_in_a_streamed_file_too(table: dict[str, list[Any]], tmp_path: Path) -> None:
    rows = without(table, "x", "state")
    rows["t"] = [3 * t + 1 for t in rows["t"]]
    path, casino = saved(rows, tmp_path / "rows.parquet"), bayou.examples.casino()
    expected = casino.log_likelihoods(rows, **KEYS, gaps="missing")
    assert np.array_equal(casino.log_likelihoods(path, **KEYS, gaps="missing"), expected)
    assert not np.array_equal(casino.log_likelihoods(rows, **KEYS), expected)


def test_temporary_files_are_deleted(table: dict[str, list[Any]], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = saved(without(table, "state"), tmp_path / "rows.parquet")
    bayou.HMM(2).fit(path, **KEYS, max_iterations=500)
    gc.collect()
    assert [one.name for one in tmp_path.iterdir()] == ["rows.parquet"]


def test_errors_name_the_row_of_the_file(table: dict[str, list[Any]], tmp_path: Path) -> None:
    rows = without(table, "state")
    rows["x"][17] = float("inf")
    path = saved(rows, tmp_path / "rows.parquet")
    with pytest.raises(BadData, match="'x' is infinite in row 17 "):
        bayou.HMM(2).fit(path, **KEYS)


def test_stored_sequences_are_those_that_were_added(table: dict[str, list[Any]], tmp_path: Path) -> None:
    source = bayou.sources.open_source(without(table, "x"))
    variables = [source.variable("roll"), source.variable("state")]
    stored = StoredSequences(variables)
    rows = source.map_sequences(stored.add, sequence="id", time="t", variables=variables)
    whole = whole_sequences.all_sequences(source, "id", "t", variables)
    assert stored.rows == rows == whole.rows
    assert np.array_equal(stored.starts, whole.starts)
    which = np.array([5, 0, 13, 5])
    for mine, theirs in [
        (stored.only(which, 7), whole.only(which, 7)),
        *zip(stored.parts(), whole.parts(), strict=True),
    ]:
        assert np.array_equal(mine.starts, theirs.starts)
        assert np.array_equal(mine.batch.standing, theirs.batch.standing)
        for name in ("roll", "state"):
            assert np.array_equal(mine.batch.codes[name], theirs.batch.codes[name])
