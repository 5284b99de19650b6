"""P(observations of a step | state): densities for the kernels, expected statistics from smoothed states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou.codes import is_missing_cell
from bayou.distributions import DistributionKind, Table
from bayou.distributions.kernel.bump_mixture import BumpMixture
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch, Counts, CountTable, Request, Result
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.gaussian_columns import GaussianColumns
from bayou.temporal.kernel_arguments import KernelGaussian
from bayou.typing import CodeArray, FloatArray, Name


@dataclass(frozen=True)
class Coded:
    """A column that the kernels look up: its codes and P(code | state), with a last row for missing cells."""

    name: Name
    codes: CodeArray
    table: FloatArray
    counted: bool = True


class ChainEmissions:
    """The emission part of a model with parameters."""

    def __init__(self, chain: ChainStructure, network: FrozenNetwork) -> None:
        self._chain, self._network = chain, network
        tables = [name for name in chain.columns if self._is_table(name)]
        self._tables = {name: _look_up(network.table(name)) for name in tables}
        self._others = [n for n in chain.columns if n not in self._tables and n not in chain.gaussians]
        self._moments: dict[Name, tuple[FloatArray, FloatArray] | None] = {}

    def _is_table(self, name: Name) -> bool:
        """Whether a column is a table of the state alone."""
        block = self._network.distribution(name)
        return isinstance(block, Table) and self._network.dag.parents(name) == (self._chain.state.name,)

    @cached_property
    def _gaussians(self) -> GaussianColumns | None:
        names = self._chain.gaussians
        return GaussianColumns.of(self._network, names) if names else None

    def coded(self, batch: Batch) -> list[Coded]:
        """The columns that the kernels look up, and the states themselves where the rows have labels."""
        found = [Coded(name, batch.codes[name], table) for name, table in self._tables.items()]
        state = self._chain.state
        if state.name in batch.codes and bool((~is_missing_cell(batch.codes[state.name])).any()):
            labels = np.vstack([self._chain.members, np.ones(state.cardinality)])
            found.append(Coded(state.name, batch.codes[state.name], labels, counted=False))
        return found

    def gaussian(self, batch: Batch) -> KernelGaussian | None:
        """The Gaussian columns, if the kernels compute their densities and moments by themselves."""
        if self._gaussians is None or self._chain.component is not None or self._chain.tied:
            return None
        return self._gaussians.in_kernel(batch)

    @cached_property
    def in_kernel(self) -> tuple[list[FloatArray], tuple[FloatArray, FloatArray, FloatArray] | None] | None:
        """The tables of symbols and the parameters of Gaussian columns, if the kernels need nothing else for
        rows without labels and without gaps in their numbers; else None.
        """
        chain, gaussians = self._chain, self._gaussians
        tables = list(self._tables.values())
        if self._others or chain.component is not None:
            return None
        if gaussians is None:
            return tables, None
        return (tables, gaussians.packed) if gaussians.fit_kernel and not chain.tied else None

    def moments(self, name: Name) -> tuple[FloatArray, FloatArray] | None:
        """The mean and variance of a column in each state; None for kinds without moments."""
        if name not in self._moments:
            self._moments[name] = self._moments_of(name)
        return self._moments[name]

    def _moments_of(self, name: Name) -> tuple[FloatArray, FloatArray] | None:
        chain, node = self._chain, self._network.distribution(name)
        if name in chain.gaussians:
            assert self._gaussians is not None
            place = chain.gaussians.index(name)
            mean = self._gaussians.means[:, place]
            variance = self._gaussians.covariances[:, place, place]
        elif "rate" in node.parameters_by_group and node.kind == "poisson":
            mean = variance = node.parameters_by_group["rate"].ravel()
        elif isinstance(node, BumpMixture):
            mean, variance = node.means.ravel(), node.variances.ravel()
        else:
            return None
        if name in chain.mixed:
            assert chain.component is not None
            shares = self._network.table(chain.component.name)
            means, variances = mean.reshape(shares.shape), variance.reshape(shares.shape)
            mean = (means * shares).sum(axis=1)
            variance = ((variances + (means - mean[:, None]) ** 2) * shares).sum(axis=1)
        return mean, variance

    def gaussian_answers(self, moments: tuple[FloatArray, FloatArray, FloatArray]) -> dict[Request, Result]:
        """The statistics of the Gaussian columns from the moments that the kernels found."""
        assert self._gaussians is not None
        return self._gaussians.answers(moments)

    def logs(self, batch: Batch, without_gaussian: bool = False) -> FloatArray | None:
        """log P(the columns that are not looked up | state), [row, state]; None if there are none."""
        if (self._gaussians is None or without_gaussian) and not self._others:
            return None
        states = self._chain.states
        plain = [name for name in self._others if name not in self._chain.mixed]
        total = np.zeros((batch.rows, states))
        for name in plain:
            total += self._network.distribution(name).log_density_by_group(batch.numbers[name])
        if self._chain.component is None:
            gaussians = None if without_gaussian else self._gaussians
            return total if gaussians is None else total + gaussians.logs(batch)
        joint = self._joint(batch)
        largest = joint.max(axis=2, keepdims=True)
        base = np.where(largest > -np.inf, largest, 0.0)
        with np.errstate(divide="ignore"):
            mixed: FloatArray = base[:, :, 0] + np.log(np.exp(joint - base).sum(axis=2))
        return total + mixed

    def _joint(self, batch: Batch) -> FloatArray:
        """log P(component, mixed columns | state), [row, state, component]."""
        chain, network = self._chain, self._network
        assert chain.component is not None
        total = np.zeros((batch.rows, chain.states * chain.component.cardinality))
        if self._gaussians is not None:
            total += self._gaussians.logs(batch)
        for name in self._others:
            if name in chain.mixed:
                total += network.distribution(name).log_density_by_group(batch.numbers[name])
        with np.errstate(divide="ignore"):
            weights = np.log(network.table(chain.component.name))
        return weights + total.reshape(batch.rows, chain.states, -1)

    def expected(
        self, batch: Batch, smoothed: FloatArray, without_gaussian: bool = False
    ) -> dict[Request, Result]:
        """The expected statistics of the other columns; ``smoothed`` is P(state | all rows)."""
        chain = self._chain
        answers: dict[Request, Result] = {}
        weights = smoothed
        if chain.component is not None:
            joint = self._joint(batch)
            largest = joint.max(axis=2, keepdims=True)
            shares = np.exp(joint - np.where(largest > -np.inf, largest, 0.0))
            shares *= (smoothed / np.maximum(shares.sum(axis=2), 1e-300))[:, :, None]
            weights = np.ascontiguousarray(shares.reshape(batch.rows, -1))
            counts = shares.sum(axis=0)
            axes = (chain.state, chain.component)
            answers[CountTable(tuple(axis.name for axis in axes))] = Counts(axes, counts)
        if self._gaussians is not None and not without_gaussian:
            own = weights if chain.component is not None else smoothed
            answers.update(self._gaussians.expected(batch, own))
        for name in self._others:
            own = weights if name in chain.mixed else smoothed
            node, family = self._network.distribution(name), self._network.family(name)
            request: Any = node.expects(family)
            answers[request] = repeated_answer(node, family, batch, own)
        return answers


def repeated_answer(node: DistributionKind, family: Any, batch: Batch, weights: FloatArray) -> Any:
    """The statistic of rows that belong to each group of the parents' states with a weight, [row, group].

    Any request can be answered so: every row is repeated for each group (unless the distribution has a way of
    its own, ``weighed_answer``).
    """
    direct = getattr(node, "weighed_answer", None)
    if direct is not None:
        return direct(family, batch, weights)
    groups = weights.shape[1]
    places = np.unravel_index(np.repeat(np.arange(groups), batch.rows), family.shape)
    codes = {
        parent.name: place.astype(np.uint32) for parent, place in zip(family.discrete, places, strict=True)
    }
    name = family.child.name
    numbers: dict[Name, Any] = {}
    if family.child.is_continuous:
        numbers[name] = np.tile(batch.numbers[name], groups)
    else:
        codes[name] = np.tile(batch.codes[name], groups)
    request: Any = node.expects(family)
    variables: Mapping[Name, Any] = {variable.name: variable for variable in family.variables}
    repeated = Batch(batch.rows * groups, codes, numbers, weights.T.ravel())
    return request.answer(repeated, variables)


def _look_up(table: FloatArray) -> FloatArray:
    """P(code | state) as rows of states, with a last row of ones for missing cells."""
    states = len(table)
    return np.ascontiguousarray(np.vstack([table.T, np.ones(states)]))
