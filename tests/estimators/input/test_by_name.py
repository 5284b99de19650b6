"""What was fitted by the target's name is asked by name, whatever container the rows come in."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import bayou
from bayou.errors import BadData, BadQuestion, BayouWarning, UnknownVariable
from bayou.sources import open_source, read_columns

RANDOM = np.random.default_rng(11)
ROWS = 60
WEATHER = pd.DataFrame(
    {
        "Thunder": RANDOM.choice(["yes", "no"], ROWS),
        "wind speed": RANDOM.normal(size=ROWS).round(3),
        "calls": RANDOM.integers(0, 9, ROWS),
        "größe": RANDOM.normal(size=ROWS).round(3),
    }
)
WEATHER["Storm"] = np.where(WEATHER["wind speed"] + WEATHER["größe"] > 0, "storm", "calm")
FEATURES = list(WEATHER.columns[:-1])
NUMBERS = WEATHER.drop(columns="Thunder")
KINDS = [
    bayou.NaiveBayes,
    bayou.TAN,
    bayou.AODE,
    bayou.KDependence,
    bayou.ChowLiuClassifier,
    bayou.GenerativeClassifier,
    bayou.BayesOptimal,
    bayou.GaussianBayes,
]
Container = Callable[[pd.DataFrame], Any]


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [dict(row) for row in frame.to_dict("records")]


CONTAINERS: dict[str, Container] = {
    "pandas": lambda frame: frame,
    "polars": pl.DataFrame,
    "polars, lazy": lambda frame: pl.DataFrame(frame).lazy(),
    "Arrow": pa.Table.from_pandas,
    "dict": lambda frame: frame.to_dict("list"),
    "list of dicts": rows_of,
    "source": lambda frame: open_source(frame),
    "columns": lambda frame: read_columns(frame),
}


def table_for(kind: Any) -> pd.DataFrame:
    return NUMBERS if kind is bayou.GaussianBayes else WEATHER


def in_file(frame: pd.DataFrame, folder: Path) -> str:
    path = folder / "new rows.csv"
    frame.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("kind", KINDS)
def test_every_container_gets_the_same_answer(kind: Any, tmp_path: Path) -> None:
    table = table_for(kind)
    model = kind().fit(table, "Storm")
    assert model.by_name_
    expected = model.predict_proba(table.drop(columns="Storm"))
    turned = table[table.columns[::-1]]
    for container in CONTAINERS.values():
        assert np.array_equal(model.predict_proba(container(table)), expected)
        assert np.array_equal(model.predict_proba(container(turned)), expected)
    assert np.array_equal(model.predict_proba(in_file(turned, tmp_path)), expected)
    assert np.array_equal(model.predict_proba(Path(in_file(table, tmp_path))), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_other_columns_are_ignored_with_one_note(kind: Any, tmp_path: Path) -> None:
    table = table_for(kind)
    model = kind().fit(table, "Storm")
    expected = model.predict_proba(table)
    more = table.assign(id=range(ROWS), remark="?")
    for rows in [*(container(more) for container in CONTAINERS.values()), in_file(more, tmp_path)]:
        with pytest.warns(BayouWarning, match=r"^Not used by the model: 'id', 'remark'\.$") as told:
            assert np.array_equal(model.predict_proba(rows), expected)
        assert len(told) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_absent_column_is_missing_in_every_row_and_named(kind: Any, tmp_path: Path) -> None:
    table = table_for(kind)
    model = kind().fit(table, "Storm")
    expected = model.predict_proba(table.assign(größe=np.nan))
    less = table.drop(columns="größe")
    for rows in [*(container(less) for container in CONTAINERS.values()), in_file(less, tmp_path)]:
        with pytest.warns(BayouWarning, match="There is no column for 'größe': missing in every row") as told:
            np.testing.assert_allclose(model.predict_proba(rows), expected, rtol=1e-12)
        assert len(told) == 1


@pytest.mark.parametrize("kind", [bayou.NaiveBayes, bayou.TAN, bayou.GenerativeClassifier])
def test_an_absent_column_is_an_error_where_unknown_values_are(kind: Any, tmp_path: Path) -> None:
    model = kind(unknown="error").fit(WEATHER, "Storm")
    less = WEATHER.drop(columns="calls")
    for rows in [*(container(less) for container in CONTAINERS.values()), in_file(less, tmp_path)]:
        with pytest.raises(BadData, match=r"There is no column for 'calls'\. Add it, or fit with unknown="):
            model.predict(rows)


@pytest.mark.parametrize("wrong", ["thunder", "Thundr", "THUNDER ", "Tunder"])
@pytest.mark.parametrize("by_name", [True, False])
def test_a_misspelt_column_is_an_error(wrong: str, by_name: bool, tmp_path: Path) -> None:
    X = WEATHER if by_name else WEATHER[FEATURES]
    model = bayou.NaiveBayes().fit(X, "Storm" if by_name else WEATHER["Storm"])
    renamed = WEATHER.rename(columns={"Thunder": wrong})
    forms = [*(container(renamed) for container in CONTAINERS.values()), in_file(renamed, tmp_path)]
    for rows in forms if by_name else [renamed.to_dict("list"), rows_of(renamed)[:1], forms[-1]]:
        with pytest.raises(UnknownVariable, match=f"no feature '{wrong}'. Did you mean 'Thunder'"):
            model.predict(rows)


def test_names_with_other_digits_are_other_names() -> None:
    rows = {"x1": [0, 1, 0, 1], "x2": [0, 0, 1, 1], "y": list("abab")}
    model = bayou.NaiveBayes().fit(rows, "y")
    with pytest.warns(BayouWarning, match="no column for 'x2'.*Not used by the model: 'x3'"):
        assert model.predict({"x1": [0], "x3": [1]}).tolist() == ["a"]


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_quite_another_table_is_an_error(container: Container) -> None:
    model = bayou.NaiveBayes().fit(WEATHER, "Storm")
    cars = pd.DataFrame({f"property {k}": [k] for k in "abcdefgh"}).assign(calls=3)
    with pytest.raises(BadData, match="This is another table: of the 4 features it has only 'calls'"):
        model.predict(container(cars))
    with pytest.raises(BadData, match="no column for any of"):
        model.predict(container(cars.drop(columns="calls")))


def test_labels_apart_keep_scikit_learns_strictness() -> None:
    model = bayou.NaiveBayes().fit(WEATHER[FEATURES], WEATHER["Storm"])
    assert not model.by_name_
    for frame in (WEATHER, WEATHER[FEATURES[::-1]], WEATHER[FEATURES[:3]]):
        with pytest.raises(ValueError, match=r"[Ff]eature names"):
            model.predict(frame)


def test_the_rule_survives_copies_and_files_but_not_clone(tmp_path: Path) -> None:
    model = bayou.NaiveBayes().fit(WEATHER, "Storm")
    model.save(tmp_path / "m.bayou")
    expected = model.predict(WEATHER)
    again = bayou.load(tmp_path / "m.bayou")
    optimal = bayou.BayesOptimal().fit(WEATHER, "Storm")
    optimal.save(tmp_path / "o.bayou")
    for twin in (model.copy(), copy.deepcopy(model), pickle.loads(pickle.dumps(model)), again):
        assert np.array_equal(twin.predict(WEATHER), expected)
    assert np.array_equal(bayou.load(tmp_path / "o.bayou").predict(WEATHER), optimal.predict(WEATHER))
    fresh = clone(model)
    assert not hasattr(fresh, "by_name_")
    fresh.fit(WEATHER[FEATURES], WEATHER["Storm"])
    with pytest.raises(ValueError, match="Feature names unseen at fit time"):
        fresh.predict(WEATHER)
    strict = model.fit(WEATHER[FEATURES], WEATHER["Storm"])
    assert not strict.by_name_


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_the_first_fit_decides_for_more_rows_too(container: Container) -> None:
    halves = WEATHER[:30], WEATHER[30:]
    model = bayou.NaiveBayes("gaussian").fit(NUMBERS[:30], "Storm")
    model.partial_fit(container(NUMBERS[NUMBERS.columns[::-1]][30:]), "Storm")
    whole = bayou.NaiveBayes("gaussian").fit(NUMBERS, "Storm")
    np.testing.assert_allclose(model.predict_proba(NUMBERS), whole.predict_proba(NUMBERS), rtol=1e-9)
    learned = bayou.NaiveBayes({"Thunder": "table"}).fit(halves[0], "Storm")
    with pytest.raises(UnknownVariable, match="Did you mean 'Thunder'"):
        learned.partial_fit(container(halves[1].rename(columns={"Thunder": "thunder"})), "Storm")


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_by_the_name_of_the_target(kind: Any, tmp_path: Path) -> None:
    table = table_for(kind)
    model = kind().fit(table, "Storm")
    share = np.mean(model.predict(table) == table["Storm"])
    for rows in [*(container(table) for container in CONTAINERS.values()), in_file(table, tmp_path)]:
        assert model.score(rows, "Storm") == pytest.approx(share)
    X, y = table.drop(columns="Storm"), table["Storm"]
    assert model.score(X, y) == pytest.approx(share)
    apart = kind().fit(X, y.to_numpy())
    assert apart.score(table, "Storm") == pytest.approx(share)
    weights = np.arange(1, ROWS + 1)
    weighted = np.average(model.predict(table) == table["Storm"], weights=weights)
    assert model.score(table, "Storm", weights) == pytest.approx(weighted)


def test_a_score_counts_new_classes_as_missed() -> None:
    model = bayou.NaiveBayes().fit({"a": [0, 1, 0, 1], "y": [1, 2, 1, 2]}, "y")
    assert model.score({"a": [0, 1, 1, 1], "y": [1, 2, 3, 1]}, "y") == 0.5
    with pytest.warns(bayou.BayouWarning, match="1 row without a class in 'y'"):
        assert model.score({"a": [0, 1, 1], "y": [1, None, 1]}, "y") == 0.5
    with pytest.raises(UnknownVariable, match="'z'"):
        model.score({"a": [0, 1], "y": [1, 2]}, "z")


@pytest.mark.parametrize("output", ["pandas", "polars", "default"])
@pytest.mark.parametrize("labels", [["calm", "storm"], [0, 1]])
def test_answers_are_arrays_whatever_transformers_return(output: str, labels: list[Any]) -> None:
    y = np.where(WEATHER["Storm"] == "storm", labels[1], labels[0])
    with sklearn.config_context(transform_output=output):
        for model in (bayou.NaiveBayes(), bayou.TAN(), bayou.BayesOptimal()):
            fitted = model.fit(WEATHER[FEATURES], y)
            assert type(fitted.predict(WEATHER[FEATURES])) is np.ndarray
            assert type(fitted.predict_proba(WEATHER[FEATURES])) is np.ndarray
        scores = cross_val_score(bayou.NaiveBayes(), WEATHER[FEATURES], y, scoring="roc_auc", cv=3)
        assert np.isfinite(scores).all()
        cut = make_pipeline(bayou.MDLDiscretizer(), bayou.TAN())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            scores = cross_val_score(cut, NUMBERS[["wind speed", "größe"]], y, scoring="roc_auc", cv=3)
        assert np.isfinite(scores).all()


def test_predictions_as_a_frame_with_the_index_of_the_rows() -> None:
    table = WEATHER.set_axis([f"day {k}" for k in range(ROWS)])
    model = bayou.NaiveBayes().fit(table, "Storm")
    frame = model.predict_frame(table)
    assert list(frame.columns) == ["predicted_Storm", "P(Storm=calm)", "P(Storm=storm)"]
    assert frame.index.equals(table.index)
    assert np.array_equal(frame["predicted_Storm"], model.predict(table))
    assert np.array_equal(frame.iloc[:, 1:], model.predict_proba(table))
    for rows in (pl.DataFrame(WEATHER), pa.Table.from_pandas(WEATHER)):
        found = model.predict_frame(rows)
        assert type(found) is type(rows)
        assert found.to_pandas().equals(frame.reset_index(drop=True).astype(found.to_pandas().dtypes))
    assert model.predict_frame(WEATHER.to_dict("list")).equals(frame.reset_index(drop=True))
    assert bayou.BayesOptimal().fit(table, "Storm").predict_frame(table).index.equals(table.index)


def test_numbers_in_rows_of_mixed_values_stay_numbers() -> None:
    rows = [("rain", 1, True), ("sun", 2, False), ("rain", 1, False), ("sun", 2, True)] * 5
    model = bayou.NaiveBayes("table").fit(rows, ["in", "out", "in", "out"] * 5)
    as_dicts = [dict(zip(("x0", "x1", "x2"), row, strict=True)) for row in rows]
    named = bayou.NaiveBayes("table").fit(as_dicts, ["in", "out", "in", "out"] * 5)
    assert np.array_equal(model.predict_proba(rows), named.predict_proba(as_dicts))
    ledger = model.explain(("rain", 1, True))
    assert all(not entry.left_out for entry in ledger.entries)
    assert ledger.posterior["in"] == pytest.approx(model.predict_proba([("rain", 1, True)])[0, 0])


def test_columns_that_are_called_like_attributes_of_frames() -> None:
    frame = pd.DataFrame({"column_names": ["a", "b"] * 9, "tocsc": [1, 2] * 9, "to_dict": [0, 1] * 9})
    model = bayou.NaiveBayes().fit(frame, ["p", "q"] * 9)
    assert model.predict(frame).tolist() == ["p", "q"] * 9
    by_name = bayou.NaiveBayes().fit(frame.assign(columns=["p", "q"] * 9), "columns")
    assert by_name.predict(frame.assign(index=3)[["tocsc", "column_names", "to_dict"]]).tolist()[:2] == [
        "p",
        "q",
    ]


@pytest.mark.parametrize("form", ["pandas", "polars", "Arrow", "dict", "list of dicts", "path"])
def test_documents_are_asked_by_name_too(form: str, tmp_path: Path) -> None:
    mails = pd.DataFrame(
        {
            "number": [1, 2, 3, 4],
            "text": ["cheap pills", "see you", "cheap cheap", "lunch?"],
            "kind": ["spam", "ham", "spam", "ham"],
        }
    )
    table = in_file(mails, tmp_path) if form == "path" else CONTAINERS[form](mails[["text", "kind"]])
    model = bayou.TextNaiveBayes().fit(table, "kind")
    expected = bayou.TextNaiveBayes().fit(mails["text"], mails["kind"]).predict_proba(mails["text"])
    turned = mails[["kind", "text"]]
    again = in_file(turned, tmp_path) if form == "path" else CONTAINERS[form](turned)
    assert np.array_equal(model.predict_proba(again), expected)
    assert model.score(again, "kind") == 1.0
    renamed = turned.rename(columns={"text": "texts"})
    with pytest.raises(UnknownVariable, match="Did you mean 'text'"):
        model.predict(in_file(renamed, tmp_path) if form == "path" else CONTAINERS[form](renamed))
    with pytest.warns(BayouWarning, match="Not used by the model: 'number'"):
        model.predict(in_file(mails, tmp_path) if form == "path" else CONTAINERS[form](mails))


def test_the_path_of_a_file_of_documents_is_read_and_other_texts_are_refused(tmp_path: Path) -> None:
    path = in_file(pd.DataFrame({"text": ["cheap", "lunch"]}), tmp_path)
    model = bayou.TextNaiveBayes().fit(["cheap pills", "lunch?"], ["spam", "ham"])
    assert model.predict(path).tolist() == ["spam", "ham"]
    with pytest.raises(BadData, match=r"there is no such file.*put it in brackets"):
        model.predict("cheap.csv")


@pytest.mark.parametrize("kind", KINDS)
def test_cross_validation_by_the_name_of_the_target(kind: Any) -> None:
    table = table_for(kind)
    found = bayou.cross_validate(kind(), table, "Storm", folds=3)
    for fold in range(3):
        train, test = table[found.fold_of_row != fold], table[found.fold_of_row == fold]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            model = kind().fit(train.drop(columns="Storm"), train["Storm"])
            logs = model.predict_log_proba(test.drop(columns="Storm"))
        own = logs[np.arange(len(test)), np.searchsorted(model.classes_, test["Storm"])]
        np.testing.assert_allclose(found.row_losses[found.fold_of_row == fold], -own, rtol=1e-9)


def test_who_forgets_the_target_is_told_which_function_takes_its_name() -> None:
    with pytest.raises(ValueError, match=r"bayou\.cross_validate\(model, X, 'y'\)"):
        cross_val_score(bayou.NaiveBayes(), WEATHER, error_score="raise")
    with pytest.raises(BadQuestion, match=r"bayou\.cross_validate\(model, data, 'y'\)"):
        bayou.cross_validate(bayou.NaiveBayes(), WEATHER)
    with pytest.raises(UnknownVariable, match="Did you mean 'Storm'"):
        bayou.cross_validate(bayou.NaiveBayes(), WEATHER, "storm")


def test_a_row_is_explained_by_the_same_rule() -> None:
    model = bayou.NaiveBayes("gaussian").fit(NUMBERS, "Storm")
    row = NUMBERS.iloc[0]
    expected = model.explain(row).posterior
    with pytest.warns(BayouWarning, match="Not used by the model: 'id'"):
        assert model.explain({**row.to_dict(), "id": 3}).posterior == expected
    with pytest.raises(UnknownVariable, match="Did you mean 'calls'"):
        model.explain({"Calls": 3, "größe": 1.0})


@pytest.mark.parametrize("form", ["pandas", "polars", "dict"])
def test_what_prepares_columns_finds_them_by_name_too(form: str) -> None:
    cuts = bayou.MDLDiscretizer().fit(NUMBERS, "Storm")
    expected = cuts.transform(NUMBERS.drop(columns="Storm"))
    turned = CONTAINERS[form](NUMBERS[NUMBERS.columns[::-1]])
    assert np.array_equal(cuts.transform(turned), expected)
    selector = bayou.FeatureSelector(k=2).fit(NUMBERS, "Storm")
    if form != "dict":
        kept = NUMBERS[list(selector.get_feature_names_out())]
        assert np.array_equal(np.asarray(selector.transform(turned)), kept)


def test_word_counts_are_asked_by_name_too() -> None:
    counts = pd.DataFrame({"cheap": [2, 0, 1], "lunch": [0, 1, 0], "kind": ["spam", "ham", "spam"]})
    model = bayou.TextNaiveBayes().fit(counts, "kind")
    expected = model.predict_proba(counts.drop(columns="kind"))
    assert np.array_equal(model.predict_proba(counts[["lunch", "kind", "cheap"]]), expected)
