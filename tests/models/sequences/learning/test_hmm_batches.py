"""``partial_fit``: exact where states are known, stepwise EM elsewhere, against formulas in plain numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.models.sequences.chain_oracle import Oracle, normalised

import bayou
from bayou.errors import BadData, BadQuestion, BadStatistics


def statistics_of(oracle: Oracle, sequences: list) -> dict[str, np.ndarray]:
    """Expected counts and moments, by the definition."""
    found = {"first": 0.0, "moves": 0.0, "table": np.zeros((2, 3)), "n": 0.0, "sum": 0.0, "square": 0.0}
    for one in sequences:
        _, states, moves = oracle.messages(one)
        found["first"] = found["first"] + states[0]
        found["moves"] = found["moves"] + moves
        for code in range(3):
            found["table"][:, code] += states[np.asarray(one["symbol"]) == code].sum(axis=0)
        x = one["x"][:, 0]
        found["n"] = found["n"] + states.sum(axis=0)
        found["sum"] = found["sum"] + x @ states
        found["square"] = found["square"] + (x**2) @ states
    return found


def oracle_of(s: dict[str, np.ndarray], prior: float) -> Oracle:
    mean = s["sum"] / s["n"]
    made = Oracle(normalised(s["first"] + prior), normalised(s["moves"] + prior))
    made.tables["symbol"] = normalised(s["table"] + prior)
    made.shares, made.means = np.ones((2, 1)), mean[:, None, None]
    made.covariances = (s["square"] / s["n"] - mean**2)[:, None, None, None]
    return made


def oracle_from(hmm: bayou.HMM) -> Oracle:
    made = Oracle(hmm.start, hmm.transition, tables={"symbol": np.array(hmm.emission("symbol").values)})
    made.shares, made.means, made.covariances = np.ones((2, 1)), hmm.means[:, None], hmm.covariances[:, None]
    return made


def drawn(chance: np.random.Generator, lengths: list[int]) -> list[dict]:
    made = []
    for length in lengths:
        states = np.cumsum(chance.random(length) < 0.2) % 2
        symbol = (states + chance.integers(0, 2, length)).tolist()
        made.append({"symbol": symbol, "x": chance.normal(2.0 * states, 1.0)[:, None]})
    return made


def table(one: dict) -> dict:
    return {"symbol": one["symbol"], "x": one["x"][:, 0]}


@pytest.mark.parametrize("prior", [0, 2])
def test_stepwise_em_is_the_formula(prior: float, tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    batches = [drawn(chance, lengths) for lengths in ([30, 20], [15], [1, 8, 40], [25, 25])]
    hmm = bayou.HMM(2, {"symbol": [0, 1, 2], "x": "gaussian"})
    hmm.fit([table(one) for one in batches[0]], prior=prior)
    oracle = oracle_from(hmm)
    known = statistics_of(oracle, batches[0])
    seen = known["n"].sum()
    for k, batch in enumerate(batches[1:]):
        fresh = statistics_of(oracle, batch)
        share, new = (k + 2) ** -0.6, fresh["n"].sum()
        known = {
            name: (seen + new) * ((1 - share) * known[name] / seen + share * fresh[name] / new)
            for name in known
        }
        seen += new
        oracle = oracle_of(known, prior)
        hmm.partial_fit([table(one) for one in batch])
        hmm.save(tmp_path / "model.bayou")
        hmm = bayou.load(tmp_path / "model.bayou")
        np.testing.assert_allclose(hmm.start, oracle.start, rtol=1e-9)
        np.testing.assert_allclose(hmm.transition, oracle.transition, rtol=1e-9)
        np.testing.assert_allclose(hmm.emission("symbol").values, oracle.tables["symbol"], rtol=1e-9)
        np.testing.assert_allclose(hmm.means, oracle.means[:, 0], rtol=1e-9)
        np.testing.assert_allclose(hmm.covariances, oracle.covariances[:, 0], rtol=1e-9)


def test_many_batches_come_close_to_one_fit() -> None:
    casino = bayou.examples.casino()
    rolls = [one["roll"] for one in casino.sample(300, sequences=120, seed=4)]
    held_out = casino.sample(3000, seed=99)["roll"]
    symbols = {"roll": [1, 2, 3, 4, 5, 6]}
    whole = bayou.HMM(2, symbols).fit(rolls)
    steps = bayou.HMM(2, symbols).fit(rolls[:2])
    at_first = steps.log_likelihood(held_out)
    for k in range(2, 120, 2):
        steps.partial_fit(rolls[k : k + 2])
    reached, best = steps.log_likelihood(held_out), whole.log_likelihood(held_out)
    assert at_first < best - 20
    assert reached > best - 5


def test_labelled_sequences_are_counted_exactly_even_one_row_at_a_time() -> None:
    chance = np.random.default_rng(0)
    x, states = chance.normal(size=40), chance.integers(0, 2, 40).tolist()
    whole = bayou.HMM([0, 1], {"x": "gaussian"}).fit([x[:20], x[20:39], x[39:]], states=[
        states[:20], states[20:39], states[39:]
    ])  # fmt: skip
    parts = bayou.HMM([0, 1], {"x": "gaussian"}).fit([x[:20]], states=[states[:20]])
    parts.partial_fit([x[20:39]], states=[states[20:39]]).partial_fit([x[39:]], states=[states[39:]])
    np.testing.assert_allclose(parts.transition, whole.transition, rtol=1e-12)
    np.testing.assert_allclose(parts.means, whole.means, rtol=1e-9)
    np.testing.assert_allclose(parts.covariances, whole.covariances, rtol=1e-9)


def test_a_part_that_is_kept_stays_in_later_batches(tmp_path: Path) -> None:
    casino = bayou.examples.casino()
    before = casino.transition
    rolls = [one["roll"] for one in casino.sample(50, sequences=3, seed=4)]
    casino.fit(rolls[0], start="present", keep="transition")
    casino.save(tmp_path / "casino.bayou")
    for one in (casino, bayou.load(tmp_path / "casino.bayou")):
        one.partial_fit(rolls[1])
        np.testing.assert_array_equal(one.transition, before)
    labelled = bayou.examples.casino()
    states = [["fair"] * 25 + ["loaded"] * 25]
    labelled.fit(rolls[:1], states=states, start="present", keep="transition")
    labelled.partial_fit(rolls[1:2], states=states)
    np.testing.assert_array_equal(labelled.transition, before)


def test_what_is_refused_is_said() -> None:
    casino = bayou.examples.casino()
    rolls = casino.sample(60, seed=4)
    labelled = bayou.HMM(["fair", "loaded"]).fit(rolls)
    with pytest.raises(BadData, match="to be forgotten"):
        labelled.forget(rolls["roll"])
    with pytest.raises(BadQuestion, match="'prior' cannot change"):
        labelled.partial_fit(rolls, prior=3)
    with pytest.raises(BadData, match="no row to learn from"):
        labelled.partial_fit([[]])
    hidden = bayou.HMM(2, {"roll": [1, 2, 3, 4, 5, 6]}).fit(rolls["roll"])
    with pytest.raises(BadStatistics, match="cannot be forgotten exactly"):
        hidden.forget(rolls["roll"])
