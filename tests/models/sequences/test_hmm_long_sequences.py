"""One sequence that is longer than memory: blocks of its rows give the numbers of the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.sources.files import file_source as file
from bayou.statistics.rows import sequence_batch, spilled_sequences, whole_sequences
from bayou.temporal import chain_starts, long_sequence

ROWS = 1000


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are streamed, at most about 2,000 bytes of rows are held, and a block has at most 90 rows."""
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file, "BATCH_ROWS", 70)
    monkeypatch.setattr(whole_sequences, "LARGEST_HELD", 2000)
    monkeypatch.setattr(whole_sequences, "CHUNK_ROWS", 150)
    monkeypatch.setattr(spilled_sequences, "_SAMPLED_TIMES", 100)
    monkeypatch.setattr(sequence_batch, "ROWS_OF_PART", 90)
    monkeypatch.setattr(long_sequence, "LARGEST_CELLS", 200)
    monkeypatch.setattr(chain_starts, "ROWS", 300)


def casino() -> bayou.HMM:
    return bayou.examples.casino()


def gaussian() -> bayou.HMM:
    hmm = bayou.HMM(3, {"x": "gaussian", "y": "gaussian", "roll": [1, 2, 3]})
    hmm = hmm.set_start([0.2, 0.3, 0.5]).set_transition([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.2, 0.1, 0.7]])
    hmm = hmm.set_gaussian([[0, 0], [2, 1], [-1, 3]], [np.eye(2), [[1, 0.5], [0.5, 2]], np.eye(2) * 0.5])
    return hmm.set_emission("roll", [[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])


def ending() -> bayou.HMM:
    hmm = bayou.HMM(["fair", "loaded"], {"roll": [1, 2, 3, 4, 5, 6]}, ends=True)
    hmm = hmm.set_start([0.5, 0.5]).set_transition([[0.95, 0.05], [0.1, 0.9]]).set_end([0.001, 0.01])
    return hmm.set_emission("roll", [[1 / 6] * 6, [0.1] * 5 + [0.5]])


def one_way() -> bayou.HMM:
    """A state that is left for ever, and rows that look as if it had been left and then come back to it."""
    hmm = bayou.HMM(2, {"x": "gaussian"}).set_start([1, 0]).set_transition([[0.999, 0.001], [0, 1]])
    return hmm.set_gaussian([[0.0], [5.0]], [[0.1], [0.1]])


def lasting() -> bayou.HMM:
    hmm = bayou.HMM(["fair", "loaded"], {"roll": [1, 2, 3, 4, 5, 6]}, duration={"fair": 4, "loaded": (2, 12)})
    hmm = hmm.set_start([0.5, 0.5]).set_transition([[0.9, 0.1], [1, 0]])
    return hmm.set_emission("roll", [[0.16, 0.17, 0.18, 0.14, 0.15, 0.2], [0.12, 0.1, 0.09, 0.11, 0.08, 0.5]])


MODELS = {"casino": casino, "gaussian": gaussian, "ending": ending, "one way": one_way, "lasting": lasting}


def drawn(name: str, rows: int = ROWS) -> dict[str, list[Any]]:
    """The columns of one sequence, with gaps, and its hidden states."""
    if name == "one way":
        x = np.random.default_rng(1).normal(0, 0.3, rows)
        x[rows // 4 : rows // 2] += 5  # 250 rows that look like the other state, but are not the end
        return {"x": x.tolist(), "state": [0] * rows}
    model = {"ending": casino, "lasting": casino}.get(name, MODELS[name])()
    columns = model.sample(rows, seed=3)
    chance = np.random.default_rng(7)
    seen = next(key for key in columns if key != "state")
    columns[seen] = [
        None if u < 0.05 else cell for cell, u in zip(columns[seen], chance.random(rows), strict=True)
    ]
    return columns


def saved(columns: dict[str, list[Any]], path: Path, *, timed: bool = True) -> tuple[Path, dict[str, Any]]:
    """A file whose rows are in no order, with a column of times; or in order, without times."""
    order = np.random.default_rng(5).permutation(len(columns["state"])).tolist()
    if not timed:
        pl.DataFrame({k: v for k, v in columns.items() if k != "state"}).write_parquet(path)
        return path, {}
    table: dict[str, list[Any]] = {"t": [0.5 * k for k in order]}
    table |= {name: [cells[k] for k in order] for name, cells in columns.items() if name != "state"}
    pl.DataFrame(table).write_parquet(path)
    return path, {"time": "t"}


def in_memory(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: cells for name, cells in columns.items() if name != "state"}


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_answers_are_those_of_the_sequence_in_memory(
    small_blocks: None, tmp_path: Path, name: str, timed: bool
) -> None:
    columns, hmm = drawn(name), MODELS[name]()
    path, how = saved(columns, tmp_path / "rows.parquet", timed=timed)
    rows = in_memory(columns)
    expected = hmm.log_likelihood(rows)
    assert hmm.log_likelihood(path, **how) == pytest.approx(expected, rel=1e-11)
    assert hmm.bic(path, **how) == pytest.approx(hmm.bic(rows), rel=1e-11)
    assert np.allclose(hmm.forecast(path, **how).states, hmm.forecast(rows).states, atol=1e-12)
    order = [int(2 * t) for t in pl.read_parquet(path)["t"].to_list()] if timed else list(range(ROWS))
    for method in ("viterbi", "posterior"):
        out = hmm.decode_rows(
            path, **how, method=method, out=tmp_path / f"{method}.parquet", probabilities=True
        )
        found = pl.read_parquet(out)
        best = hmm.decode(rows, method=method)
        states = [found["state"][int(k)] for k in np.argsort(order)]
        assert states == list(best)
        shares = hmm.smooth(rows).probabilities[order]
        for code, state in enumerate(hmm.states):
            assert np.allclose(found[f"P(state={state})"].to_numpy(), shares[:, code], atol=1e-10)


@pytest.mark.parametrize("method", ["baum-welch", "viterbi"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_steps_of_learning_are_those_in_memory(
    small_blocks: None, tmp_path: Path, name: str, method: str
) -> None:
    columns = drawn(name)
    path, how = saved(columns, tmp_path / "rows.parquet")
    options: dict[str, Any] = {"start": "present", "method": method, "max_iterations": 4, "weights": [2.5]}
    expected = MODELS[name]().fit([in_memory(columns)], **options)
    found = MODELS[name]().fit(path, **how, **options)
    assert found.learning.rows == ROWS
    assert np.allclose(found.learning.objectives, expected.learning.objectives, rtol=1e-11)
    assert np.allclose(found.transition, expected.transition, atol=1e-10)
    assert np.allclose(found.start, expected.start, atol=1e-10)
    for column in found.chain.columns:
        one, other = found.emission(column), expected.emission(column)
        for part in ("values", "intercept", "variance"):
            if hasattr(one, part):
                assert np.allclose(getattr(one, part), getattr(other, part), rtol=1e-9, atol=1e-10)
    if name == "ending":
        assert np.allclose(found.end, expected.end, atol=1e-12)
    assert found.fitted is not None
    assert found.fitted.statistics.rows == 2.5
    more = found.partial_fit(path, **how)
    assert np.allclose(more.transition, expected.partial_fit([in_memory(columns)]).transition, atol=1e-9)


@pytest.mark.parametrize("known", ["all", "some"])
@pytest.mark.filterwarnings("ignore:Learning stopped")
@pytest.mark.usefixtures("few_starts")
def test_long_and_short_sequences_with_known_states(small_blocks: None, tmp_path: Path, known: str) -> None:
    columns: dict[str, list[Any]] = {"id": [], "t": [], "roll": [], "state": []}
    for k, size in enumerate([40, 700, 5, 300, 33]):
        one = casino().sample(size, seed=k)
        columns["id"] += [f"s{k}"] * size
        columns["t"] += list(range(size))
        columns["roll"] += one["roll"]
        columns["state"] += one["state"]
    if known == "some":
        columns["state"] = [state if k % 3 else None for k, state in enumerate(columns["state"])]
    order = np.random.default_rng(5).permutation(len(columns["id"])).tolist()
    shuffled = {name: [cells[k] for k in order] for name, cells in columns.items()}
    path = tmp_path / "rows.parquet"
    pl.DataFrame(shuffled).write_parquet(path)
    keys: dict[str, Any] = {"sequence": "id", "time": "t"}
    expected = bayou.HMM(["fair", "loaded"]).fit(columns, **keys, max_iterations=3)
    found = bayou.HMM(["fair", "loaded"]).fit(path, **keys, max_iterations=3)
    assert found.learning.method == expected.learning.method == ("count" if known == "all" else "em")
    assert np.allclose(found.transition, expected.transition, atol=1e-9)
    assert np.allclose(found.start, expected.start, atol=1e-9)
    logs = found.log_likelihoods(path, **keys)
    assert np.allclose(logs, found.log_likelihoods(columns, **keys), rtol=1e-11)
    ahead, same = found.forecast(path, **keys), found.forecast(columns, **keys)
    assert len(ahead) == 5
    assert all(np.allclose(one.states, two.states) for one, two in zip(ahead, same, strict=True))
    if known == "all":
        assert found.same_as(expected)


def test_durations_of_a_long_sequence_are_what_counting_cannot_learn(
    small_blocks: None, tmp_path: Path
) -> None:
    drawn = casino().sample(ROWS, seed=1)
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"roll": drawn["roll"], "state": drawn["state"]}).write_parquet(path)
    with pytest.raises(BadQuestion, match=r"duration= .* does not fit into memory"):
        bayou.HMM(["fair", "loaded"], duration=2).fit(path, method="count")


def test_an_impossible_row_of_a_long_sequence_is_named(small_blocks: None, tmp_path: Path) -> None:
    hmm = bayou.HMM(2, {"x": [0, 1]}).set_start([1, 0]).set_transition([[1, 0], [0, 1]])
    hmm = hmm.set_emission("x", [[1, 0], [0, 1]])
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"x": [0] * 777 + [1] * 223}).write_parquet(path)
    assert hmm.log_likelihood(path) == -np.inf
    with pytest.raises(ImpossibleEvidence, match="at its step 777"):
        hmm.decode_rows(path, out=tmp_path / "out.csv")


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_a_carried_message_is_that_of_the_reference(best: bool, backward: bool) -> None:
    from bayou._native import carry_message
    from bayou._native.reference import all_kernels as reference

    chance = np.random.default_rng(1)
    transition = chance.dirichlet(np.ones(3), 3)
    transition[0, 2] = 0.0
    table = np.ascontiguousarray(np.vstack([chance.dirichlet(np.ones(4), 3).T, np.ones(3)]))
    codes = chance.integers(0, 5, 40).astype(np.uint8)
    logs = chance.normal(size=(40, 3))
    message = np.array([-1.0, -900.0, -np.inf])
    how: dict[str, Any] = {"backward": backward, "best": best}
    arguments = (message, transition, np.array([0, 40]), [codes], [table], logs)
    found, plain = carry_message(*arguments, **how), reference.carry_message(*arguments, **how)
    assert np.allclose(found[0], plain[0], rtol=1e-12)
    assert found[1] == pytest.approx(plain[1], rel=1e-14)


def test_rows_of_long_sequences_may_take_turns(small_blocks: None, tmp_path: Path) -> None:
    drawn = casino().sample(ROWS, sequences=2, seed=3)
    turns = [(name, step, drawn[k]["roll"][step]) for step in range(ROWS) for k, name in enumerate("ab")]
    path = tmp_path / "turns.csv"
    pl.DataFrame(turns, schema=["id", "t", "roll"], orient="row").write_csv(path)
    found = casino().log_likelihoods(path, sequence="id", time="t")
    np.testing.assert_allclose(found, casino().log_likelihoods([one["roll"] for one in drawn]), rtol=1e-12)
