"""Amounts in several currencies are no numbers: a column that mixes them is text, with one warning."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import bayou
from bayou.errors import BadData, without_warnings
from bayou.schema import Variable
from bayou.schema.spelled_values import units_spelled
from bayou.sources import CodedColumn, NumberColumn, column_batches, read_columns

MIXED = {
    "currencies": ["$12", "10.00 €", "$7", None],
    "a code": ["12 EUR", "7 CHF", "$5", "1"],
    "percent": ["$12", "5 %", "$3", "2"],
    "at the end": [*["$5", "$6"] * 2000, "6 €"],
}
ONE = {
    "one": ["$12", "12 USD", "7", None],
    "euros": ["10.00 €", "EUR 5", "NA", "5k €"],
    "thousands": ["1,234", "$5", "7", "8"],
    "shares": ["5 %", "12%", "7", "8"],
}


def containers(values: list[Any], folder: Path) -> dict[str, Any]:
    columns = {"price": values}
    frame = pandas.DataFrame(columns)
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet")
    return {
        "dict": columns,
        "pandas": frame,
        "polars": polars.DataFrame(columns),
        "csv": folder / "rows.csv",
        "parquet": folder / "rows.parquet",
    }


def read(data: Any, streamed: bool) -> tuple[list[Any], list[str]]:
    """The columns of all batches, and the warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tables = list(column_batches(data, batch_rows=2048)) if streamed else [read_columns(data)]
    return [table["price"] for table in tables], [str(one.message) for one in told]


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_mixture_is_text_in_every_container(name: str, streamed: bool, tmp_path: Path) -> None:
    for kind, data in containers(MIXED[name], tmp_path).items():
        columns, told = read(data, streamed)
        assert all(isinstance(column, CodedColumn) for column in columns), kind
        assert len(told) == 1, kind
        low, *_, high = units_spelled([text for text in MIXED[name] if text])
        assert f"'price' mixes amounts in {low} and {high}" in told[0]


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("streamed", [False, True])
def test_one_currency_is_a_column_of_numbers(name: str, streamed: bool, tmp_path: Path) -> None:
    for kind, data in containers(ONE[name], tmp_path).items():
        columns, told = read(data, streamed)
        assert all(isinstance(column, NumberColumn) for column in columns), kind
        assert not told


def test_a_declared_number_must_be_in_one_currency() -> None:
    with (
        pytest.raises(BadData, match=r"several currencies, such as '\$12' and '10 €'"),
        without_warnings(),
    ):
        bayou.Network("price", continuous=["price"]).fit({"price": ["$12", "10 €"]})


def test_new_rows_in_several_currencies_are_missing() -> None:
    model = bayou.NaiveBayes().fit({"price": [f"${k}" for k in range(40)], "y": ["a", "b"] * 20}, "y")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = model.predict_proba({"price": ["$1", "30 €"]})
    assert ["mixes amounts" in str(told[0].message), "2 in 'price'" in str(told[1].message)] == [True, True]
    with without_warnings():
        np.testing.assert_array_equal(found, model.predict_proba({"price": [None, None]}))


def test_an_amount_does_not_stand_for_one_in_another_currency() -> None:
    price = Variable("price", ["$12", "10.00 €"])
    assert (price.find("$12.00"), price.find("10 EUR"), price.find("$10")) == (0, 1, None)


def test_check_names_the_currencies() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = bayou.check({"price": ["$12", "10.00 €", "$7"] * 5})
    (finding,) = [one for one in report.findings if one.check == "mixed currencies"]
    assert "$, €" in finding.what
    assert set(finding.examples) == {"$12", "10.00 €"}
