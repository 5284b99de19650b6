"""Linear Gaussian series: files larger than memory, checkpoints, and batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.errors import BadData, BadFile, BadQuestion
from bayou.fitting import checkpoint as checkpoint_file
from bayou.sources.files import file_source as file
from bayou.statistics.rows import sequence_batch, whole_sequences

KEYS: dict[str, Any] = {"sequence": "id", "time": "t"}


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are streamed, and a part has at most 100 rows."""
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file, "BATCH_ROWS", 70)
    monkeypatch.setattr(whole_sequences, "LARGEST_HELD", 3000)
    monkeypatch.setattr(whole_sequences, "CHUNK_ROWS", 150)
    monkeypatch.setattr(sequence_batch, "ROWS_OF_PART", 100)


def rows_of(sizes: list[int]) -> dict[str, list[Any]]:
    """Series of a level, with gaps, and rows in no order."""
    columns: dict[str, list[Any]] = {"id": [], "t": [], "y": []}
    walk = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=4)
    for k, size in enumerate(sizes):
        y = walk.sample(size, seed=k)["y"]
        columns["id"] += [f"s{k:02d}"] * size
        columns["t"] += list(range(size))
        columns["y"] += [None if step % 11 == 5 else value for step, value in enumerate(y)]
    order = np.random.default_rng(1).permutation(len(columns["id"])).tolist()
    return {name: [cells[k] for k in order] for name, cells in columns.items()}


@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_a_streamed_file_gives_the_numbers_of_rows_in_memory(streamed: None, tmp_path: Path) -> None:
    table = rows_of([60, 30, 80, 55, 40, 90, 20])
    path = tmp_path / "rows.parquet"
    pl.DataFrame(table).write_parquet(path)
    expected = bayou.KalmanModel.local_trend().fit(table, **KEYS, max_iterations=15)
    found = bayou.KalmanModel.local_trend().fit(path, **KEYS, max_iterations=15)
    assert found.same_as(expected)
    assert found.learning.objectives == expected.learning.objectives
    assert found.learning.rows == len(table["id"])
    assert found.learning.gaps == expected.learning.gaps == sum(y is None for y in table["y"])
    assert np.array_equal(found.log_likelihoods(path, **KEYS), expected.log_likelihoods(table, **KEYS))
    assert found.bic(path, **KEYS) == pytest.approx(expected.bic(table, **KEYS), rel=1e-14)
    ahead, same = found.forecast(path, 3, **KEYS), expected.forecast(table, 3, **KEYS)
    assert len(ahead) == 7
    assert all(np.array_equal(one.means, two.means) for one, two in zip(ahead, same, strict=True))


@pytest.mark.parametrize("timed", [True, False])
def test_one_series_longer_than_memory_is_scored_in_blocks(
    streamed: None, tmp_path: Path, timed: bool
) -> None:
    table = rows_of([900])
    del table["id"]
    how: dict[str, Any] = {"time": "t"}
    if not timed:
        order = np.argsort(table["t"]).tolist()
        table, how = {"y": [table["y"][k] for k in order]}, {}
    path = tmp_path / "rows.parquet"
    pl.DataFrame(table).write_parquet(path)
    model = bayou.KalmanModel.local_trend(0.4, 0.01, 2.0)
    assert model.score(path, **how) == pytest.approx(model.score(table, **how), rel=1e-12)
    assert model.bic(path, **how) == pytest.approx(model.bic(table, **how), rel=1e-12)
    ahead, same = model.forecast(path, 2, **how), model.forecast(table, 2, **how)
    assert np.allclose(ahead.means, same.means, rtol=1e-10)
    assert np.allclose(ahead.deviations, same.deviations, rtol=1e-10)
    learned = bayou.KalmanModel.local_level().fit(path, **how)
    assert learned.same_as(bayou.KalmanModel.local_level().fit(table, **how))


