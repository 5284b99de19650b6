"""Sums of expected counts and moments: one expected statistic for every variable of a network.

The statistic of a leaf that is neither discrete nor Gaussian is the answer to its own request, on rows
repeated for every combination of its parents' states, weighted by the posterior of the combination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import combine_codes, count_families, group_moments
from bayou.codes import is_missing_cell
from bayou.distributions import DENSITY, GAUSSIAN
from bayou.errors import TooWide
from bayou.memory import amount_text, count_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch, GroupMoments
from bayou.typing import CodeArray, ColumnArray, FloatArray, Name

Groups = npt.NDArray[np.uint32] | None
"""For each row the combination of the discrete parents' states; None if there are no discrete parents."""


@dataclass(frozen=True)
class RealFamily:
    """A Gaussian variable and its regression on its real parents.

    ``places`` are the positions of its real parents and of itself in the list of real variables. The first
    axis of the parameters runs over all combinations of the discrete parents' states.
    """

    name: Name
    places: tuple[int, ...]
    discrete: tuple[Name, ...]
    intercept: FloatArray
    coefficients: FloatArray
    deviation: FloatArray

    @property
    def groups(self) -> int:
        """The number of combinations of the discrete parents' states."""
        return len(self.intercept)


def real_families(network: FrozenNetwork) -> list[RealFamily]:
    """Return the Gaussian variables of a network, parents first."""
    order = network.dag.topological_order
    names = [name for name in order if network.distribution(name).form == GAUSSIAN]
    place = {name: k for k, name in enumerate(names)}
    found = []
    for name in names:
        node = network.gaussian(name)
        inputs = tuple(place[parent.name] for parent in network.continuous_parents(name))
        found.append(
            RealFamily(
                name,
                (*inputs, place[name]),
                tuple(parent.name for parent in network.discrete_parents(name)),
                node.intercept.reshape(-1),
                node.coefficients.reshape(node.intercept.size, len(inputs)),
                np.sqrt(node.variance.reshape(-1)),
            )
        )
    return found


