"""Classifiers whose findings act together: what each changes, a remainder, and changes by search."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from bayou.errors import BadQuestion
from bayou.estimators.gaussian.gaussian_bayes import GaussianBayes
from bayou.estimators.networks.aode import AODE
from bayou.estimators.networks.network_classifier import NetworkClassifier
from bayou.estimators.networks.tree_classifiers import TAN, ChowLiuClassifier, KDependence

LONG = "a name that is long, with spaces & ümlauts"
KINDS = [TAN(), TAN(prior=0.5), ChowLiuClassifier(), KDependence(2), AODE(), NetworkClassifier()]


def table(rows: int = 90) -> tuple[dict[Any, Any], Any]:
    rng = np.random.default_rng(8)
    classes = rng.integers(0, 3, rows)
    first = (classes + rng.integers(0, 2, rows)) % 3
    columns: dict[Any, Any] = {
        LONG: [["ü", "b", "c d"][k] for k in first],
        3: ((first + rng.integers(0, 2, rows)) % 3).tolist(),
        "size": (classes + first + rng.normal(size=rows)).tolist(),
        "open": (classes > 1).tolist(),
    }
    columns[3] = [None if k % 9 == 2 else value for k, value in enumerate(columns[3])]
    return columns, np.array(["x", "y", "z"])[classes]


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_an_entry_is_the_change_when_the_finding_is_left_out(kind: Any) -> None:
    X, y = table()
    model = kind.fit(X, y)
    for k in (0, 2, 11, 40):
        row = {name: column[k] for name, column in X.items()}
        for a, b in (("x", "y"), ("z", "x")):
            ledger = model.explain(row, a, b, "column")
            full = _odds(model, row, a, b)
            assert not ledger.additive
            assert ledger.total == pytest.approx(full, abs=1e-9)
            assert ledger.prior == pytest.approx(_odds(model, dict.fromkeys(row), a, b), abs=1e-9)
            for entry in ledger.entries:
                want = full - _odds(model, {**row, entry.name: None}, a, b)
                assert entry.log_odds == pytest.approx(want, abs=1e-9)
                assert (entry.left_out == "missing") == (row[entry.name] is None)
            parts = sum(entry.log_odds for entry in ledger.entries)
            assert ledger.prior + parts + ledger.remainder == pytest.approx(ledger.total, abs=1e-9)
            assert "remainder (together)" in str(ledger)
            assert "when left out" in str(ledger)
            assert ledger.to_frame()["part"].tolist()[-2:] == ["remainder", "sum"]


def _odds(model: Any, row: dict[Any, Any], a: str, b: str) -> float:
    logs = model.predict_log_proba([row])[0]
    states = model.classes_.tolist()
    return float(logs[states.index(a)] - logs[states.index(b)])


def test_the_counts_of_the_family_stand_behind_an_entry() -> None:
    X, y = table()
    model = NetworkClassifier(f'class -> "{LONG}"; class, "{LONG}" -> open').fit(X, y)
    ledger = model.explain({LONG: "b", "open": False}, "x", "y", "column")
    rows = list(zip(X[LONG], X["open"], y, strict=True))
    for place, state in enumerate(("x", "y")):
        of_class = [row for row in rows if row[2] == state]
        family = [row for row in of_class if row[0] == "b"]
        entries = {entry.name: entry.behind[place] for entry in ledger.entries}
        assert entries[LONG] == f"{len(family)} of {len(of_class)}"
        assert entries["open"] == f"{sum(not row[1] for row in family)} of {len(family)}"
        assert ledger.prior_behind[place] == f"{len(of_class)} of {len(rows)}"


@pytest.mark.parametrize("kind", [TAN(), AODE(), NetworkClassifier()], ids=repr)
def test_values_that_were_never_seen_are_told(kind: Any) -> None:
    X, y = table()
    entry = kind.fit(X, y).explain({LONG: "new", "open": True}, order="column").entries[0]
    assert (entry.log_odds, entry.left_out) == (0.0, "never seen")


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_the_smallest_change_is_found_by_search(kind: Any) -> None:
    X, y = table()
    del X["size"]
    model = kind.fit(X, y)
    states = {name: sorted({v for v in column if v is not None}, key=str) for name, column in X.items()}
    for k in (0, 5, 17):
        row = {name: column[k] for name, column in X.items()}
        before = model.predict([row])[0]
        for to in (None, *sorted({"x", "y", "z"} - {before})):
            flip = model.smallest_change(row, to)
            best = _brute_force(model, row, states, before, to)
            assert (None if flip is None else len(flip.changes)) == best
            if flip is not None:
                changed = {**row, **{change.name: change.new for change in flip.changes}}
                assert model.predict([changed])[0] == flip.after
                assert flip.after != before
                assert to in (None, flip.after)


def _brute_force(model: Any, row: Any, states: Any, before: Any, to: Any) -> int | None:
    present = [name for name in row if row[name] is not None]
    for size in range(1, len(present) + 1):
        rows = [
            {**row, **dict(zip(names, values, strict=True))}
            for names in combinations(present, size)
            for values in product(*(states[name] for name in names))
        ]
        after = model.predict(rows)
        if (after != before if to is None else after == to).any():
            return size
    return None


def test_a_number_moves_to_the_nearest_range_that_turns_the_decision() -> None:
    rng = np.random.default_rng(0)
    size = np.concatenate([rng.normal(0, 1, 150), rng.normal(5, 1, 150)])
    model = TAN().fit({"size": size, "noise": rng.integers(0, 2, 300)}, np.repeat(["small", "large"], 150))
    flip = model.smallest_change({"size": 0.25, "noise": 1})
    assert flip is not None
    cut = flip.changes[0].new
    assert isinstance(cut, float)
    assert model.predict([{"size": cut, "noise": 1}])[0] == "large"
    assert model.predict([{"size": cut - 1e-9, "noise": 1}])[0] == "small"


@pytest.mark.parametrize("kind", [TAN(), AODE()], ids=repr)
def test_what_is_no_product_and_no_line_is_refused_kindly(kind: Any) -> None:
    X, y = table()
    model = kind.fit(X, y)
    with pytest.raises(BadQuestion, match="is not linear in its features"):
        model.linear_weights("x", "y")
    with pytest.raises(BadQuestion, match="no such calculation"):
        model.working({"open": True})


@pytest.mark.parametrize("kind", ["shared", "full", "spherical", "diagonal"])
def test_gaussians_of_all_columns_have_a_ledger_too(kind: str) -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.5], [0, 0, 1]]) + 2 * y[:, None]
    model = GaussianBayes(kind).fit(X, y)
    row = X[0].tolist()
    ledger = model.explain(row, 1, 0, "column")
    logs = model.predict_log_proba([row])[0]
    assert ledger.total == pytest.approx(logs[1] - logs[0], abs=1e-9)
    without = model.predict_log_proba([[np.nan, *row[1:]]])[0]
    assert ledger.entries[0].log_odds == pytest.approx(ledger.total - (without[1] - without[0]), abs=1e-9)
    assert ledger.entries[0].behind[0].startswith("mean ")
    assert ledger.prior_behind == (f"{(y == 1).sum()} of 80", f"{(y == 0).sum()} of 80")
    flip = model.smallest_change(row)
    assert flip is not None
    changed = {change.name: change.new for change in flip.changes}
    assert model.predict([[changed.get(f"x{k}", value) for k, value in enumerate(row)]])[0] == flip.after
    if kind in ("shared", "spherical"):
        unit = model.linear_weights(1, 0)
        assert unit.log_odds({f"x{k}": value for k, value in enumerate(row)}) == pytest.approx(ledger.total)
    else:
        with pytest.raises(BadQuestion, match="covariances of 1 and 0 differ"):
            model.linear_weights(1, 0)
