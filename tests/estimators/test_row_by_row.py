"""Small tables that grow by a row: no row changes what is believed by a jump."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.estimators.naive_bayes.evidence_weight import ALL_ROWS, NO_ROWS


def _redundant(n: int) -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """Eight noisy copies of one finding, of which naive Bayes is far too sure."""
    random = np.random.default_rng(3)
    y = random.integers(0, 2, n)
    finding = np.where(random.random(n) < 0.75, y, 1 - y)
    copies = {f"c{k}": np.where(random.random(n) < 0.95, finding, 1 - finding).astype(str) for k in range(8)}
    return copies, y


def _learned(make: Any, n: int) -> Any:
    table, y = _redundant(200)
    return make().fit({name: column[:n] for name, column in table.items()}, y[:n])


@pytest.mark.parametrize("make", [bayou.NaiveBayes, bayou.TAN, bayou.KDependence, bayou.AODE])
def test_no_row_makes_a_jump_of_the_exponent(make: Any) -> None:
    weights = [_learned(make, n).evidence_weight_ for n in (25, 26, 32, 33, 49, 50, 51)]
    assert weights[0] == 1
    assert weights[-1] < 0.7
    assert np.abs(np.diff(weights)[[0, 2, 4, 5]]).max() < 0.1


def test_the_ensemble_begins_without_a_jump() -> None:
    new = _redundant(200)[0]
    found = [_learned(bayou.BayesEnsemble, n).predict_proba(new) for n in (49, 50, 51)]
    assert max(np.abs(np.diff(found, axis=0)).mean(axis=(1, 2))) < 0.05


def test_exponents_come_in_between_two_numbers_of_rows() -> None:
    few, some, all_rows = (_learned(bayou.NaiveBayes, n) for n in (int(NO_ROWS), 40, int(ALL_ROWS)))
    assert few.evidence_weight_ == 1
    assert few.column_weights_ == {}
    assert all_rows.evidence_weight_ < some.evidence_weight_ < 1
    assert _learned(bayou.NaiveBayes, int(NO_ROWS) + 1).evidence_weight_ < 1
