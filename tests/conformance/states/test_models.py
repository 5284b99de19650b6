"""Every kind of model comes back from its file and from its state."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.states.coming_back import assert_comes_back, assert_same_model
from tests.conformance.states.example_models import MODELS

import bayou
from bayou.formats.model_registry import CLASSIFIERS
from bayou.formats.model_registry import MODELS as KINDS
from bayou.statistics import CountTable, Moments


@pytest.mark.parametrize("kind", MODELS)
def test_every_model_comes_back_from_its_file(kind: str, tmp_path: Path) -> None:
    make, rows = MODELS[kind]
    model = make()
    model.save(tmp_path / "modell.bayou")
    assert_same_model(model, bayou.load(tmp_path / "modell.bayou"), rows)


@pytest.mark.parametrize("kind", MODELS)
def test_every_model_comes_back_from_its_state(kind: str, tmp_path: Path) -> None:
    make, rows = MODELS[kind]
    model = make()
    assert_same_model(model, assert_comes_back(model, tmp_path), rows)


def test_every_kind_of_model_has_an_example() -> None:
    assert {*KINDS, *CLASSIFIERS} - {"classifier", "Plain"} <= set(MODELS)


def test_requests_of_the_examples_are_those_that_networks_ask() -> None:
    net = MODELS["network"][0]()
    assert set(net.statistics) == {CountTable(("a",)), CountTable(("a", "b")), Moments(("x",), ("a",))}
