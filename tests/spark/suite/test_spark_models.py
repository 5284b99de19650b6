"""Models learned from a Spark DataFrame: those of the same rows in memory; answers are DataFrames again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.spark.java import frame_of

import bayou
from bayou.errors import BadData

ROWS = 1200
WORDS = ["cheap", "pills", "meeting", "lunch", "offer", "agenda", "now", "team"]


def _table() -> dict[str, list[Any]]:
    random = np.random.default_rng(5)
    wind = random.choice(["weak", "strong", "none"], ROWS)
    hum = random.integers(0, 4, ROWS)
    play = np.where(random.random(ROWS) < 0.2 + 0.3 * (wind == "weak") + 0.1 * hum, "yes", "no")
    temp = random.normal(20, 5, ROWS) + 3 * (play == "yes")
    wet = random.normal(0, 1, ROWS) + 0.5 * temp
    return {
        "wind": [None if u < 0.05 else str(w) for u, w in zip(random.random(ROWS), wind, strict=True)],
        "hum": hum.tolist(),
        "temp": [None if u < 0.05 else float(t) for u, t in zip(random.random(ROWS), temp, strict=True)],
        "wet": wet.tolist(),
        "play": play.tolist(),
    }


TABLE = _table()
KINDS = dict(zip(TABLE, ["string", "int", "double", "double", "string"], strict=True))


def _some(*names: str) -> tuple[Any, pd.DataFrame]:
    table = {name: TABLE[name] for name in names}
    kinds = ", ".join(KINDS[name] for name in names)
    return frame_of(table, kinds), pd.DataFrame(table)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (bayou.NaiveBayes(), tuple(TABLE)),
        (bayou.GaussianBayes(), ("temp", "wet", "play")),
        (bayou.TAN(), ("wind", "hum", "temp", "play")),
        (bayou.AODE(), ("wind", "hum", "play")),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, tuple) else "",
)
def test_classifiers(model: Any, names: tuple[str, ...]) -> None:
    frame, table = _some(*names)
    features = [name for name in names if name != "play"]
    expected = type(model)().fit(table, "play")
    found = model.fit(frame, "play")
    answered = found.predict_frame(frame).toPandas()
    assert list(answered.columns) == [*names, "predicted_play", "P(play=no)", "P(play=yes)"]
    probabilities = expected.predict_proba(answered[features])
    assert np.allclose(answered[["P(play=no)", "P(play=yes)"]], probabilities, rtol=1e-10, atol=0)
    assert answered["predicted_play"].tolist() == expected.predict(answered[features]).tolist()
    assert sorted(answered["play"]) == sorted(table["play"])
    assert found.score(frame, "play") == expected.score(table, "play")
    only = found.predict(frame)
    assert only.columns == [*names, "predicted_play"]
    assert found.predict_proba(frame.drop("play")).columns == [*features, "P(play=no)", "P(play=yes)"]


@pytest.mark.parametrize("model", [bayou.TAN(), bayou.NaiveBayes()], ids=["TAN", "naive Bayes"])
def test_classes_may_be_floats_that_are_whole(model: Any) -> None:
    table = {"wind": TABLE["wind"], "wet": TABLE["wet"], "y": [float(p == "yes") for p in TABLE["play"]]}
    expected = type(model)().fit(pd.DataFrame(table), "y")
    found = model.fit(frame_of(table, "string, double, double"), "y")
    assert found.classes_.tolist() == expected.classes_.tolist() == [0, 1]
    rows = {"wind": ["weak", "none"], "wet": [9.0, 14.0]}
    assert np.allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=1e-10, atol=0)
    halves = frame_of({**table, "y": [0.5, *table["y"][1:]]}, "string, double, double")
    with pytest.raises(BadData, match="Unknown label type: continuous"):
        type(model)().fit(halves, "y")


def test_classifiers_learn_on_and_take_weights_by_name() -> None:
    frame, table = _some("wind", "hum", "play")
    expected = bayou.NaiveBayes().fit(table[["wind", "play"]], "play", sample_weight=table["hum"])
    found = bayou.NaiveBayes().fit(frame, "play", sample_weight="hum")
    rows = table[["wind"]].head(20)
    assert np.array_equal(found.predict_proba(rows), expected.predict_proba(rows))
    twice = bayou.NaiveBayes().fit(frame, "play").partial_fit(frame, "play")
    both = bayou.NaiveBayes().fit(pd.concat([table, table]), "play")
    rows = table[["wind", "hum"]].head(20)
    assert np.array_equal(twice.predict_proba(rows), both.predict_proba(rows))
    with pytest.raises(BadData, match="let y be the name of one of its columns"):
        bayou.NaiveBayes().fit(frame, table["play"])


def test_text() -> None:
    random = np.random.default_rng(2)
    spam = random.random(300) < 0.4
    texts = [" ".join(random.choice(WORDS[:6] if s else WORDS[2:], 5)) for s in spam]
    table = {"text": texts, "kind": np.where(spam, "spam", "ham").tolist()}
    frame = frame_of(table, "string, string")
    expected = bayou.TextNaiveBayes().fit(pd.DataFrame(table), "kind")
    found = bayou.TextNaiveBayes().fit(frame, "kind")
    assert found.vocabulary_ == expected.vocabulary_
    answered = found.predict_frame(frame).toPandas()
    assert np.array_equal(answered["P(kind=spam)"], expected.predict_proba(answered[["text"]])[:, 1])


def test_rows_without_a_class_are_left_out() -> None:
    table = {"a": ["x", "y", "x", "z"], "y": ["no", "yes", None, None]}
    with pytest.warns(bayou.BayouWarning, match="2 rows without a class"):
        found = bayou.NaiveBayes().fit(frame_of(table, "string, string", 2), "y")
    with pytest.warns(bayou.BayouWarning, match="2 rows without a class"):
        expected = bayou.NaiveBayes().fit(pd.DataFrame(table), "y")
    assert np.array_equal(found.predict_proba({"a": ["x", "y"]}), expected.predict_proba({"a": ["x", "y"]}))


def test_networks_of_known_structure() -> None:
    frame, table = _some("wind", "hum", "play")
    arrows = "wind -> play; hum -> play"
    counted = bayou.Network(arrows).fit(frame, method="count")
    assert counted.same_as(bayou.Network(arrows).fit(table, method="count"))
    mixed = bayou.Network("play -> temp; temp -> wet").fit(_some("play", "temp", "wet")[0], method="count")
    expected = bayou.Network("play -> temp; temp -> wet").fit(pd.DataFrame(TABLE), method="count")
    rows = {"temp": [15.0, 25.0], "wet": [9.0, 11.0]}
    assert np.allclose(
        mixed.posterior(rows, "play")["play"], expected.posterior(rows, "play")["play"], rtol=1e-10
    )


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")  # few steps, on purpose
def test_em_learns_from_rows_with_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, table = _some("wind", "hum", "play")
    arrows = "wind -> play; hum -> play"
    expected = bayou.Network(arrows).fit(table)
    found = bayou.Network(arrows).fit(frame)
    assert np.allclose(found.frozen.table("play"), expected.frozen.table("play"), rtol=1e-6)
    # The same, with the rows left on the workers: the model travels there for every step.
    from bayou.learning.em import training_rows

    monkeypatch.setattr(training_rows.TrainingRows.__init__, "__kwdefaults__", {"fill_all": False})
    monkeypatch.setattr(training_rows.TrainingRows.__init__, "__defaults__", (0,))
    far = bayou.Network(arrows).fit(frame, max_iterations=4, tolerance=0)
    near = bayou.Network(arrows).fit(table, max_iterations=4, tolerance=0)
    assert np.allclose(far.frozen.table("play"), near.frozen.table("play"), rtol=1e-9)


@pytest.mark.parametrize("method", ["hill-climbing", "chow-liu"])
def test_structures(method: str) -> None:
    frame, table = _some("wind", "hum", "play")
    found = bayou.learn_structure(frame.dropna(), method=method)
    expected = bayou.learn_structure(table.dropna(), method=method)
    assert found.same_as(expected)


def test_answers_of_a_network_come_back_as_a_dataframe() -> None:
    frame, table = _some("wind", "hum", "play")
    net = bayou.Network("wind -> play; hum -> play").fit(table)
    answered = net.posterior(frame, ["play", "hum"]).toPandas()
    expected = net.posterior(answered[["wind", "hum", "play"]], ["play", "hum"]).to_frame()
    assert list(answered.columns) == ["wind", "hum", "play", *expected.columns]
    assert np.array_equal(answered[expected.columns], expected)
    predicted = net.predict(frame.drop("play"), "play").toPandas()
    assert predicted["predicted_play"].tolist() == list(net.predict(predicted[["wind", "hum"]], "play"))
    states = net.predict(frame, "hum")
    assert dict(states.dtypes)["predicted_hum"] == "bigint"
    with pytest.raises(BadData, match="has a column 'predicted_hum' already"):
        net.predict(states, "hum")
    assert net.log_likelihood(frame) == pytest.approx(net.log_likelihood(table), rel=1e-12)


def test_hidden_markov_models() -> None:
    random = np.random.default_rng(1)
    who = np.repeat([f"p{k}" for k in range(12)], 20)
    day = np.tile(np.arange(20), 12)
    hot = (np.arange(240) // 7) % 2
    x = random.normal(4.0 * hot, 1.0)
    order = random.permutation(240)
    table = {"who": who[order].tolist(), "day": day[order].tolist(), "x": x[order].tolist()}
    frame = frame_of(table, "string, int, double")
    options: dict[str, Any] = {"sequence": "who", "time": "day", "seed": 1}
    found = bayou.HMM(2, emissions={"x": "gaussian"}).fit(frame, **options)
    expected = bayou.HMM(2, emissions={"x": "gaussian"}).fit(pd.DataFrame(table), **options)
    assert np.allclose(found.transition, expected.transition, rtol=1e-5)
