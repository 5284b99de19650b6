"""MDL cuts beside Orange3's, where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

from bayou._native import mdl_cuts

data = pytest.importorskip("Orange.data")
discretize = pytest.importorskip("Orange.preprocess.discretize")


@pytest.mark.parametrize("digits", [1, 2, 12])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_cuts_are_those_of_orange(digits: int, classes: int) -> None:
    random = np.random.default_rng(digits * classes)
    labels = random.integers(0, classes, 4000)
    values = np.round(random.normal(size=4000) + labels * random.choice([0.2, 0.7, 2.0]), digits)
    domain = data.Domain(
        [data.ContinuousVariable("x")],
        data.DiscreteVariable("y", values=tuple(str(k) for k in range(classes))),
    )
    table = data.Table.from_numpy(domain, values[:, None], labels.astype(float))
    theirs = discretize.EntropyMDL()(table, domain.attributes[0]).compute_value.points
    (mine,) = mdl_cuts([values], labels.astype(np.uint32), classes)
    np.testing.assert_allclose(mine, np.asarray(theirs, dtype=float), rtol=1e-12)
