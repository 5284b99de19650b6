"""BayesEnsemble: the interface, small tables, explanations, files, weights, batches, random rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest

import bayou
from bayou import BayesEnsemble, NaiveBayes
from bayou.errors import BadQuestion, BayouWarning
from bayou.estimators.pooled import pool_settings


def table(n: int = 300, seed: int = 1) -> tuple[pandas.DataFrame, np.ndarray]:
    """Numbers, states, gaps, a date, and a class that follows from two columns together."""
    random = np.random.default_rng(seed)
    x, kind = random.normal(size=n), random.choice(["a", "b", "c"], n)
    y = np.where((x > 0) == (kind == "a"), "ja", "nein")
    y = np.where(random.random(n) < 0.1, "offen", y)
    frame = pandas.DataFrame(
        {
            "x": x,
            "kind": kind,
            "zeros": np.where(random.random(n) < 0.9, 0.0, x),
            "flag": random.random(n) < 0.5,
            "day": pandas.Timestamp("2020-01-01") + pandas.to_timedelta(random.integers(0, 900, n), "D"),
            "constant": 1.5,
        }
    )
    frame.loc[random.random(n) < 0.2, "zeros"] = np.nan
    frame.loc[random.random(n) < 0.1, "kind"] = None
    return frame, y


@pytest.fixture(scope="module")
def fitted() -> BayesEnsemble:
    return BayesEnsemble("small").fit(*table())


def test_it_learns_what_two_columns_say_together(fitted: BayesEnsemble) -> None:
    rows, y = table(400, seed=2)
    plain = NaiveBayes().fit(*table())
    assert (fitted.predict(rows) == y).mean() > 0.8 > (plain.predict(rows) == y).mean() + 0.1
    proba = fitted.predict_proba(rows)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (proba > 0).all()


def test_a_ledger_adds_up_to_the_log_odds(fitted: BayesEnsemble) -> None:
    rows, _ = table(25, seed=3)
    for number in range(len(rows)):
        row = rows.iloc[[number]]
        ledger = fitted.explain(row, of="ja", against="offen")
        logs = fitted.predict_log_proba(row)[0]
        parts = ledger.prior + sum(entry.log_odds for entry in ledger.entries)
        assert abs(parts - (logs[0] - logs[2])) < 1e-9
        assert ledger.additive
        assert {entry.name: entry.log_odds for entry in ledger.entries}["constant"] == 0.0
    assert abs({e.name: e.log_odds for e in ledger.entries}["x"]) > 0.05


def test_a_ledger_adds_up_where_naive_bayes_takes_part() -> None:
    rows, y = table(100)
    for model in (BayesEnsemble("small").fit(rows, y), BayesEnsemble().fit(rows[:40], y[:40])):
        for given in (model, model.with_class_prior("uniform")):
            ledger = given.explain(rows.iloc[[3]], of="nein", against="ja")
            logs = given.predict_log_proba(rows.iloc[[3]])[0]
            parts = ledger.prior + sum(entry.log_odds for entry in ledger.entries)
            assert abs(parts - (logs[1] - logs[0])) < 1e-9


def test_below_50_rows_it_is_naive_bayes() -> None:
    rows, y = table(49)
    new, _ = table(30, seed=8)
    model, plain = BayesEnsemble().fit(rows, y), NaiveBayes().fit(rows, y)
    np.testing.assert_allclose(model.predict_proba(new), plain.predict_proba(new), rtol=1e-9)
    assert "NaiveBayes" in str(model.summary())


def test_the_step_from_naive_bayes_is_small() -> None:
    rows, y = table(51)
    plain = NaiveBayes().fit(rows, y).predict_log_proba(rows)
    near = BayesEnsemble("small").fit(rows, y).predict_log_proba(rows)
    assert np.abs(near - plain)[:, :2].max() < 0.2


def test_order_batches_and_threads_change_nothing(fitted: BayesEnsemble) -> None:
    rows, y = table()
    new, _ = table(50, seed=4)
    expected = fitted.predict_proba(new)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = BayesEnsemble("small").fit(rows.iloc[order], y[order])
    np.testing.assert_array_equal(shuffled.predict_proba(new), expected)
    parts = BayesEnsemble("small").partial_fit(rows[:120], y[:120]).partial_fit(rows[120:], y[120:])
    np.testing.assert_array_equal(parts.predict_proba(new), expected)
    with bayou.threads(1):
        alone = BayesEnsemble("small").fit(rows, y).predict_proba(new)
    np.testing.assert_array_equal(alone, expected)


@pytest.mark.parametrize("n", [600, 120])
def test_a_weight_of_2_is_the_row_twice_and_0_is_absent(n: int) -> None:
    rows, y = table(n)
    weights = np.random.default_rng(5).integers(0, 4, n)
    weighted = BayesEnsemble("small").fit(rows, y, sample_weight=weights)
    places = np.repeat(np.arange(n), weights)
    repeated = BayesEnsemble("small").fit(rows.iloc[places].reset_index(drop=True), y[places])
    np.testing.assert_allclose(weighted.predict_proba(rows), repeated.predict_proba(rows), rtol=1e-9)


def test_seeds_draw_other_members() -> None:
    rows, y = table()
    one, other = (BayesEnsemble("small", random_state=seed).fit(rows, y) for seed in (0, 1))
    assert not np.allclose(one.predict_proba(rows), other.predict_proba(rows))
    drawn = BayesEnsemble("small", random_state=np.random.RandomState(3)).fit(rows, y)
    again = BayesEnsemble("small", random_state=np.random.RandomState(3)).fit(rows, y)
    assert drawn.seed_ == again.seed_


def test_new_values_and_gaps_are_left_out(fitted: BayesEnsemble) -> None:
    rows, _ = table(20, seed=9)
    strange = rows.assign(kind="never seen", x=np.nan, flag=None)
    with pytest.warns(BayouWarning, match="20 in 'kind'"):
        proba = fitted.predict_proba(strange)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    hidden = fitted.predict_proba(rows.assign(**dict.fromkeys(rows.columns)))
    shares = np.array([(table()[1] == name).mean() for name in fitted.classes_])
    assert np.abs(hidden - shares).max() < 0.35


def test_the_summary_tells_calibration_and_exponents(fitted: BayesEnsemble) -> None:
    summary = fitted.summary()
    assert summary.held_out is not None
    assert summary.calibration is not None
    assert "class trees" in str(summary)
    rows, y = table(2000, seed=7)
    said = summary.held_out.log_loss
    logs = fitted.predict_log_proba(rows)
    new = -logs[np.arange(len(y)), np.searchsorted(fitted.classes_, y)].mean()
    assert abs(said - new) < 0.12


def test_noise_is_predicted_as_the_class_shares() -> None:
    random = np.random.default_rng(0)
    rows = {f"c{k}": random.normal(size=500) for k in range(6)} | {"s": random.choice(list("abcd"), 500)}
    y = random.choice(["no", "yes"], 500, p=[0.7, 0.3])
    model = BayesEnsemble("small").fit(rows, y)
    new = {name: random.permutation(column) for name, column in rows.items()}
    logs = model.predict_log_proba(new)
    truth = random.choice([0, 1], 500, p=[0.7, 0.3])
    shares = np.log([(y == name).mean() for name in model.classes_])
    loss, of_shares = -logs[np.arange(500), truth].mean(), -shares[truth].mean()
    assert loss < 1.02 * of_shares


def test_wrong_sizes_are_refused_and_change_nothing(fitted: BayesEnsemble) -> None:
    rows, y = table(60)
    model = BayesEnsemble("huge")
    with pytest.raises(BadQuestion, match="size='huge'"):
        model.fit(rows, y)
    assert not hasattr(model, "statistics_")


def test_many_classes_and_a_class_with_one_row() -> None:
    random = np.random.default_rng(2)
    y = np.append(random.integers(0, 12, 400), 99)
    rows = {"a": y + random.normal(size=401), "b": (y % 4).astype(str)}
    model = BayesEnsemble("small").fit(rows, y)
    proba = model.predict_proba(rows)
    assert proba.shape == (401, 13)
    assert np.isfinite(np.log(proba)).all()
    assert (model.predict(rows) == y).mean() > 0.5


@pytest.mark.parametrize(
    "weights",
    [
        np.full(60, 200_000.0),
        np.append(np.linspace(50_000, 400_000, 58), [1, 0]),
        np.linspace(1.5, 3, 60),
        np.full(60, 100),
    ],
)
def test_weights_that_count_no_rows_are_told(weights: np.ndarray) -> None:
    rows, y = table(60)
    with pytest.warns(BayouWarning, match='weights_are="survey"'):
        BayesEnsemble("small").fit(rows, y, sample_weight=weights)


@pytest.mark.parametrize(
    "weights", [np.full(60, 2), np.arange(60) % 9, np.linspace(0.1, 1.8, 60), np.append(np.ones(59), 5000)]
)
def test_numbers_of_rows_and_weights_around_1_are_silent(weights: np.ndarray) -> None:
    rows, y = table(60)
    assert BayesEnsemble("small").fit(rows, y, sample_weight=weights).classes_.size


def test_files_and_batches_give_the_model_of_the_table(tmp_path: Path) -> None:
    rows, y = table()
    new, _ = table(50, seed=4)
    whole = rows.assign(target=y)
    expected = BayesEnsemble("small").fit(whole, "target").predict_proba(new)
    whole.to_csv(tmp_path / "rows.csv", index=False)
    of_file = BayesEnsemble("small").fit(tmp_path / "rows.csv", "target")
    np.testing.assert_array_equal(of_file.predict_proba(new), expected)
    of_batches = BayesEnsemble("small").fit(iter([whole[:90], whole[90:]]), "target")
    np.testing.assert_array_equal(of_batches.predict_proba(new), expected)


def test_sums_and_forgetting_are_those_of_the_rows(fitted: BayesEnsemble) -> None:
    rows, y = table()
    new, _ = table(50, seed=4)
    one, other = (
        BayesEnsemble("small").fit(rows[:150], y[:150]),
        BayesEnsemble("small").fit(rows[150:], y[150:]),
    )
    np.testing.assert_array_equal((one + other).predict_proba(new), fitted.predict_proba(new))
    less = fitted.copy().forget(rows[150:], y[150:])
    np.testing.assert_array_equal(less.predict_proba(new), one.predict_proba(new))


def test_a_column_without_any_number_is_left_out() -> None:
    x, labels = np.arange(120.0), ["a", "b"] * 60
    model = BayesEnsemble("small").fit({"x": x, "z": np.full(120, np.nan)}, labels)
    assert model.predict_proba({"x": [1.0], "z": [5.0]}).sum() == pytest.approx(1, abs=1e-12)


def test_a_gap_that_training_never_saw_is_the_mean_of_an_indicator() -> None:
    random = np.random.default_rng(0)
    sure = random.random(800) < 0.5
    labels = np.where(sure ^ (random.random(800) < 0.1), "a", "b")
    model = BayesEnsemble("small").fit({"sure": sure, "noise": random.normal(size=800)}, labels)
    proba = model.predict_proba({"sure": [None], "noise": [0.0]})
    assert abs(proba[0, 0] - 0.5) < 0.1


@pytest.mark.parametrize("given", [-1, "a", 1.5])
def test_seeds_that_are_none_are_refused(given: object) -> None:
    with pytest.raises(BadQuestion, match="random_state="):
        BayesEnsemble(random_state=given).fit({"x": [1.0, 2.0]}, ["a", "b"])


@pytest.mark.parametrize("unit", [1.0, 200_000.0, 0.003, -1.0])
def test_only_the_ratios_of_survey_weights_matter(unit: float) -> None:
    rows, y = table(400)
    new, _ = table(50, seed=4)
    weights = np.random.default_rng(3).uniform(0.5, 3, 400)
    expected = BayesEnsemble("small", weights_are="survey").fit(rows, y, sample_weight=weights)
    if unit < 0:  # in two parts
        found = BayesEnsemble("small", weights_are="survey").partial_fit(
            rows[:100], y[:100], sample_weight=weights[:100]
        )
        found.partial_fit(rows[100:], y[100:], sample_weight=weights[100:])
    else:
        found = BayesEnsemble("small", weights_are="survey").fit(rows, y, sample_weight=weights * unit)
    np.testing.assert_allclose(found.predict_proba(new), expected.predict_proba(new), rtol=1e-6)
    effective = weights.sum() ** 2 / (weights**2).sum()
    as_rows = np.round(weights * effective / weights.sum(), 9)
    stated = BayesEnsemble("small").fit(rows, y, sample_weight=as_rows)
    np.testing.assert_allclose(stated.predict_proba(new), expected.predict_proba(new), rtol=1e-6)


def test_equal_survey_weights_are_no_weights() -> None:
    rows, y = table(300)
    rows["kind"], rows["x"], rows["zeros"] = "a", rows["x"].round(), 0.0  # some rows are equal
    new, _ = table(50, seed=4)
    plain = BayesEnsemble("small").fit(rows, y)
    model = BayesEnsemble("small", weights_are="survey").fit(rows, y, sample_weight=np.full(300, 2e5))
    np.testing.assert_allclose(model.predict_proba(new), plain.predict_proba(new), rtol=1e-6)


def test_a_reading_of_weights_that_there_is_not() -> None:
    rows, y = table(60)
    with pytest.raises(BadQuestion, match="weights_are='people'"):
        BayesEnsemble(weights_are="people").fit(rows, y)


def test_a_number_of_seconds_leads_to_a_size_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, y = table(150)
    new, _ = table(50, seed=4)
    clock = iter([0.0, 2.0])  # the small ensemble takes 2 seconds, the standard one is expected to take 6
    monkeypatch.setattr(pool_settings, "monotonic", lambda: next(clock))
    model = BayesEnsemble("large", seconds=8.5).fit(rows, y)
    monkeypatch.undo()
    assert model.size_ == "standard"
    assert "Size: standard (12 k-dependence tables, 120 class trees)" in str(model.summary())
    expected = BayesEnsemble("standard").fit(rows, y).predict_proba(new)
    np.testing.assert_array_equal(model.predict_proba(new), expected)
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    assert again.size_ == "standard"
    np.testing.assert_array_equal(again.predict_proba(new), expected)
    monkeypatch.setattr(pool_settings, "monotonic", lambda: 0.0)  # no time passes: the large one fits in
    few = BayesEnsemble(seconds=8.5).partial_fit(rows[:120], y[:120])
    assert few.size_ == "large"
    clock = iter([0.0, 9.0])
    monkeypatch.setattr(pool_settings, "monotonic", lambda: next(clock))
    few.partial_fit(rows[120:], y[120:])
    monkeypatch.undo()
    assert few.size_ == "small"
    expected = BayesEnsemble("small").fit(rows, y).predict_proba(new)
    np.testing.assert_array_equal(few.predict_proba(new), expected)
    with pytest.raises(BadQuestion, match="seconds=0"):
        BayesEnsemble(seconds=0).fit(rows, y)
