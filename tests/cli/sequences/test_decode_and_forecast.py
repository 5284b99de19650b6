"""bayou decode and bayou forecast."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bayou.sources.files import file_source
from tests.cli.conftest import Run, RunJson
from tests.cli.sequences.conftest import KEYS, parsed


def test_decoded_rows_keep_the_order_of_the_table(casino: Any, run: Run, run_json: RunJson) -> None:
    done = run("decode", "casino.bayou", "rolls.csv", *KEYS, "--proba")
    rows = parsed(done.stdout)
    found = casino.decode_rows("rolls.csv", sequence="sequence", time="time")
    assert [row["state"] for row in rows] == found.states
    assert [float(row["P(state=loaded)"]) for row in rows] == found.probabilities[:, 1].tolist()
    assert [int(row["time"]) for row in rows] == found.keys["time"]
    assert done.stderr == ""
    document = run_json("decode", "casino.bayou", "rolls.csv", *KEYS, "--method", "posterior")
    assert document["columns"] == ["sequence", "time", "state", "probability"]
    assert min(row[3] for row in document["rows"]) >= 0.5
    assert (
        "Saved the states of 240 rows"
        in run("decode", "casino.bayou", "rolls.csv", *KEYS, "-o", "s.csv").stdout
    )


def test_true_states_in_the_table_are_compared_or_on_request_known(casino: Any, run: Run) -> None:
    done = run("decode", "casino.bayou", "seqs.csv", *KEYS)
    assert done.stdout == run("decode", "casino.bayou", "rolls.csv", *KEYS).stdout
    truth = [row["state"] for row in parsed(Path("seqs.csv").read_text(encoding="utf-8"))]
    right = sum(row["state"] == true for row, true in zip(parsed(done.stdout), truth, strict=True))
    assert f"{right} of 240 rows" in done.stderr
    known = run("decode", "casino.bayou", "seqs.csv", *KEYS, "--known")
    assert [row["state"] for row in parsed(known.stdout)] == truth
    assert "(--known)" in run("decode", "casino.bayou", "rolls.csv", *KEYS, "--known", exit_code=1).stderr


def test_a_forecast_has_a_line_for_each_sequence_and_step(casino: Any, run: Run, run_json: RunJson) -> None:
    rows = parsed(run("forecast", "casino.bayou", "rolls.csv", *KEYS, "--steps", "3").stdout)
    expected = casino.forecast("rolls.csv", steps=3, sequence="sequence", time="time")
    assert [(row["sequence"], row["step"]) for row in rows[2:4]] == [("0", "3"), ("1", "1")]
    for k, row in enumerate(rows):
        ahead = expected[k // 3]
        assert float(row["P(state=fair)"]) == ahead.states[k % 3, 0]
        assert float(row["P(roll=6)"]) == ahead.symbols["roll"][k % 3, 5]
    assert run_json("forecast", "casino.bayou", "rolls.csv", *KEYS)["columns"][:2] == ["sequence", "step"]


def test_a_table_without_keys_is_one_sequence_and_a_note_says_so(casino: Any, run: Run) -> None:
    done = run("decode", "casino.bayou", "rolls.csv")
    assert parsed(done.stdout)[3]["row"] == "3"
    assert "name their column with --sequence" in done.stderr


def test_an_unseen_symbol_is_a_note(casino: Any, run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text("roll\n6\n7\n", encoding="utf-8")
    done = run("decode", "casino.bayou", "odd.csv")
    assert "'roll' has 7 in 1 of 2 rows" in done.stderr
    assert len(parsed(done.stdout)) == 2


def test_decode_needs_a_model_of_sequences(casino: Any, run: Run) -> None:
    assert "holds a network (bayou query)" in run("decode", "rain.bif", "rolls.csv", exit_code=1).stderr


@pytest.mark.parametrize(
    "line",
    [
        ("decode", "casino.bayou", "rolls.csv", *KEYS, "--proba"),
        ("forecast", "casino.bayou", "rolls.csv", *KEYS, "--steps", "2"),
        ("sample", "casino.bayou", "--length", "9", "--seed", "1"),
        ("sample", "casino.bayou", "--given", "rolls.csv", "--length", "2", "--seed", "1"),
    ],
)
def test_parquet_files_hold_what_csv_files_hold(casino: Any, run: Run, line: tuple[str, ...]) -> None:
    run(*line, "-o", "a.csv")
    run(*line, "-o", "a.parquet")
    left, right = pl.read_csv("a.csv"), pl.read_parquet("a.parquet")
    assert left.equals(right.cast(left.schema))
    assert {right[name].dtype for name in right.columns if name in ("time", "step", "roll")} == {pl.Int64}


def test_a_table_too_large_for_memory_is_decoded_to_a_file(
    casino: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("decode", "casino.bayou", "rolls.csv", *KEYS, "-o", "whole.csv")
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    assert "Saved the states" in run("decode", "casino.bayou", "rolls.csv", *KEYS, "-o", "parts.csv").stdout
    assert pl.read_csv("whole.csv").equals(pl.read_csv("parts.csv"))
