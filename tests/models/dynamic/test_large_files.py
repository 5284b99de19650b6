"""Files larger than memory: the same numbers to the last bit as in memory; fits that are stopped go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars as pl
import pytest
from tests.conformance.strangers.list_source import ListSource

import bayou
from bayou.errors import BadFile, BadQuestion, BayouWarning, ImpossibleEvidence
from bayou.sources.files import file_source as file
from bayou.statistics.rows import sequence_batch, whole_sequences
from bayou.temporal.templates.template_model import TemplateModel

KEYS: dict[str, Any] = {"sequence": "id", "time": "t"}
RAIN = "Rain -> Rain'; Rain -> Umbrella; Place -> Rain"


def world() -> bayou.DynamicNetwork:
    return bayou.DynamicNetwork(
        RAIN,
        constant=["Place"],
        states={"Place": ["dry", "wet"], "Rain": ["no", "yes"], "Umbrella": ["no", "yes"]},
        tables={
            "Place": [0.5, 0.5],
            "Rain": [[0.9, 0.1], [0.4, 0.6]],
            "Rain'": [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.1, 0.9]]],
            "Umbrella": [[0.8, 0.2], [0.1, 0.9]],
        },
    )


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """Rows of 40 sequences in no order, of which a file is streamed in small batches and parts."""
    chance = np.random.default_rng(3)
    columns: dict[str, list[Any]] = {"id": [], "t": [], "Place": [], "Rain": [], "Umbrella": []}
    for k, one in enumerate(world().sample(50, sequences=40, seed=2)):
        size = int(chance.integers(1, 50))
        columns["id"] += [f"s{k:02}"] * size
        columns["t"] += list(range(size))
        for name in ("Place", "Rain", "Umbrella"):
            columns[name] += one[name][:size]
    monkeypatch.setattr(sequence_batch, "ROWS_OF_PART", 100)
    monkeypatch.setattr(whole_sequences, "CHUNK_ROWS", 150)
    monkeypatch.setattr(whole_sequences, "LARGEST_HELD", 3000)
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file, "BATCH_ROWS", 123)
    order = chance.permutation(len(columns["id"])).tolist()
    return {name: [column[k] for k in order] for name, column in columns.items()}


def stored(table: dict[str, list[Any]], kind: str, folder: Path) -> Any:
    if kind == "source":
        return ListSource(table, 31)
    frame = pl.DataFrame(table)
    path = folder / kind
    if kind.endswith(".csv"):
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return path


def hidden_rain() -> bayou.DynamicNetwork:
    return bayou.DynamicNetwork(RAIN, constant=["Place"], states={"Rain": ["no", "yes"]})


@pytest.mark.parametrize("kind", ["rows.csv", "rows.parquet", "source"])
@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_fits_and_scores_are_those_in_memory(table: dict[str, list[Any]], tmp_path: Path, kind: str) -> None:
    data = stored(table, kind, tmp_path)
    plain = bayou.DynamicNetwork(RAIN, constant=["Place"])
    whole = bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(table, **KEYS)
    found = plain.fit(data, **KEYS)
    assert found.learning.method == "count"
    assert found.same_as(whole)
    assert np.array_equal(found.log_likelihoods(data, **KEYS), whole.log_likelihoods(table, **KEYS))
    assert found.score(data, **KEYS) == whole.score(table, **KEYS)
    gaps = {name: cells for name, cells in table.items() if name != "Rain"}
    holes = np.random.default_rng(1).random(len(gaps["id"])) < 0.1
    gaps["Umbrella"] = [None if hole else cell for cell, hole in zip(gaps["Umbrella"], holes, strict=True)]
    data = stored(gaps, kind, tmp_path)
    how: dict[str, Any] = {"max_iterations": 6, "restarts": 2, "seed": 4}
    whole, found = hidden_rain().fit(gaps, **KEYS, **how), hidden_rain().fit(data, **KEYS, **how)
    assert found.same_as(whole)
    assert found.learning.objectives == whole.learning.objectives
    assert found.learning.gaps == whole.learning.gaps
    assert found.learning.hidden == ("Rain",)
    assert found.partial_fit is not None


def test_weights_columns_that_were_set_and_more_sequences(
    table: dict[str, list[Any]], tmp_path: Path
) -> None:
    data = stored(table, "rows.parquet", tmp_path)
    weights = np.arange(1, 41) / 8
    for how in ({"weights": weights}, {"do": ["Umbrella"]}):
        whole = bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(table, **KEYS, **how)
        assert bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(data, **KEYS, **how).same_as(whole)
    numbers = (
        pandas.DataFrame(table).groupby("id")["t"].rank().tolist()
    )  # the fourth step is set, not observed
    shown = [None if number == 4 else cell for number, cell in zip(numbers, table["Umbrella"], strict=True)]
    pushed, do = dict(table, Umbrella=shown), {"Umbrella": {3: "yes"}}
    whole = bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(pushed, **KEYS, do=do)
    gone = stored(pushed, "pushed.parquet", tmp_path)
    assert bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(gone, **KEYS, do=do).same_as(whole)
    twice = bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(data, **KEYS).partial_fit(data, **KEYS)
    both = bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(table, **KEYS, weights=np.full(40, 2))
    assert twice.same_as(both)
    assert twice.forget(data, **KEYS).same_as(
        bayou.DynamicNetwork(RAIN, constant=["Place"]).fit(table, **KEYS)
    )


def test_messages_name_rows_and_sequences_of_the_whole_file(
    table: dict[str, list[Any]], tmp_path: Path
) -> None:
    net = world().set_cpt("Umbrella", [[1, 0], [0, 1]])
    calm = dict(table, Umbrella=table["Rain"])
    bad = max(range(len(calm["id"])), key=lambda k: (calm["id"][k], calm["t"][k]))
    calm["Umbrella"] = list(calm["Umbrella"])
    calm["Umbrella"][bad] = "no" if calm["Rain"][bad] == "yes" else "yes"
    logs = net.log_likelihoods(stored(calm, "rows.csv", tmp_path), **KEYS)
    assert np.flatnonzero(np.isneginf(logs)).tolist() == [39]
    gone = f"Sequence 39 .* step {calm['t'][bad]}"
    with pytest.raises(ImpossibleEvidence, match=gone):
        net.smooth(calm, **KEYS)
    with pytest.raises(BadQuestion, match=r"'Rain' has none in row 0"):
        hidden_rain().fit(stored({k: v for k, v in table.items() if k != "Rain"}, "rows.csv", tmp_path),
                          **KEYS, method="count")  # fmt: skip


class Stopped(Exception):
    pass


def stopped_after(monkeypatch: pytest.MonkeyPatch, steps: int, error: BaseException) -> None:
    right, calls = TemplateModel.expected_of, [0]

    def expected(*given: Any) -> Any:
        calls[0] += 1
        if calls[0] > steps:
            raise error
        return right(*given)

    monkeypatch.setattr(TemplateModel, "expected_of", expected)


@pytest.mark.parametrize("steps", [2, 9])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_stopped_fit_goes_on_to_the_same_result(
    steps: int, streamed: bool, table: dict[str, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: Any = {name: cells for name, cells in table.items() if name != "Rain"}
    rows = stored(rows, "rows.parquet", tmp_path) if streamed else rows
    checkpoint = tmp_path / "fit.bayou"
    how: dict[str, Any] = {**KEYS, "restarts": 2, "seed": 3, "tolerance": 1e-3}
    whole = hidden_rain().fit(rows, **how)
    with monkeypatch.context() as patched:
        stopped_after(patched, steps, Stopped())
        with pytest.raises(Stopped):
            hidden_rain().fit(rows, **how, checkpoint=checkpoint)
    assert isinstance(bayou.load(checkpoint), bayou.DynamicNetwork)
    again = hidden_rain().fit(rows, **how, checkpoint=checkpoint)
    assert again.same_as(whole)
    assert again.learning.objectives == whole.learning.objectives
    with pytest.raises(BadFile, match="another seed"):
        hidden_rain().fit(rows, **{**how, "seed": 5}, checkpoint=checkpoint)
    with pytest.raises(BadFile, match="other data"):
        hidden_rain().fit(rows, **how, do=["Umbrella"], checkpoint=checkpoint)


def test_ctrl_c_keeps_the_best_tables(table: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {name: cells for name, cells in table.items() if name != "Rain"}
    stopped_after(monkeypatch, 4, KeyboardInterrupt())
    with pytest.warns(BayouWarning, match="interrupted"):
        net = hidden_rain().fit(rows, **KEYS, tolerance=0)
    assert net.learning.verdict == "interrupted"
    monkeypatch.undo()
    assert np.isfinite(net.score(rows, **KEYS))


def test_counting_has_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(BadQuestion, match="checkpoint= is for EM"):
        hidden_rain().fit({"Rain": ["no"]}, method="count", checkpoint=tmp_path / "fit.bayou")
