"""Rows whose columns are hidden: what is left decides, and where nothing is left, the class shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou.estimators.pooled.feature_codes import UNKNOWN, StateCodes
from bayou.estimators.pooled.gap_patterns import MOST_PATTERNS, GapPatterns
from bayou.schema import Variable

TABLES = ("car", "house_votes", "iris", "pima_missing", "soybean", "titanic", "wine", "zoo")


def _loss(model: Any, rows: pandas.DataFrame, y: np.ndarray[Any, Any]) -> float:
    logs = model.predict_log_proba(rows)
    return -float(logs[np.arange(len(y)), np.searchsorted(model.classes_, y)].mean())


def _rule(n: int, seed: int) -> tuple[pandas.DataFrame, np.ndarray[Any, Any]]:
    """Classes that follow from three columns together, beside two numbers that repeat one of them."""
    random = np.random.default_rng(seed)
    rows = pandas.DataFrame({name: random.choice(["low", "mid", "high"], n) for name in "abc"})
    score = sum(rows[name].map({"low": 0, "mid": 1, "high": 2}) for name in "abc")
    rows["d"], rows["e"] = (score + random.normal(size=n) for _ in range(2))
    return rows, np.where(score > 4, "good", np.where(score > 1, "fair", "bad"))


@pytest.mark.parametrize("part", [0.3, 0.6])
def test_hidden_cells_cost_no_more_than_all_columns_are_worth(part: float) -> None:
    rows, y = _rule(600, 0)
    new, truth = _rule(400, 1)
    model = bayou.BayesEnsemble("small").fit(rows, y)
    shares = np.log([(y == name).mean() for name in model.classes_])
    without = -float(shares[np.searchsorted(model.classes_, truth)].mean())
    hidden = np.random.default_rng(2).random(new.shape) < part
    found = _loss(model, new.mask(hidden), truth)
    assert _loss(model, new, truth) < found < without


def test_of_a_row_without_any_column_the_class_shares_are_known() -> None:
    rows, y = _rule(600, 0)
    model = bayou.BayesEnsemble("small").fit(rows, y)
    nothing = {name: [None] for name in rows.columns}
    shares = np.array([(y == name).mean() for name in model.classes_])
    np.testing.assert_allclose(model.predict_proba(nothing)[0], shares, atol=2e-3)


def test_explanations_of_rows_with_hidden_columns_add_up() -> None:
    rows, y = _rule(600, 0)
    model = bayou.BayesEnsemble("small").fit(rows, y)
    for hidden in (["a"], ["b", "d"], ["a", "b", "c", "d", "e"]):
        row = {name: None if name in hidden else value for name, value in rows.iloc[7].to_dict().items()}
        ledger = model.explain(row, of="good", against="fair")
        logs = dict(zip(model.classes_, model.predict_log_proba(pandas.DataFrame([row]))[0], strict=True))
        total = ledger.prior + sum(entry.log_odds for entry in ledger.entries)
        assert abs(total - (logs["good"] - logs["fair"])) < 1e-9


def test_gaps_that_training_never_had_together_are_unknown() -> None:
    """Two columns are missing together or not at all, as on a form whose second page is missing."""
    random = np.random.default_rng(0)
    missing = random.random(800) < 0.3
    rows = pandas.DataFrame({name: random.choice(["x", "y"], 800) for name in "abc"}).astype(object)
    rows.loc[missing, ["a", "b"]] = None
    y = np.where(missing, "left", np.where(rows["c"] == "x", "stays", "moves"))
    model = bayou.BayesEnsemble("small").fit(rows, y)
    proba = model.predict_proba(
        pandas.DataFrame({"a": ["x", None, None], "b": ["x", None, "x"], "c": ["x"] * 3})
    )
    left = list(model.classes_).index("left")
    assert proba[1, left] > 0.9
    assert max(proba[[0, 2], left]) < 0.1


def test_of_too_many_patterns_every_gap_is_a_value() -> None:
    random = np.random.default_rng(0)
    columns = [StateCodes.of(Variable(f"c{k}", ["u", "v"]), [1.0, 1.0], has_gaps=True) for k in range(20)]
    fine = random.integers(0, 3, (20, 4 * MOST_PATTERNS)).astype(np.uint8)
    free = GapPatterns.of(columns, fine, np.ones(fine.shape[1]))
    assert free.patterns is None
    np.testing.assert_array_equal(free.without_strange_gaps(fine[:, :5]), fine[:, :5])
    few = GapPatterns.of(columns, fine[:, :9], np.ones(9))
    np.testing.assert_array_equal(few.without_strange_gaps(fine[:, :9]), fine[:, :9])
    strange = few.without_strange_gaps(np.full((20, 1), 2, dtype=np.uint8))
    assert (strange == UNKNOWN).any()


def test_the_pattern_of_many_rows_is_likelier_than_that_of_a_single_one() -> None:
    columns = [StateCodes.of(Variable(f"c{k}", ["u", "v"]), [1.0, 1.0], has_gaps=True) for k in range(8)]
    fine = np.zeros((8, 100), dtype=np.uint8)
    fine[:6, 1] = 2  # one row with six gaps
    fine[4:, 2:40] = 2  # many rows with four
    weights = np.ones(100)
    found = GapPatterns.of(columns, fine, weights)
    np.testing.assert_array_equal(found.without_strange_gaps(fine), fine)  # these rows are known
    all_but_one = np.full((8, 1), 2, dtype=np.uint8)
    all_but_one[7] = 0
    assert (found.without_strange_gaps(all_but_one) != 2).all()
    all_but_one[[7, 0]] = [[2], [0]]
    assert found.without_strange_gaps(all_but_one).ravel().tolist() == [0, *[UNKNOWN] * 3, *[2] * 4]
    weights[1] = 1000  # the single row a thousand times
    all_but_one[[7, 0]] = [[0], [2]]
    again = GapPatterns.of(columns, fine, weights).without_strange_gaps(all_but_one)
    assert again.ravel().tolist() == [*[2] * 6, UNKNOWN, 0]


def test_one_row_without_cells_does_not_tell_the_class_of_others() -> None:
    """As in votes of which one member was absent at all: many others have a gap or two."""
    random = np.random.default_rng(0)
    y = np.where(random.random(300) < 0.5, "left", "right")
    votes = {f"v{k}": np.where(random.random(300) < 0.8, y, "no") for k in range(12)}
    rows = pandas.DataFrame(votes).astype(object).mask(random.random((300, 12)) < 0.02)
    rows.iloc[0] = None
    y[0] = "left"
    model = bayou.BayesEnsemble("small").fit(rows, y)
    nothing = model.predict_proba(pandas.DataFrame({name: [None] for name in rows}))[0]
    assert max(nothing) < 0.6


@needs_shared_data
@pytest.mark.filterwarnings("ignore:Only 8 of 683 rows have")  # of soybean
@pytest.mark.parametrize("name", TABLES)
def test_shared_tables_with_hidden_cells_and_columns(name: str) -> None:
    text = str if name in ("car", "house_votes", "soybean") else None
    path = SHARED / "tables" / f"{name}.csv.gz"
    frame = pandas.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].astype(str).to_numpy()
    random = np.random.default_rng(0)
    new = random.random(len(y)) < 0.3
    model = bayou.BayesEnsemble("small").fit(X[~new], y[~new])
    known = new & np.isin(y, model.classes_)
    shares = np.log([(y[~new] == each).mean() for each in model.classes_])
    without = -float(shares[np.searchsorted(model.classes_, y[known])].mean())
    rows = X[known]
    for part in (0.3, 0.6):
        assert _loss(model, rows.mask(random.random(rows.shape) < part), y[known]) < without
    some = random.permutation(X.columns)[: max(1, X.shape[1] // 3)]
    assert _loss(model, rows.assign(**dict.fromkeys(some)), y[known]) < without
