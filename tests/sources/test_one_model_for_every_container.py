"""One table as a file, as a pandas and as a polars frame gives one model, whatever its cells spell."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import bayou
from bayou.errors import BadData, BadGraph, BayouError, BayouWarning
from bayou.schema import Variable
from bayou.schema.spelled_values import number_spelled
from bayou.sources import column_batches, open_source, read_columns
from bayou.sources.files import file_source as file
from bayou.sources.tables.columns import SpelledNumbers
from bayou.statistics import CountTable

ROWS = 300
RANDOM = np.random.default_rng(3)
Y = RANDOM.integers(0, 2, ROWS)


def cell(kind: str, row: int) -> str:
    low = int(RANDOM.integers(0, 4)) + int(Y[row])
    return {
        "written with a point": f"{low}.0",
        "with gaps": "" if row % 7 == 0 else str(low),
        "with a point and gaps": "" if row % 7 == 0 else f"{low}.0",
        "truth values": "True" if low > 2 else "False",
        "truth values with gaps": "" if row % 7 == 0 else "TRUE" if low > 2 else "FALSE",
        "money": f'"${low},{RANDOM.integers(100, 999)}.50"' if low else "$7.25",
        "euros": f"{low + 1}{row}.00 €",
        "thousands": f'"{low + 1},{RANDOM.integers(100, 999)}"',
        "short": f"{low + 1}k" if row % 3 else f"${low}.50",
        "percent": f"{low * 10 + row % 10} %",
        "dates": f"2024-0{low + 1}-{row % 28 + 1:02}",
        "times": f"2024-0{low + 1}-01T12:{row % 60:02}:00",
        "measured": f"{RANDOM.normal() + low:.3f}",
    }[kind]


KINDS = (
    "written with a point",
    "with gaps",
    "with a point and gaps",
    "truth values",
    "truth values with gaps",
    "money",
    "euros",
    "thousands",
    "short",
    "percent",
    "dates",
    "times",
    "measured",
)
READERS: list[Callable[[Path], Any]] = [pandas.read_csv, polars.read_csv]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("tables") / "rows.csv"
    lines = [",".join([*(cell(kind, row) for kind in KINDS), "ny"[Y[row]]]) for row in range(ROWS)]
    target.write_text("\n".join([",".join([*KINDS, "y"]), *lines]) + "\n", encoding="utf-8")
    return target


@pytest.mark.parametrize("reader", READERS)
def test_a_classifier_learns_and_answers_the_same(path: Path, reader: Callable[[Path], Any]) -> None:
    model = bayou.NaiveBayes().fit(path, "y")
    frame = reader(path)
    other = bayou.NaiveBayes().fit(frame, "y")
    assert {name: str(kind) for name, kind in model.feature_kinds_.items()} == {
        name: str(kind) for name, kind in other.feature_kinds_.items()
    }
    expected = model.predict_proba(path)
    np.testing.assert_array_equal(other.predict_proba(path), expected)
    rows = pandas.DataFrame(frame.to_dict(**({} if reader is pandas.read_csv else {"as_series": False})))
    np.testing.assert_array_equal(model.predict_proba(rows.drop(columns="y")), expected)
    one = {name: value for name, value in rows.iloc[5].to_dict().items() if name != "y"}
    np.testing.assert_allclose(model.predict_proba([one]), expected[5:6], rtol=1e-12)


@pytest.mark.parametrize("reader", READERS)
def test_a_network_learns_the_same_and_so_does_a_stream(
    path: Path, reader: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = {kind: open_source(path).variable(kind) for kind in KINDS}
    assert {kind: open_source(reader(path)).variable(kind) for kind in KINDS} == whole
    continuous = {kind for kind, variable in whole.items() if variable.is_continuous}
    marked = {"money", "euros", "thousands", "short", "percent"}
    assert continuous == {"written with a point", "measured", *marked}
    assert whole["truth values with gaps"].states == (False, True)
    assert isinstance(whole["dates"].states[0], datetime.date)
    request = [CountTable((kind,)) for kind in KINDS if kind not in continuous]
    counted = open_source(path).collect(request)
    pandas.read_csv(path).to_parquet(tmp_path / "rows.parquet")
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file, "BATCH_ROWS", 64)
    for streamed in (path, tmp_path / "rows.parquet"):
        source = open_source(streamed)
        assert source.is_streamed
        assert {kind for kind in KINDS if source.variable(kind).is_continuous} == continuous
        found = source.collect(request)
        assert all(found[each] == counted[each] for each in request)


@pytest.mark.parametrize(
    "words",
    ["true false", "false true", "False", "True", "TRUE  FALSE", "false  true", "NA true", "true True false"],
)
def test_words_for_truth_values_in_any_order(tmp_path: Path, words: str) -> None:
    cells = words.split(" ")
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{word},1\n" for word in cells))
    meant = {"true": True, "false": False}
    assert read_columns(path).coded("x").values() == [meant.get(word.lower()) for word in cells]


def test_an_infinite_number_does_not_make_a_column_of_text(tmp_path: Path) -> None:
    for word in ("inf", "-Infinity", "INF"):
        for count in (5, 400):  # few numbers are read as labels, many by the core
            path = tmp_path / "rows.csv"
            path.write_text("x,y\n" + "".join(f"{k}.5,{'ab'[k % 2]}\n" for k in range(count)) + f"{word},a\n")
            numbers = read_columns(path).numbers("x")
            assert np.isinf(numbers[-1])
            assert numbers[:2].tolist() == [0.5, 1.5]
            with pytest.raises(BadData, match=r"'x' is infinite in row"):
                bayou.NaiveBayes().fit(path, "y")


@pytest.mark.parametrize(
    ("learned", "asked"),
    [
        (["1", "2"], [1, 2]),
        ([1, 2], ["1", "2"]),
        ([True, False], ["True", "false"]),
        (["true", "false"], [True, False]),
        ([0, 1], [False, True]),
        ([datetime.date(2024, 1, 5), datetime.date(2024, 2, 7)], ["2024-01-05", "2024-02-07"]),
        (["x", "$5"], ["x", "$5.00"]),
    ],
)
def test_values_that_differ_only_by_their_type_match(learned: list[Any], asked: list[Any]) -> None:
    rows = {"x": learned * 20, "y": ["a", "b"] * 20}
    others = {"x": asked * 20, "y": ["a", "b"] * 20}
    net = bayou.Network("y -> x").fit(rows)
    expected = net.query("y", given={"x": learned[0]})["a"]
    assert net.query("y", given={"x": asked[0]})["a"] == expected > 0.9
    assert net.log_likelihood(others) == net.log_likelihood(rows)
    stated = [bayou.Network("y -> x", states={"x": learned}).fit(data) for data in (rows, others)]
    assert stated[0].same_as(stated[1])
    model = bayou.NaiveBayes(features="table").fit({"x": rows["x"]}, rows["y"])
    np.testing.assert_array_equal(
        model.predict_proba({"x": others["x"]}), model.predict_proba({"x": rows["x"]})
    )


def test_a_value_that_could_be_two_states_is_unknown() -> None:
    odd = Variable("x", [1, "1", "one"])
    assert (odd.find(1), odd.find("1"), odd.find("1.0"), odd.find(True)) == (0, 1, None, None)
    assert Variable("n", [2**53]).find("9007199254740993") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$7,211.66", 7211.66),
        ("12k", 12_000),
        ("-$3M", -3e6),
        ("10.00 €", 10),
        ("10.00\u00a0€", 10),
        ("EUR 1,234", 1234),
        ("12 %", 0.12),
        ("1,234,567.5", 1234567.5),
        ("10,00", None),
        ("1,23", None),
        ("12,3456", None),
        ("0,123", None),
        ("007", None),
        ("$", None),
        ("12 kg", None),
        ("k", None),
        ("12k €", 12_000),
        ("$-5", -5),
        ("+5 €", 5),
        ("--5", None),
        ("+-5", None),
        ("-$-5", None),
        ("$5 €", None),
        ("$5%", None),
        ("1-2", None),
        ("", None),
    ],
)
def test_what_a_text_spells(text: str, number: float | None) -> None:
    assert number_spelled(text) == number


def test_texts_stay_what_they_are_where_one_says_so() -> None:
    prices = ["$5.00", "$6.50"] * 5
    assert isinstance(read_columns({"p": prices})["p"], SpelledNumbers)
    assert read_columns({"p": prices}, as_text=["p"]).coded("p").labels == ("$5.00", "$6.50")
    declared = pandas.DataFrame({"p": pandas.Categorical(prices)})
    assert open_source(declared).variable("p").states == ("$5.00", "$6.50")
    net = bayou.Network("p", states={"p": ["$5.00", "$6.50"]}).fit({"p": prices})
    assert net.query("p")["$5.00"] == 0.5
    assert open_source({"n": ["1", "2"]}).variable("n").states == ("1", "2")
    classes = bayou.NaiveBayes().fit({"x": [1, 2] * 9, "y": ["5k", "10k"] * 9}, "y").classes_
    assert classes.tolist() == ["10k", "5k"]


def test_integers_beyond_every_float(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="'x' has an integer of about 401 digits"):
        bayou.Network("x").fit({"x": [10**400, 1, 2]})
    path = tmp_path / "rows.csv"
    path.write_text(f"x,y\n{'9' * 5000},a\n7,b\n")
    assert bayou.Network("x -> y").fit(path).states("x") == ("7", "9" * 5000)


def test_ids_among_the_features_are_told_once() -> None:
    names = [f"C{k:04}" for k in range(60)]
    rows = {"customer": names, "nr": range(60), "age": [20 + k % 9 for k in range(60)], "y": ["a", "b"] * 30}
    with pytest.warns(BayouWarning, match=r"different value of 'customer', 'nr': .*drop it") as told:
        bayou.NaiveBayes().fit(rows, "y")
    assert len(told) == 1


def test_large_numbers_that_vary_little_vary() -> None:
    values = [1e15 + k % 6 for k in range(60)]
    net = bayou.Network("x", continuous=["x"]).fit({"x": values})
    assert net.query("x").variance == pytest.approx(np.var(values), rel=0.01)
    bayou.learn_structure({"x": values, "z": [float(k % 7) + 0.5 for k in range(60)]}, continuous=["x", "z"])
    with pytest.raises(BadData, match="does not vary"):
        bayou.Network("x", continuous=["x"]).fit({"x": [0.1] * 60})


def test_k_and_m_alone_are_no_marks(tmp_path: Path) -> None:
    sizes = {"a": ["1M", "2M", "3K"] * 4, "b": ["x", "y", "y"] * 4}
    pandas.DataFrame(sizes).to_csv(tmp_path / "rows.csv", index=False)
    pandas.DataFrame(sizes).to_parquet(tmp_path / "rows.parquet")
    for table in (sizes, tmp_path / "rows.csv", tmp_path / "rows.parquet"):
        assert bayou.Network("a -> b").fit(table).states("a") == ("1M", "2M", "3K")
        (batch, *_) = column_batches(table, batch_rows=100)
        assert batch.coded("a").labels == ("1M", "2M", "3K")
    model = bayou.NaiveBayes().fit(sizes, "b")
    with pytest.warns(BayouWarning, match="not in the training rows are ignored: 1 in 'a'"):
        model.predict_proba({"a": ["XL"]})
    assert read_columns({"a": ["$980", "12k"]}).numbers("a").tolist() == [980, 12_000]


def test_a_text_among_new_numbers_is_a_value_never_seen() -> None:
    prices = {"a": ["$1.5", "$2", "$3", "$4"] * 4, "y": ["p", "q"] * 8}
    for model in (bayou.NaiveBayes(), bayou.TAN(), bayou.NaiveBayes("kernel")):
        model.fit(prices, "y")
        gap = model.predict_proba({"a": [None, "$2"]})
        for odd in ("XL", "$XL"):
            with pytest.warns(BayouWarning, match="1 in 'a'"):
                np.testing.assert_array_equal(model.predict_proba({"a": [odd, "$2"]}), gap)
            with pytest.warns(BayouWarning, match="1 in 'a'"):
                np.testing.assert_array_equal(model.predict_proba([{"a": odd}]), gap[:1])
    strict = bayou.NaiveBayes(unknown="error").fit(prices, "y")
    with pytest.raises(BayouError, match="'XL'"):
        strict.predict_proba({"a": ["XL"]})
    net = bayou.Network("y -> a").fit(prices)
    with pytest.warns(BayouWarning, match="1 in 'a'"):
        found = net.posterior({"a": ["XL", "$2"]}, "y")
    np.testing.assert_array_equal(found["y"], net.posterior({"a": [None, "$2"]}, "y")["y"])
    with pytest.raises(BayouError, match="'XL'"):
        net.posterior({"a": ["XL", "$2"]}, "y", unknown="error")


def test_prices_as_causes_are_offered_as_states() -> None:
    rows = {"a": ["$1M", "$2.5", "$3K"] * 4, "b": ["x", "y", "x"] * 4}
    with pytest.raises(BadGraph, match=r"states=\{'a': \['\$2.5', '\$3K', '\$1M'\]\}"):
        bayou.Network("a -> b").fit(rows)
    net = bayou.Network("a -> b", states={"a": ["$2.5", "$3K", "$1M"]}).fit(rows)
    assert net.states("a") == ("$2.5", "$3K", "$1M")


def test_truth_values_are_one_rule() -> None:
    answers = Variable("x", [False, True])
    assert [answers.find(word) for word in ("true", "TRUE", "False", "tRuE")] == [1, 1, 0, None]