class ExpectedSums:
    """Running sums of expected counts and moments."""

    def __init__(self, network: FrozenNetwork, families: Sequence[RealFamily]) -> None:
        self.network = network
        self.log_likelihood = 0.0
        self.discrete = [name for name in network.dag.nodes if not network.schema[name].is_continuous]
        self.cards = [network.schema[name].cardinality for name in self.discrete]
        place = {name: k for k, name in enumerate(self.discrete)}
        self.scopes = [[*(place[p] for p in network.dag.parents(n)), place[n]] for n in self.discrete]
        self._check_tables()
        self.tables = {
            name: np.zeros([self.cards[k] for k in scope])
            for name, scope in zip(self.discrete, self.scopes, strict=True)
        }
        self.families = families
        self.leaves = [name for name in network.dag.nodes if network.distribution(name).form == DENSITY]
        self._so_far: dict[Name, GroupMoments] = {}
        self._of_leaves: dict[Name, Any] = {}

    @property
    def moments(self) -> dict[Name, GroupMoments]:
        """The moments of every Gaussian variable; zeros if no row was added."""
        return {
            family.name: self._so_far.get(family.name) or self._moments(family) for family in self.families
        }

    def answers(self) -> dict[Name, Any]:
        """The expected statistics of each variable."""
        tables = {
            name: self.network.finite(name).distribute_table(table, self.network.family(name))
            for name, table in self.tables.items()
        }
        for name in self.leaves:
            if name not in self._of_leaves:
                self.observe(name, {}, np.zeros(0), np.zeros(0))
        return {**tables, **self.moments, **self._of_leaves}

    def observe(
        self,
        name: Name,
        codes: Mapping[Name, ColumnArray],
        values: ColumnArray,
        weights: FloatArray,
    ) -> None:
        """Add rows of a leaf that is not Gaussian, with its parents' states; missing values are left out."""
        family = self.network.family(name)
        seen = np.flatnonzero(~is_missing_cell(values))
        parents = {p.name: codes[p.name][seen].astype(np.uint32) for p in family.parents if p.name in codes}
        empty = {p.name: np.zeros(0, dtype=np.uint32) for p in family.parents}
        batch = Batch(len(seen), {**empty, **parents}, {name: values[seen]}, weights[seen])
        request = self.network.distribution(name).expects(family)
        answer = request.answer(batch, {variable.name: variable for variable in family.variables})
        self._of_leaves[name] = self._of_leaves[name] + answer if name in self._of_leaves else answer

    def _check_tables(self) -> None:
        """Raise TooWide for tables that do not fit; even a noisy node needs a full table of counts here."""
        for name, scope in zip(self.discrete, self.scopes, strict=True):
            cells = prod(self.cards[k] for k in scope)
            if cells * 8 > current_limits().memory / 2:
                raise TooWide(
                    f"The expected counts of {name!r} and its {len(scope) - 1} parents have "
                    f"{count_text(cells)} cells ({amount_text(cells * 8)}). Give it fewer parents, or raise "
                    "the limit (with bayou.limits(memory=…))."
                )

    def count(self, codes: dict[Name, CodeArray], weights: FloatArray) -> None:
        """Add the counts of rows in which every discrete variable has a state."""
        columns = [codes[name] for name in self.discrete]
        counted = count_families(columns, self.cards, self.scopes, weights) if columns else []
        for name, table in zip(self.discrete, counted, strict=True):
            self.tables[name] += table

    def groups(self, family: RealFamily, codes: dict[Name, CodeArray]) -> Groups:
        """For each row the combination of the family's discrete parents' states."""
        if not family.discrete:
            return None
        cards = [self.network.schema[name].cardinality for name in family.discrete]
        return combine_codes([codes[name] for name in family.discrete], cards)

    def measure(
        self,
        family: RealFamily,
        columns: list[FloatArray],
        groups: Groups,
        weights: FloatArray | None,
        spread: FloatArray | None = None,
    ) -> None:
        """Add the moments of rows of (expected) values.

        ``spread`` (groups, k, k) is the summed covariance of the missing values, added to the scatter.
        """
        n, mean, scatter = group_moments(columns, groups, family.groups, weights)
        if spread is not None:
            scatter = scatter + spread
        self.add(family, n, mean, scatter)

    def add(self, family: RealFamily, n: FloatArray, mean: FloatArray, scatter: FloatArray) -> None:
        """Add moments; the first axis runs over all groups."""
        new = self._moments(family, n, mean, scatter)
        before = self._so_far.get(family.name)
        self._so_far[family.name] = new if before is None else before + new

    def _moments(
        self,
        family: RealFamily,
        n: FloatArray | None = None,
        mean: FloatArray | None = None,
        scatter: FloatArray | None = None,
    ) -> GroupMoments:
        k, parents = len(family.places), self.network.discrete_parents(family.name)
        shape = tuple(parent.cardinality for parent in parents)
        names = (*(parent.name for parent in self.network.continuous_parents(family.name)), family.name)
        return GroupMoments(
            names,
            parents,
            np.zeros(shape) if n is None else n.reshape(shape),
            np.zeros((*shape, k)) if mean is None else mean.reshape(*shape, k),
            np.zeros((*shape, k, k)) if scatter is None else scatter.reshape(*shape, k, k),
        )


def spread_by_group(covariances: FloatArray, groups: Groups, n_groups: int) -> FloatArray:
    """Return the sum of the covariance matrices of each group, of shape (n_groups, k, k)."""
    if groups is None or n_groups == 1:
        return np.asarray(covariances.sum(axis=0)[None])
    total = np.zeros((n_groups, prod(covariances.shape[1:])))
    np.add.at(total, groups, covariances.reshape(len(covariances), -1))
    return total.reshape(n_groups, *covariances.shape[1:])
