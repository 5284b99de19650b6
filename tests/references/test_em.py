"""EM and gradient ascent against exact EM by enumeration, done elsewhere and written down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.errors import BayouWarning

CASES = ["em_asia_missing_500", "em_cancer_hidden_cancer_1000"]


def stated(case: dict[str, Any]) -> bayou.Network:
    net = bayou.Network(case["parents"], states=case["states"])
    for name, table in case["initial_cpts"].items():
        net.set_cpt(name, table)
    return net


@needs_shared_data
@pytest.mark.shared_data
@pytest.mark.parametrize("name", CASES)
def test_every_iteration_of_em_equals_the_reference(name: str) -> None:
    case = shared_json(f"reference/{name}.json")
    net = stated(case)
    with pytest.warns(BayouWarning, match="stopped at max_iterations=25"):
        net.fit(
            SHARED / case["data"], prior=0, method="plain-em", start="present", max_iterations=25, tolerance=0
        )
    trace = net.learning
    assert trace is not None
    assert trace.gaps == case["missing_cells"]
    np.testing.assert_allclose(trace.log_likelihoods, case["log_likelihood_after_iterations"], atol=1e-8)
    for variable, table in case["final_cpts"].items():
        found = net.frozen.table(variable)
        np.testing.assert_allclose(found.reshape(-1, found.shape[-1]), table, atol=1e-8)


@needs_shared_data
@pytest.mark.shared_data
@pytest.mark.parametrize("name", CASES)
def test_gradient_ascent_reaches_at_least_what_em_reaches(name: str) -> None:
    case = shared_json(f"reference/{name}.json")
    by_em = stated(case).fit(SHARED / case["data"], prior=0, start="present", max_iterations=5000)
    by_gradient = stated(case).fit(SHARED / case["data"], prior=0, start="present", method="gradient")
    assert by_em.learning is not None
    assert by_gradient.learning is not None
    assert by_gradient.learning.log_likelihood >= by_em.learning.log_likelihood - 1e-5
    assert by_gradient.learning.converged
