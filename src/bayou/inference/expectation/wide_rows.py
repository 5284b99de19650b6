"""Rows whose missing states have too many combinations to be expanded: one pattern of gaps at a time.

The expected counts of a family need only the posterior of its own hidden states,

    n(cell) = Σ_r w_r · P(hidden states of the cell | row r),     r: rows with the cell's observed states,

and the moments of a group of hidden numbers need only the posterior of its border b (see
:mod:`bayou.inference.mixed.components`): given b the group is one Gaussian, with weight w_r · P(b | row r) in
the sums of :mod:`bayou.inference.expectation.expected_moments`. The posteriors come from elimination in logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from bayou.errors import TooWide
from bayou.graphs.ordering import elimination_cost, elimination_order
from bayou.inference.exact.density_factors import Logs
from bayou.inference.exact.log_elimination import eliminate_logs
from bayou.inference.expectation.expected_sums import ExpectedSums, Groups, RealFamily, spread_by_group
from bayou.inference.mixed.components import Component, check_component, components
from bayou.inference.mixed.gap_patterns import as_findings, by_pattern
from bayou.inference.mixed.gaussian_conditioning import block_length, conditioned
from bayou.inference.mixed.log_densities import log_densities
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import ColumnArray, FloatArray, IntArray, Name

_BLOCK_ENTRIES = 2**20
"""The approximate number of table entries in a block of rows."""


def add_wide_rows(
    network: FrozenNetwork, families: Sequence[RealFamily], sums: ExpectedSums, batch: Batch
) -> FloatArray:
    """Add the expected counts and moments of these rows to ``sums``; return the rows' log densities.

    A block of rows with an impossible row (-inf) is not added.
    """
    names = list(network.dag.nodes)
    columns: dict[Name, ColumnArray] = {**batch.codes, **batch.numbers}
    gaps = np.stack([batch.missing(name) for name in names], axis=-1)
    logs = np.empty(batch.rows)
    for pattern, members in by_pattern(gaps):
        seen = [name for name, gap in zip(names, pattern, strict=True) if not gap]
        for rows in _blocks(network, seen, members):
            found = {name: as_findings(columns[name][rows]) for name in seen}
            weights = np.ones(len(rows)) if batch.weights is None else batch.weights[rows]
            logs[rows] = _Pattern(network, families, sums, found, weights).added()
    return logs


def _blocks(
    network: FrozenNetwork, seen: Sequence[Name], members: npt.NDArray[np.intp]
) -> Iterator[npt.NDArray[np.intp]]:
    """Yield blocks of rows whose tables and Gaussians fit into a block together."""
    parts, _ = components(network, network.dag.nodes, seen)
    for part in parts:
        check_component(part)
    hidden = [_hidden(network, name, seen) for name in network.dag.nodes]
    scopes = [
        [network.schema.index(name) for name in names] for names in (*hidden, *(p.border for p in parts))
    ]
    sizes = {number: network.schema.variables[number].cardinality for scope in scopes for number in scope}
    order = elimination_order(scopes, sizes)
    largest, _ = elimination_cost(scopes, sizes, order)
    widest = max((prod(sizes[number] for number in scope) for scope in scopes), default=1)
    step = max(1, int(_BLOCK_ENTRIES // max(float(largest) * widest, 1.0)))
    for start in range(0, len(members), step):
        yield members[start : start + step]


def _hidden(network: FrozenNetwork, name: Name, seen: Sequence[Name]) -> list[Name]:
    """The unobserved discrete variables of a family."""
    family = [*(parent.name for parent in network.discrete_parents(name)), name]
    return [n for n in family if n not in seen and not network.schema[n].is_continuous]


class _Pattern:
    """Rows with the same observed variables, ``found``."""

    def __init__(
        self,
        network: FrozenNetwork,
        families: Sequence[RealFamily],
        sums: ExpectedSums,
        found: dict[Name, ColumnArray],
        weights: FloatArray,
    ) -> None:
        self.network, self.sums, self.found, self.weights = network, sums, found, weights
        self.families = {family.name: family for family in families}
        self.real = [family.name for family in families]
        self.rows = len(weights)
        self.measured: Logs = log_densities(network, network.dag.nodes, found)
        self.posteriors: dict[tuple[Name, ...], FloatArray] = {}
        self.logs: FloatArray | None = None

    def added(self) -> FloatArray:
        """Add the counts and moments of the rows, unless one is impossible; return their log densities."""
        self.posterior(())
        assert self.logs is not None
        if not np.all(np.isfinite(self.logs)):
            return self.logs
        for name in self.sums.discrete:
            self._count(name)
        parts, alone = components(self.network, self.network.dag.nodes, self.found)
        for name in alone:
            border = tuple(_hidden(self.network, name, list(self.found)))
            combinations = prod(self.network.schema[n].cardinality for n in border)
            if name in self.families:
                self._measure(Component((), (name,), border, combinations))
            else:
                self._observe(name, border)
        for part in parts:
            self._measure(part)
        self.sums.log_likelihood += float(self.logs @ self.weights)
        return self.logs

    def posterior(self, targets: tuple[Name, ...]) -> FloatArray:
        """P(targets | findings), of shape (rows, combinations of their states)."""
        if targets not in self.posteriors:
            if not self.sums.discrete and not self.measured:
                table, logs = np.ones((1, 1)), np.zeros(1)
            else:
                table, logs = self._eliminated(targets)
            flat = table.reshape(len(table), -1)
            self.posteriors[targets] = np.broadcast_to(flat, (self.rows, flat.shape[1]))
            self.logs = np.broadcast_to(logs, (self.rows,))
        return self.posteriors[targets]

    def _eliminated(self, targets: tuple[Name, ...]) -> tuple[FloatArray, FloatArray]:
        try:
            return eliminate_logs(
                self.network, self.network.dag.nodes, targets, self.found, {}, self.measured
            )
        except TooWide:
            hidden = len(self.sums.discrete) - sum(name in self.found for name in self.sums.discrete)
            raise TooWide(
                f"In some rows {hidden} discrete variables are missing that depend on each other so closely "
                "that their expected counts do not fit into memory. Observe more variables, use a network "
                "with fewer arcs, or raise the limit (with bayou.limits(memory=…))."
            ) from None

    def _count(self, name: Name) -> None:
        """Add the expected counts of a family: its posterior, in the cells of its observed states."""
        scope = [*self.network.dag.parents(name), name]
        seen = [axis for axis, n in enumerate(scope) if n in self.found]
        hidden = [axis for axis, n in enumerate(scope) if n not in self.found]
        table = self.sums.tables[name]
        moved = np.transpose(table, [*seen, *hidden])
        added = np.zeros((prod(moved.shape[: len(seen)]), prod(moved.shape[len(seen) :])))
        place = self._index([scope[axis] for axis in seen])
        shares = self.posterior(tuple(scope[axis] for axis in hidden))
        np.add.at(added, place, shares * self.weights[:, None])
        moved += added.reshape(moved.shape)

    def _index(self, names: Sequence[Name]) -> IntArray:
        """For each row the combination of these observed states, as a flat index."""
        place = np.zeros(self.rows, dtype=np.int64)
        for name in names:
            place = place * self.network.schema[name].cardinality + self.found[name]
        return place

    def _measure(self, part: Component) -> None:
        """Add the moments of a group's families: one weighted Gaussian per combination of the border."""
        shape = [self.network.schema[name].cardinality for name in part.border]
        shares = self.posterior(part.border) * self.weights[:, None]
        step = block_length(len(part.hidden) + 2, self.rows)
        for start in range(0, part.combinations, step):
            places = np.arange(start, min(start + step, part.combinations))
            border = dict(zip(part.border, np.unravel_index(places, shape) if shape else (), strict=True))
            self._measure_block(part, border, shares[:, places])

    def _observe(self, name: Name, border: tuple[Name, ...]) -> None:
        """Add a leaf that is not Gaussian: each row once per combination of hidden parents' states."""
        shape = [self.network.schema[n].cardinality for n in border]
        shares = self.posterior(border) * self.weights[:, None]
        places = np.unravel_index(np.arange(shares.shape[1]), shape) if shape else ()
        codes = {n: np.tile(place, self.rows) for n, place in zip(border, places, strict=True)}
        for parent in self.network.discrete_parents(name):
            if parent.name not in codes:
                codes[parent.name] = np.repeat(self.found[parent.name], shares.shape[1])
        self.sums.observe(name, codes, np.repeat(self.found[name], shares.shape[1]), shares.ravel())

    def _measure_block(self, part: Component, border: dict[Name, IntArray], shares: FloatArray) -> None:
        state = conditioned(self.network, part, border, self.found, *shares.shape)
        totals = np.zeros((len(state.roots), shares.shape[1]))
        np.add.at(totals, state.which, shares)
        one_of_each = np.zeros(len(state.roots), dtype=np.int64)
        one_of_each[state.which] = np.arange(self.rows)
        place = {name: k for k, name in enumerate(part.hidden)}
        for name in part.members:
            family = self.families[name]
            names = [self.real[k] for k in family.places]
            columns = [
                state.means[:, :, place[n]] if n in place else np.repeat(self.found[n], shares.shape[1])
                for n in names
            ]
            groups = self._groups(family, border, shares.shape)
            spread = None
            if any(n in place for n in names):
                first = None if groups is None else groups[one_of_each].ravel()
                covariances = _covariances(state.roots, [place.get(n) for n in names], totals)
                spread = spread_by_group(covariances, first, family.groups)
            self.sums.measure(
                family,
                [np.ascontiguousarray(column).ravel() for column in columns],
                None if groups is None else groups.ravel(),
                np.ascontiguousarray(shares).ravel(),
                spread,
            )

    def _groups(self, family: RealFamily, border: dict[Name, IntArray], shape: tuple[int, ...]) -> Groups:
        """The combination of discrete parents' states for each row and combination of the border."""
        if not family.discrete:
            return None
        place = np.zeros(shape, dtype=np.int64)
        for name in family.discrete:
            codes = border[name][None, :] if name in border else self.found[name][:, None]
            place = place * self.network.schema[name].cardinality + codes
        return place.astype(np.uint32)


def _covariances(roots: FloatArray, places: Sequence[int | None], totals: FloatArray) -> FloatArray:
    """The covariances of some variables times their weights; place None is an observed variable: all 0."""
    chosen = np.zeros((*totals.shape, len(places), roots.shape[-1]))
    for row, place in enumerate(places):
        if place is not None:
            chosen[:, :, row] = roots[:, :, place]
    weighted = (chosen @ np.swapaxes(chosen, 2, 3)) * totals[:, :, None, None]
    return np.asarray(weighted.reshape(-1, len(places), len(places)))
