"""The folds are those of scikit-learn, in one byte a row."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from bayou.estimators.evaluation.folds import shuffled_strata


@pytest.mark.parametrize("folds", [2, 3, 10])
@pytest.mark.parametrize("classes", [1, 2, 7])
@pytest.mark.parametrize("seed", [0, 5])
def test_the_folds_of_scikit_learn(folds: int, classes: int, seed: int) -> None:
    random = np.random.default_rng(classes)
    strata = np.minimum(random.poisson(1.5, 357), classes - 1).astype(np.int8)[::-1]
    expected = np.empty(len(strata), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds
        for fold, (_, test) in enumerate(
            StratifiedKFold(folds, shuffle=True, random_state=seed).split(strata, strata)
        ):
            expected[test] = fold
    found = shuffled_strata(strata, folds, seed)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.int8
