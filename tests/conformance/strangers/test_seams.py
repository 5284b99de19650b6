"""What strangers plug in: options that would be lost are refused, and what follows the protocol works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.conformance.strangers.geometric_counts import GeometricCounts

import bayou
from bayou.distributions import Distribution, Family, FamilyRows, Prior, RandomStream, Table
from bayou.distributions.declaration import Declaration
from bayou.distributions.finite import FiniteDistribution
from bayou.errors import BadGraph, BadVariable
from bayou.inference import Answer, Question
from bayou.inference.engines import ENGINES, Engine
from bayou.inference.exact.elimination import EliminationEngine
from bayou.networks import FrozenNetwork
from bayou.statistics import Counts, CountTable
from bayou.typing import CodeArray, FloatArray, Name


@dataclass(frozen=True, eq=False)
class Rounded(FiniteDistribution):
    """A table whose entries are rounded to tenths: a finite distribution of somebody's own."""

    kind: ClassVar[str] = "test rounded"
    title: ClassVar[str] = "Rounded"
    cells: FloatArray

    @classmethod
    def needs(cls, family: Family) -> CountTable:
        return CountTable(family.names)

    @classmethod
    def estimate(cls, answer: Counts, family: Family, prior: Prior) -> Rounded:
        table = np.round(Table.estimate(answer, family, prior).values, 1)
        return cls(table / table.sum(axis=-1, keepdims=True))

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        return Table.count_parameters(family)

    @property
    def free_parameters(self) -> int:
        return Table(self.cells).free_parameters

    @property
    def shape(self) -> tuple[int, ...]:
        return self.cells.shape

    @property
    def table(self) -> FloatArray:
        return self.cells

    def sample(self, rows: FamilyRows, stream: RandomStream) -> CodeArray:
        return Table(self.cells).sample(rows, stream)

    def state(self) -> dict[str, Any]:
        return {"kind": self.kind, "cells": self.cells}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Rounded:
        return cls(state["cells"])


ROWS = {"A": ["x", "y", "y", "x", "y"] * 4, "B": [0, 1, 1, 1, 0] * 4}


def test_a_finite_distribution_of_ones_own_is_asked_printed_and_saved(tmp_path: Any) -> None:
    net = bayou.Network("A -> B", nodes={"B": Rounded}).fit(ROWS)
    assert net.query("B", {"A": "x"})[1] == pytest.approx(0.5)
    assert "1/2" in str(net.cpt("B"))
    net.save(tmp_path / "net.bayou")
    assert bayou.load(tmp_path / "net.bayou").same_as(net)
    with pytest.raises(bayou.BayouError, match="'B' has a Rounded distribution"):
        net.query("B", {"A": "x"}, interval=0.9)


@dataclass(frozen=True)
class Forgetful(Declaration):
    """A declaration with an option that it does not write down."""

    learned_as: ClassVar[type[Distribution]] = GeometricCounts
    strength: float = 0.0


def test_an_option_that_would_be_lost_is_refused() -> None:
    bayou.Network("n", nodes={"n": Forgetful()})
    with pytest.raises(BadVariable, match="Forgetful has the option strength, which a network"):
        bayou.Network("n", nodes={"n": Forgetful(1.0)})


def test_users_of_a_shared_block_have_the_same_options() -> None:
    kernels = {"x": bayou.features.KernelFeature(0.1), "z": bayou.features.KernelFeature(9.0)}
    with pytest.raises(BadGraph, match="are of different kinds"):
        bayou.Network("x; z", nodes=kernels, share={"s": ["x", "z"]}, continuous=["x", "z"])


class Asking(Engine):
    """An engine with nothing but ``answer``."""

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        return EliminationEngine().answer(network, names, question)


def test_an_engine_needs_one_method() -> None:
    ENGINES.add("test asking", Asking)
    net = bayou.Network("A -> B").fit(ROWS)
    expected = net.query("A", {"B": 1}).to_array()
    np.testing.assert_allclose(net.query("A", {"B": 1}, engine="test asking").to_array(), expected)


class Harsh:
    """A score of somebody's own: BIC with twice the price."""

    def of_counts(self, counts: Any, configurations: float) -> float:
        counts = np.asarray(counts, dtype=float)
        totals = counts.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = np.where(counts > 0, counts * np.log(counts / totals), 0.0).sum()
        return float(fit - np.log(counts.sum()) * configurations * (counts.shape[-1] - 1))

    def of_likelihood(self, log_likelihood: float, parameters: float, rows: float) -> float:
        return log_likelihood - np.log(rows) * parameters


def test_a_score_of_ones_own_is_searched_by() -> None:
    random = np.random.default_rng(0)
    a = random.integers(0, 2, 400)
    data = {"a": a, "b": a ^ (random.random(400) < 0.1), "c": random.integers(0, 2, 400)}
    net = bayou.learn_structure(data, score=Harsh())
    assert {frozenset(arc) for arc in net.arcs} == {frozenset({"a", "b"})}
