"""Keys that nobody named are told by every model of sequences, when it learns and when it is asked."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import bayou
from bayou.cli.main import cli
from bayou.errors import BayouWarning

SHOPS = pd.DataFrame(
    {"shop": ["a", "b"] * 4, "day": [1, 1, 2, 2, 3, 3, 4, 4], "sold": [1.0, 100, 2, 101, 3, 102, 4, 103]}
)
WORDS = SHOPS.assign(sold=["few", "many"] * 3 + ["few", "few"])
DATES = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=10), "sold": [k * 1.5 for k in range(10)]})
SHUFFLED = DATES.sample(frac=1, random_state=0)
PAIR = r"'shop' and 'day' together number the rows.*sequence='shop', time='day'"


def trend() -> bayou.KalmanModel:
    return bayou.KalmanModel.local_trend(0.1, 0.1, 0.1)


def hidden() -> bayou.HMM:
    numbers = bayou.HMM(2, {"sold": "gaussian"})
    return numbers.fit({"sold": [1.0, 2.5, 90.0, 100.0, 3.0, 4.0]}, max_iterations=2)


def chain() -> bayou.DynamicNetwork:
    return bayou.DynamicNetwork("sold -> sold'").fit({"sold": ["few", "many", "few", "few", "many"]})


@pytest.mark.parametrize(
    "ask",
    [
        lambda: trend().forecast(SHUFFLED, steps=1),
        lambda: trend().filter(SHUFFLED),
        lambda: trend().fit(SHUFFLED),
        lambda: trend().sample(length=1, given=SHUFFLED),
        lambda: hidden().decode(SHUFFLED),
        lambda: hidden().smooth(pl.from_pandas(SHUFFLED)),
        lambda: hidden().filter(pa.Table.from_pandas(SHUFFLED, preserve_index=False)),
        lambda: hidden().score(dict(SHUFFLED)),
    ],
)
def test_dates_that_are_not_used_are_told_with_the_argument(ask: Callable[[], Any]) -> None:
    with pytest.warns(BayouWarning, match=r"'when' has dates .*time='when'"):
        ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda rows: bayou.HMM(2).fit(rows(SHOPS), max_iterations=1, method="baum-welch"),
        lambda rows: bayou.DynamicNetwork("sold -> sold'").fit(rows(WORDS)),
        lambda rows: chain().filter(rows(WORDS)),
        lambda rows: chain().forecast(rows(WORDS), steps=1),
        lambda rows: hidden().decode(rows(SHOPS)),
        lambda rows: trend().smooth(rows(SHOPS[["shop", "day"]].assign(y=SHOPS["sold"]))),
    ],
)
@pytest.mark.parametrize("order", [lambda t: t, lambda t: t.sample(frac=1, random_state=1)])
def test_two_columns_that_number_the_rows_are_told_in_any_order(ask: Any, order: Any) -> None:
    with pytest.warns(BayouWarning, match=PAIR):
        ask(order)


def test_a_file_is_looked_at_too(tmp_path: Path) -> None:
    SHOPS.to_csv(tmp_path / "shops.csv", index=False)
    with pytest.warns(BayouWarning, match=PAIR):
        hidden().decode(str(tmp_path / "shops.csv"))


def test_row_numbers_in_another_order_are_told() -> None:
    rows = {"n": np.random.default_rng(0).permutation(30), "sold": np.arange(30.0) ** 1.5}
    with pytest.warns(BayouWarning, match="'n' has all numbers from 0 to 29.*time='n'"):
        hidden().filter(rows)
    with pytest.warns(BayouWarning, match="'n' has all numbers from 0 to 29.*time='n'"):
        bayou.HMM(2).fit(rows)


def test_named_keys_and_ordinary_columns_are_silent() -> None:
    chance = np.random.default_rng(3)
    ordinary = {
        "sold": chance.normal(size=60),
        "wind": chance.normal(size=60),
        "sky": chance.choice(["sun", "rain", "snow"], 60),
        "visitors": chance.poisson(20, 60),
        "weekday": [k % 7 for k in range(60)],
        "holiday": chance.choice([True, False], 60),
        "grade": chance.integers(1, 6, 60),
        "n": range(60),
        "note": [f"note {k}" for k in range(60)],
    }
    model, few = hidden(), chain()
    with warnings.catch_warnings():
        warnings.simplefilter("error", BayouWarning)
        model.filter(SHOPS, sequence="shop", time="day")
        model.filter(SHOPS, sequence="shop")  # its rows are in the order of time
        model.filter(SHOPS, columns=["sold"])
        few.filter(WORDS, sequence="shop", time="day")
        trend().forecast(SHUFFLED, steps=1, time="when")
        model.filter(ordinary)
        trend().filter({**ordinary, "y": ordinary["sold"]})
        model.filter(SHOPS[:4])  # too few rows show nothing


@pytest.mark.parametrize("seed", range(40))
def test_independent_columns_seldom_number_the_rows(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows = int(chance.integers(12, 60))
    table = {
        "y": chance.normal(size=rows),
        "kind": chance.choice(list("abcd"), rows),
        "count": chance.integers(0, 12, rows),
        "visits": chance.poisson(4, rows),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", BayouWarning)
        trend().filter(table)


@pytest.mark.parametrize("what", [["--states", "dry,wet"], ["--template", "sold -> sold'"]])
def test_the_command_line_names_the_options(what: list[str], tmp_path: Path) -> None:
    WORDS.to_csv(tmp_path / "shops.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("always", BayouWarning)
        found = CliRunner().invoke(cli, ["fit", str(tmp_path / "shops.csv"), *what], prog_name="bayou")
    assert "--sequence shop, --time day" in " ".join(found.stderr.split())