def test_a_step_of_a_batch_is_the_m_step_of_mixed_moments() -> None:
    walk = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=4)
    batches = [[walk.sample(50, seed=3 * k + j)["y"] for j in range(3)] for k in range(2)]
    found = bayou.KalmanModel.local_level(start_variance=4).fit(batches[0])
    before = found.fitted
    assert before is not None
    # The noise of a level is the mean square of its steps: mixed by the share 2^−0.6 of the first batch.
    model = found.copy()
    smooth = [bayou.KalmanModel.smooth(model, one) for one in batches[1]]
    share = 2**-0.6
    residuals = [
        np.sum((np.array(y) - s.means[:, 0]) ** 2 + s.covariances[:, 0, 0])
        for y, s in zip(batches[1], smooth, strict=True)
    ]
    fresh = sum(residuals) / 150
    old = float(before.problem.maximised(before.system, _expectation(before)).observation_noise.item())
    more = found.partial_fit(batches[1])
    assert more.observation_noise.item() == pytest.approx((1 - share) * old + share * fresh, rel=1e-9)
    assert more.learning.method == "stepwise"
    assert more.learning.rows == pytest.approx(300)


def _expectation(before: Any) -> Any:
    from bayou.inference.expectation.expected_statistics import Expectation

    return Expectation(0.0, before.statistics)


def test_many_batches_come_close_to_one_fit_and_files_keep_them(tmp_path: Path) -> None:
    walk = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=1)
    batches = [walk.sample(300, seed=k)["y"] for k in range(30)]
    found = bayou.KalmanModel.local_level(start_variance=1)
    for k, batch in enumerate(batches):
        found.partial_fit(batch)
        if k == 15:
            found.save(tmp_path / "half.bayou")
            again = bayou.load(tmp_path / "half.bayou")
            assert again.same_as(found)
            found = again
    whole = bayou.KalmanModel.local_level(start_variance=1).fit(batches)
    assert found.transition_noise.item() == pytest.approx(whole.transition_noise.item(), rel=0.3)
    assert found.observation_noise.item() == pytest.approx(whole.observation_noise.item(), rel=0.1)
    with pytest.raises(BadQuestion, match="restarts"):
        found.partial_fit(batches[0], restarts=3)
    with pytest.raises(BadData, match="no row"):
        found.partial_fit(np.zeros((0, 1)))


class Stop(Exception):
    """Stands for whatever ends a process."""


@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_a_stopped_fit_goes_on_to_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_file, "EVERY", 0.0)
    walk = bayou.KalmanModel.local_trend(0.5, 0.05, 2.0, start_variance=4)
    data = [walk.sample(80, seed=k)["y"] for k in range(4)]
    options: dict[str, Any] = {"restarts": 2, "seed": 3, "max_iterations": 25}
    expected = bayou.KalmanModel.local_trend(start_variance=4).fit(data, **options)
    path = tmp_path / "half.bayou"
    writes = {"left": 12}
    write = checkpoint_file.write_bundle

    def failing(*arguments: Any) -> None:
        write(*arguments)
        writes["left"] -= 1
        if writes["left"] == 0:
            raise Stop

    monkeypatch.setattr(checkpoint_file, "write_bundle", failing)
    with pytest.raises(Stop):
        bayou.KalmanModel.local_trend(start_variance=4).fit(data, **options, checkpoint=path)
    monkeypatch.setattr(checkpoint_file, "write_bundle", write)
    half = bayou.load(path)
    assert half.states == ("level", "slope")
    found = bayou.KalmanModel.local_trend(start_variance=4).fit(data, **options, checkpoint=path)
    assert found.same_as(expected)
    assert found.learning.objectives == expected.learning.objectives
    for other, said in (
        ({"seed": 4}, "another seed"),
        ({"keep": ["observation_noise"]}, "another shapes"),
        ({"keep": ["start_mean"]}, "another keep"),
    ):
        with pytest.raises(BadFile, match=said):
            bayou.KalmanModel.local_trend(start_variance=4).fit(data, **{**options, **other}, checkpoint=path)
    with pytest.raises(BadFile, match="other data"):
        bayou.KalmanModel.local_trend(start_variance=4).fit(data[:3], **options, checkpoint=path)
    with pytest.raises(BadFile, match="states, columns or inputs differ"):
        bayou.KalmanModel.local_level(start_variance=4).fit(data, **options, checkpoint=path)


def test_a_damaged_file_is_refused() -> None:
    model = bayou.KalmanModel.local_level().fit([1.0, 2.0, 1.5, 3.0, 2.0])
    state = model.state()
    for part, value in (("steps", -1), ("shapes", {"transition_noise": "odd"}), ("free", {})):
        with pytest.raises((BadFile, KeyError)):
            bayou.KalmanModel.from_state({**state, "learned": {**state["learned"], part: value}})
    assert bayou.KalmanModel.from_state({k: v for k, v in state.items() if k != "learned"}).same_as(model)
