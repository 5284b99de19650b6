"""bayou.fit: the simplest classifier within one standard error of the best, from any source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.model_selection import cross_val_predict

import bayou
from bayou.errors import BadData, BadQuestion, UnknownVariable
from bayou.estimators.choosing.model_choice import ModelChoice, TriedModel
from bayou.estimators.choosing.trial_rows import TrialRows, read_trial_rows


def independent(rows: int = 400, seed: int = 0) -> pandas.DataFrame:
    """Columns that are independent given the class."""
    random = np.random.default_rng(seed)
    y = random.choice(["no", "yes"], rows)
    columns = {
        f"c{k}": np.where(random.random(rows) < 0.7, y, random.choice(["no", "yes"], rows)) for k in range(4)
    }
    return pandas.DataFrame({**columns, "size": random.normal(size=rows) + (y == "yes"), "y": y})


def joint(rows: int = 400, seed: int = 0) -> pandas.DataFrame:
    """Two columns that tell the class together, and nothing alone."""
    random = np.random.default_rng(seed)
    a, b, c = random.integers(0, 2, (3, rows))
    y = np.where(random.random(rows) < 0.9, a ^ b, 1 - (a ^ b))
    words = np.array(["no", "yes"])
    return pandas.DataFrame({"a": words[a], "b": words[b], "c": words[c], "y": words[y]})


def losses(choice: ModelChoice | None) -> dict[str, float]:
    assert choice is not None
    return {one.name: one.log_loss for one in choice.tried if not one.refused}


def test_the_simplest_within_one_error_is_taken() -> None:
    table = independent()
    model = bayou.fit(table, "y")
    choice = model.choice
    assert isinstance(model, bayou.NaiveBayes)
    assert choice.name == "nb"
    near = [one.name for one in choice.tried if one.worse_by <= one.error]
    assert near[0] == "nb"
    best = bayou.fit(table, "y", prefer="best")
    assert best.choice.name == min(losses(choice), key=losses(choice).__getitem__)
    assert losses(best.choice) == losses(choice)
    assert model.predict_proba(table) == pytest.approx(
        bayou.NaiveBayes().fit(table, "y").predict_proba(table)
    )


def test_a_richer_model_is_taken_where_it_is_better() -> None:
    model = bayou.fit(joint(), "y")
    choice = model.choice
    assert isinstance(model, bayou.TAN)
    assert choice["nb"].worse_by > choice["nb"].error > 0
    assert choice["nb"].log_loss == pytest.approx(np.log(2), abs=0.05)
    assert choice.chosen.accuracy > 0.85
    assert not choice.has_learned_nothing


def test_losses_are_those_of_the_same_folds_by_scikit_learn() -> None:
    table = joint(200)
    rows = read_trial_rows(table, "y", None, 10, 0)
    X = np.column_stack([rows.labelled.features.coded(name).values() for name in ("a", "b", "c")])
    folds = [
        (np.flatnonzero(rows.fold_of_row != k), np.flatnonzero(rows.fold_of_row == k)) for k in range(10)
    ]
    proba = cross_val_predict(bayou.TAN(), X, rows.truth, cv=folds, method="predict_proba")
    held = []
    for train, test in folds:
        shares = (np.bincount(rows.truth[train], minlength=2) + 1) / (len(train) + 2)
        mixed = 200 / 201 * proba[test] + shares / 201
        held.append(-np.log(mixed[np.arange(len(test)), rows.truth[test]]))
    found = bayou.fit(table, "y", models=["tan", "nb"]).choice["tan"].log_loss
    assert found == pytest.approx(np.concatenate(held).mean(), abs=1e-12)


def test_where_rows_stand_does_not_matter(tmp_path: Path) -> None:
    table = independent(300)
    expected = losses(bayou.fit(table, "y").choice)
    shuffled = table.sample(frac=1, random_state=1)
    path = tmp_path / "rows.csv"
    table.to_csv(path, index=False)
    parts = bayou.from_batches(lambda: iter([table[:100], table[100:]]))
    for rows in (shuffled, str(path), parts, table.to_dict("list"), table.to_dict("records")):
        assert losses(bayou.fit(rows, "y").choice) == pytest.approx(expected, abs=1e-12)


def test_a_database_gives_what_its_rows_give() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = independent(300)
    with duckdb.connect() as connection:
        connection.register("days", table)
        found = bayou.fit(bayou.from_sql("SELECT * FROM days", connection), "y")
    assert losses(found.choice) == pytest.approx(losses(bayou.fit(table, "y").choice), abs=1e-12)


def test_weight_2_is_the_row_twice(tmp_path: Path) -> None:
    table = independent(300)
    weights = np.arange(300) % 3
    expected = bayou.fit(table.loc[np.repeat(table.index, weights)], "y")
    weighed = table.assign(n=weights)
    weighed.to_csv(tmp_path / "rows.csv", index=False)
    for rows, given in ((table, weights), (weighed, "n"), (str(tmp_path / "rows.csv"), "n")):
        found = bayou.fit(rows, "y", weights=given)
        assert losses(found.choice) == pytest.approx(losses(expected.choice), abs=1e-12)
        assert found.predict_proba(table) == pytest.approx(expected.predict_proba(table))


def test_survey_weights_are_no_copies() -> None:
    rows = read_trial_rows(independent(300), "y", np.full(300, 200_000.0), 10, 0)
    assert (rows.labelled.rows, rows.rows, rows.is_sample) == (300, 300, False)
    assert rows.weights is not None


def test_every_row_is_in_one_fold_and_classes_are_spread_evenly() -> None:
    rows = read_trial_rows(independent(307), "y", None, 10, 0)
    for code in (0, 1):
        sizes = np.bincount(rows.fold_of_row[rows.truth == code], minlength=10)
        assert sizes.max() - sizes.min() <= 1
    other = read_trial_rows(independent(307), "y", None, 10, 1)
    assert not np.array_equal(other.fold_of_row, rows.fold_of_row) or not np.array_equal(
        other.labelled.features.numbers("size"), rows.labelled.features.numbers("size")
    )


def test_of_many_rows_a_sample_by_content_decides() -> None:
    table = independent(20_500)
    whole = read_trial_rows(table, "y", None, 10, 0)
    assert (whole.labelled.rows, whole.rows, whole.is_sample) == (20_000, 20_500, True)

    def content(rows: TrialRows) -> Any:
        return sorted(rows.labelled.features.numbers("size").tolist())

    parts = bayou.from_batches(lambda: iter([table[9_000:], table[:9_000]]))
    assert content(read_trial_rows(parts, "y", None, 10, 0)) == content(whole)
    assert content(read_trial_rows(table, "y", None, 10, 1)) != content(whole)


def test_few_rows_are_not_compared() -> None:
    choice = bayou.fit(independent(49), "y").choice
    assert choice.name == "nb"
    assert "49 rows are too few to compare" in str(choice)


def test_labels_beside_an_array() -> None:
    table = independent(200)
    X, y = np.column_stack([table["size"], table["size"] ** 2]), table["y"].to_numpy()
    model = bayou.fit(X, y)
    assert model.predict_proba(X).shape == (200, 2)
    assert model.choice.target == "class"


def test_rows_without_a_class_are_left_out() -> None:
    table = independent(200)
    table.loc[:19, "y"] = None
    with pytest.warns(bayou.BayouWarning, match="20 rows without a class"):
        model = bayou.fit(table, "y")
    assert model.choice.rows == 180


def test_one_column_of_documents_is_read_as_words() -> None:
    random = np.random.default_rng(0)
    words = {"spam": ["buy", "now", "cheap"], "ham": ["lunch", "at", "noon"]}
    y = random.choice(["spam", "ham"], 200)
    texts = [" ".join(random.choice([*words[kind], "you", "and", "the"], 6)) for kind in y]
    model = bayou.fit({"text": texts, "kind": y}, "kind", models=["text"])
    assert isinstance(model, bayou.TextNaiveBayes)
    every = bayou.fit({"text": texts, "kind": y}, "kind")
    assert not every.choice["text"].refused
    assert bayou.fit(independent(100), "y").choice["text"].refused == "not one column of texts"


def test_settings_leave_those_that_have_them() -> None:
    table = joint(200)
    model = bayou.fit(table, "y", states={"a": ["no", "yes", "maybe"]})
    assert model.choice["gaussian"].refused == "it has no states="
    assert model.states == {"a": ["no", "yes", "maybe"]}
    only = bayou.fit(table, "y", features={"a": "table"})
    assert "nothing to compare it with" in only.choice.reason


def test_what_cannot_learn_is_told_and_left_out() -> None:
    table = independent(200).assign(c0=lambda frame: frame["c0"].where(frame["c0"] == "no", "-"))
    choice = bayou.fit(table, "y").choice
    for one in choice.tried:
        assert bool(one.refused) == (one.log_loss != one.log_loss)


def test_noise_is_said_to_be_noise() -> None:
    random = np.random.default_rng(3)
    table = {"a": random.integers(0, 3, 300), "b": random.normal(size=300), "y": random.integers(0, 2, 300)}
    choice = bayou.fit(table, "y").choice
    assert choice.best is not None
    if choice.has_learned_nothing:
        assert "None is better than predicting the class shares" in str(choice)
    assert choice.best.log_loss > choice.baseline - 0.01


def test_the_table_prints_and_converts() -> None:
    choice = bayou.fit(joint(), "y").choice
    lines = str(choice).splitlines()
    assert lines[0] == "Predicting y: 400 rows, 10 folds"
    assert [line.split()[0] for line in lines[2:7]] == ["nb", "chow-liu", "tan", "kdb", "aode"]
    assert "tan *" in str(choice)
    assert "best" in str(choice)
    assert "<table>" in choice._repr_html_()
    frame = choice.to_frame()
    assert frame.loc[frame["chosen"], "model"].tolist() == ["tan"]
    assert json.loads(json.dumps(choice.to_dict(), allow_nan=False))["chosen"] == "tan"
    with pytest.raises(UnknownVariable, match="Did you mean 'tan'"):
        choice["tann"]


def test_another_fit_forgets_the_choice(tmp_path: Path) -> None:
    table = joint(200)
    model = bayou.fit(table, "y")
    model.partial_fit(table, "y")
    assert model.choice is not None
    assert model.fit(table, "y").choice is None
    model.save(tmp_path / "m.bayou")
    assert bayou.load(tmp_path / "m.bayou").choice is None


def test_what_cannot_be_chosen_is_refused() -> None:
    table = joint(200)
    with pytest.raises(BadData, match="reads the rows several times"):
        bayou.fit(iter([table]), "y")
    with pytest.raises(BadQuestion, match="'simple', 'best'"):
        bayou.fit(table, "y", prefer="quick")
    with pytest.raises(BadQuestion, match="there is no 'forest'"):
        bayou.fit(table, "y", models=["forest"])
    with pytest.raises(BadQuestion, match="has the setting depth="):
        bayou.fit(table, "y", depth=3)
    with pytest.raises(BadQuestion, match="folds=1"):
        bayou.fit(table, "y", folds=1)
    with pytest.raises(UnknownVariable, match="Did you mean 'y'"):
        bayou.fit(table, "Y")
    with pytest.raises(BadQuestion, match=r"None of the classifiers suits .* no column of numbers"):
        bayou.fit(independent(100)[["c0", "c1", "y"]], "y", models=["gaussian"])


def test_copies_of_a_row_stay_in_one_fold() -> None:
    """Else whoever remembers rows would be judged by rows that it has seen."""
    random = np.random.default_rng(0)
    x = np.repeat(random.normal(size=150), 2)
    table = {"x": x, "y": np.where(np.repeat(random.random(150), 2) < 0.5, "no", "yes")}
    rows = read_trial_rows(table, "y", None, 10, 0)
    values = rows.labelled.features.numbers("x")
    folds = {value: set(rows.fold_of_row[values == value].tolist()) for value in values.tolist()}
    assert max(map(len, folds.values())) == 1
    assert set(rows.fold_of_row.tolist()) == set(range(10))


@pytest.mark.parametrize(("weight", "name"), [(1e12, "tan"), (1e-90, "nb")])
def test_large_and_small_weights_are_taken(weight: float, name: str) -> None:
    """Rows that weigh next to nothing say nothing, so that the simplest is as good as any."""
    table = joint()
    chosen = bayou.fit(table, "y", models=["nb", "tan"], weights=np.full(len(table), weight))
    assert chosen.choice.name == name


@pytest.mark.parametrize("weight", [1e200, 1e-200])
def test_weights_without_safe_sums_are_refused(weight: float) -> None:
    table = joint()
    with pytest.raises(BadData, match=r"weights of the rows sum to .* them all by the same number"):
        bayou.fit(table, "y", models=["nb", "tan"], weights=np.full(len(table), weight))


def test_the_simpler_one_may_cost_a_standard_error_but_not_much() -> None:
    def tried(log_loss: float, error: float) -> TriedModel:
        return TriedModel("nb", "", log_loss=log_loss, worse_by=log_loss - 0.2, error=error)

    assert tried(0.2, 0.0).is_near_the_best  # the best itself
    assert tried(0.209, 0.01).is_near_the_best
    assert not tried(0.209, 0.008).is_near_the_best
    assert not tried(0.22, 0.1).is_near_the_best
