"""Exponential forgetting: the weights of rows are those computed by hand, however the rows are split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.errors import BadQuestion

ROWS, HALF_LIFE = 500, 80


def table() -> pd.DataFrame:
    random = np.random.default_rng(3)
    kind = np.where(np.arange(ROWS) < 250, random.integers(0, 2, ROWS), random.integers(0, 3, ROWS))
    return pd.DataFrame(
        {"kind": kind, "size": random.normal(kind, 1.0), "tone": random.choice(list("uv"), ROWS)}
    )


def by_hand() -> np.ndarray:
    """A row has lost half its weight after HALF_LIFE further rows."""
    return np.array([0.5 ** ((ROWS - 1 - row) / HALF_LIFE) for row in range(ROWS)])


def net() -> bayou.Network:
    return bayou.Network("kind -> size; kind -> tone")


def same(found: bayou.Network, expected: bayou.Network) -> None:
    for name in ("kind", "tone"):
        np.testing.assert_allclose(found.frozen.table(name), expected.frozen.table(name), rtol=1e-12)
    one, other = found.statistics["size"], expected.statistics["size"]
    np.testing.assert_allclose(one.n, other.n, rtol=1e-12)
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-10)
    np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-10)


@pytest.mark.parametrize("size", [17, 130, ROWS])
def test_any_split_has_the_weights_of_all_rows(size: int) -> None:
    whole, found = table(), net()
    for start in range(0, ROWS, size):
        found.partial_fit(whole[start : start + size], half_life=HALF_LIFE)
    same(found, net().fit(whole, weights=by_hand()))


def test_streams_and_files_age_row_by_row(tmp_path: Path) -> None:
    whole = table()
    expected = net().fit(whole, weights=by_hand())
    batches = (whole[start : start + 64] for start in range(0, ROWS, 64))
    same(net().partial_fit(bayou.from_batches(batches), half_life=HALF_LIFE), expected)
    whole.to_parquet(tmp_path / "rows.parquet")
    same(net().partial_fit(tmp_path / "rows.parquet", half_life=HALF_LIFE), expected)


def test_with_weights_of_their_own() -> None:
    whole, own = table(), np.arange(ROWS) % 3
    found = net().partial_fit(whole[:200], weights=own[:200], half_life=HALF_LIFE)
    found.partial_fit(whole[200:], weights=own[200:], half_life=HALF_LIFE)
    same(found, net().fit(whole, weights=by_hand() * own))


def test_rows_with_gaps_age_too() -> None:
    whole = table()[["kind", "tone"]].astype(object)
    whole.iloc[::9, 1] = None
    pair = bayou.Network("kind -> tone")
    found = pair.copy().partial_fit(whole, half_life=HALF_LIFE)
    expected = pair.copy().fit(whole, weights=by_hand())
    np.testing.assert_allclose(found.frozen.table("tone"), expected.frozen.table("tone"), rtol=1e-9)


def test_what_was_stated_keeps_its_weight() -> None:
    coin = bayou.Network("C", tables={"C": {"h": 0.5, "t": 0.5}})
    coin.partial_fit({"C": ["h"] * 4}, weight=8, half_life=2).partial_fit({"C": ["t"] * 2}, half_life=2)
    heads = sum(0.5 ** (age / 2) for age in (2, 3, 4, 5))
    tails = sum(0.5 ** (age / 2) for age in (0, 1))
    assert coin.cpt("C")["h"] == pytest.approx((4 + heads) / (8 + heads + tails), rel=1e-12)


def test_a_half_life_must_be_a_number_of_rows() -> None:
    for wrong in (0, -1, float("nan"), "long"):
        with pytest.raises(BadQuestion, match="half_life"):
            net().partial_fit(table(), half_life=wrong)
