"""``state()`` and ``from_state()`` of results, priors, distributions and declarations undo each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.conformance.states.coming_back import assert_comes_back, assert_same
from tests.conformance.states.example_parts import DECLARATIONS, DISTRIBUTIONS, PRIORS, RESULTS

from bayou import distributions, statistics
from bayou.errors import BayouError
from bayou.statistics import Statistics


@pytest.mark.parametrize("kind", RESULTS)
def test_every_result_comes_back(kind: str, tmp_path: Path) -> None:
    result = RESULTS[kind]()
    again = assert_comes_back(result, tmp_path)
    assert_same((result + result).state(), (again + again).state())


def test_every_kind_of_result_has_an_example() -> None:
    assert {make().kind for make in RESULTS.values()} >= {
        kind for kind in statistics.RESULTS if not kind.startswith("test ")
    }


@pytest.mark.parametrize("kind", RESULTS)
def test_arrays_of_another_shape_are_refused(kind: str) -> None:
    result = RESULTS[kind]()
    state = result.state()
    arrays = [key for key, value in state.items() if isinstance(value, np.ndarray)]
    for key in arrays:
        with pytest.raises((BayouError, ValueError, LookupError, TypeError)):
            type(result).from_state({**state, key: np.full((3, 1, 2, 1), 7.0)})
        if key != "hashes":  # files of earlier versions have none
            with pytest.raises((BayouError, ValueError, LookupError, TypeError)):
                type(result).from_state({each: value for each, value in state.items() if each != key})
    assert arrays or kind in ("sample", "gaps", "weights", "whole numbers", "other numbers")


def test_statistics_come_back_with_their_requests(tmp_path: Path) -> None:
    tables = [
        RESULTS[kind]() for kind in RESULTS if not kind.startswith(("class moments", "words", "proposals"))
    ]
    known = Statistics({table.request: table for table in tables}, rows=12.5)
    again = assert_comes_back(known, tmp_path)
    assert list(again) == list(known)
    assert again.rows == 12.5


@pytest.mark.parametrize("kind", PRIORS)
def test_every_prior_comes_back(kind: str, tmp_path: Path) -> None:
    assert assert_comes_back(PRIORS[kind], tmp_path) == PRIORS[kind]


def test_every_kind_of_prior_has_an_example() -> None:
    known = {kind for kind in distributions.PRIORS if not kind.startswith("test ")}
    assert known == {prior.kind for prior in PRIORS.values()}


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
def test_every_distribution_comes_back(kind: str, tmp_path: Path) -> None:
    assert_comes_back(DISTRIBUTIONS[kind], tmp_path)


def test_every_kind_of_distribution_has_an_example() -> None:
    known = {kind for kind in distributions.DISTRIBUTIONS if not kind.startswith("test ")}
    assert known <= {distribution.kind for distribution in DISTRIBUTIONS.values()}


@pytest.mark.parametrize("kind", DECLARATIONS)
def test_every_declaration_comes_back(kind: str, tmp_path: Path) -> None:
    again = assert_comes_back(DECLARATIONS[kind], tmp_path)
    assert again == DECLARATIONS[kind] or kind == "structure"
