"""Posteriors of well-known networks against answers computed by two independent programs.

The reference programs (a lazy propagation and a bucket tree) agree with each other to 1e-13; the numbers are
kept with 12 digits, so 1e-9 relative leaves room for nothing but rounding.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.errors import ImpossibleEvidence

SMALL = ["asia", "cancer", "earthquake", "survey", "sachs", "child"]
MIDDLE = ["alarm", "insurance", "win95pts", "hailfinder", "water"]
LARGE = ["andes", "barley", "pigs"]
TARGETS = dict.fromkeys(SMALL, 99) | dict.fromkeys(MIDDLE, 6) | dict.fromkeys(LARGE, 2)


@functools.cache
def network(name: str) -> bayou.Network:
    return bayou.load(SHARED / "networks" / f"{name}.bif.gz")


@functools.cache
def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = shared_json(f"reference/{name}.json.gz")["cases"]
    return found


def of_kind(name: str, kind: str) -> list[dict[str, Any]]:
    return [case for case in cases(name) if case["kind"] == kind]


def some_targets(name: str, case: dict[str, Any]) -> list[str]:
    """A few targets spread over the network (all of them where it is small)."""
    targets = list(case["posteriors"])
    return targets[:: max(1, len(targets) // TARGETS[name])][: TARGETS[name]]


def assert_posteriors(name: str, case: dict[str, Any], likelihood: dict[str, Any] | None = None) -> None:
    for target in some_targets(name, case):
        posterior = network(name).query(target, case["evidence"], likelihood=likelihood)
        np.testing.assert_allclose(
            posterior.to_array(), case["posteriors"][target], rtol=1e-9, atol=1e-12, err_msg=target
        )
        assert posterior.log_evidence == pytest.approx(case["log_evidence"], rel=1e-9, abs=1e-10)


@needs_shared_data
@pytest.mark.parametrize("name", [*SMALL, *MIDDLE, *LARGE])
def test_states_are_read_in_the_order_of_the_file(name: str) -> None:
    for variable, states in shared_json(f"reference/{name}.json.gz")["states"].items():
        assert list(network(name).states(variable)) == states


@needs_shared_data
@pytest.mark.parametrize("name", [*SMALL, *MIDDLE, *LARGE])
def test_prior_marginals(name: str) -> None:
    assert_posteriors(name, of_kind(name, "prior")[0])


@needs_shared_data
@pytest.mark.parametrize("name", [*SMALL, *MIDDLE, *LARGE])
def test_posteriors_and_probability_of_the_evidence(name: str) -> None:
    for case in of_kind(name, "hard")[: 10 if name in SMALL else 2]:
        assert_posteriors(name, case)


@needs_shared_data
@pytest.mark.parametrize("name", [*SMALL, *MIDDLE])
def test_soft_evidence(name: str) -> None:
    for case in of_kind(name, "soft"):
        assert_posteriors(name, case, case["soft_evidence"])


@needs_shared_data
@pytest.mark.parametrize("name", [*SMALL, *MIDDLE])
def test_joint_posteriors(name: str) -> None:
    for case in cases(name):
        for joint in case.get("joints", []):
            table = network(name).query(joint["nodes"], case["evidence"]).to_array()
            np.testing.assert_allclose(table, joint["table"], rtol=1e-9, atol=1e-12)


@needs_shared_data
@pytest.mark.parametrize("name", [*SMALL, *MIDDLE])
def test_impossible_evidence_is_an_error_that_names_findings(name: str) -> None:
    for case in of_kind(name, "impossible"):
        target = next(variable for variable in network(name).names if variable not in case["evidence"])
        with pytest.raises(ImpossibleEvidence) as caught:
            network(name).query(target, case["evidence"])
        assert any(variable in str(caught.value) for variable in case["evidence"])
        with pytest.raises(ImpossibleEvidence):
            network(name).log_evidence(case["evidence"])


@needs_shared_data
@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey"])
def test_enumeration_gives_the_same(name: str) -> None:
    for case in of_kind(name, "hard"):
        for target, expected in case["posteriors"].items():
            posterior = network(name).query(target, case["evidence"], engine="enumeration")
            np.testing.assert_allclose(posterior.to_array(), expected, rtol=1e-9, atol=1e-12)


@needs_shared_data
def test_the_probability_of_the_most_probable_explanations() -> None:
    for name in (*SMALL, *MIDDLE):
        for case in cases(name):
            if case.get("mpe"):
                log = network(name).log_probability({**case["mpe"], **case["evidence"]})
                assert log == pytest.approx(case["mpe_log_joint"], rel=1e-9)
