"""Gaussians under many draws of their parameters at once: the draw is one more discrete parent of each.

A variable ``draw``, with one state per draw, becomes a parent of every Gaussian, whose line in state k is the
k-th draw. The densities of findings and the means of hidden numbers then come from the ordinary functions of
mixed networks, as factors with ``draw`` as their last axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from bayou.distributions import LinearGaussian
from bayou.distributions.gaussian.gaussian_posterior import DrawnLines
from bayou.explain.intervals.parameter_draws import LANES
from bayou.graphs import Dag
from bayou.inference.exact.local_factors import Evidence
from bayou.inference.mixed.components import Component, components
from bayou.inference.mixed.gaussian_conditioning import component_moments
from bayou.inference.mixed.log_densities import log_densities
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.typing import FloatArray, Name

_DRAW = "draw of the parameters"


class DrawnGaussians:
    """The Gaussians of a network that matter to a question, ready for draws of their parameters.

    Of the relevant continuous variables ``names`` those are kept that matter; ``given`` are all variables
    whose values are given, ``targets`` those whose means are asked for. ``scopes`` are the hidden discrete
    variables (as numbers) that the densities of the findings depend on, ``border`` those that the means
    depend on.
    """

    def __init__(
        self,
        network: FrozenNetwork,
        names: Sequence[Name],
        given: Sequence[Name],
        targets: Sequence[Name] = (),
    ) -> None:
        parts, alone = components(network, names, given)
        chosen = [part for part in parts if not set(targets).isdisjoint(part.hidden)]
        hidden = {name for part in chosen for name in part.border}
        self.border = tuple(sorted(hidden, key=network.schema.index))
        if targets and not hidden:
            parts, alone = chosen, []
        else:
            # Numbers that depend on no hidden state change nothing else.
            parts = [part for part in parts if part.border or part in chosen]
        matter = {*alone, *(name for part in parts for name in part.members)}
        self.names = tuple(name for name in names if name in matter)
        self.targets = tuple(targets)
        found = [_numbers(network, name, given) for name in alone]
        found += [tuple(map(network.schema.index, part.border)) for part in parts if part.has_findings]
        self.scopes = tuple(scope for scope in dict.fromkeys(found) if scope)
        self.work = sum(part.work for part in parts)
        self._sizes = [network.schema[name].cardinality for name in self.border]
        self._slots = network.slots
        draw = _DRAW
        while draw in network.schema:
            draw += "'"
        self._draw = Variable(draw, range(LANES))
        graph = {name: [*network.dag.parents(name), draw] for name in self.names}
        self._empty = FrozenNetwork(
            Schema([*network.schema, self._draw]), Dag([*network.schema.names, draw], graph), {}, {}
        )

    def under(self, lines: Mapping[Name, DrawnLines]) -> FrozenNetwork:
        """The network with these draws, which are given by block."""
        blocks = {}
        for name in self.names:
            drawn = lines[self._slots[name]]
            slopes = np.swapaxes(drawn.slopes, -1, -2)
            blocks[name] = LinearGaussian(drawn.intercept, slopes, drawn.variance)
        return self._empty.with_blocks(blocks)

    def densities(self, drawn: FrozenNetwork, findings: Evidence) -> list[FloatArray]:
        """The densities of the findings, one array for each of ``scopes``: axes of rows, states and draws.

        They are divided by the largest density of the same row and draw.
        """
        logs = log_densities(drawn, self.names, findings)
        last = len(drawn.schema) - 1
        factors = []
        for scope in self.scopes:
            values = logs[(*scope, last)]
            largest = values.max(axis=tuple(range(1, values.ndim - 1)), keepdims=True)
            factors.append(np.exp(values - np.where(np.isfinite(largest), largest, 0.0)))
        return factors

    def means(self, drawn: FrozenNetwork, findings: Evidence) -> FloatArray:
        """The means of the targets given the findings of one row: axes of the border, draws and targets."""
        shape = (*self._sizes, LANES)
        codes = np.unravel_index(np.arange(prod(shape)), shape)
        columns = dict(zip((*self.border, self._draw.name), codes, strict=True))
        means = np.empty((prod(shape), len(self.targets)))
        for part in self._parts(drawn, findings):
            mine = [name for name in self.targets if name in part.hidden]
            moments = component_moments(drawn, part, mine, columns, findings, len(means))
            means[:, [self.targets.index(name) for name in mine]] = moments.means
        return means.reshape(*shape, len(self.targets))

    def _parts(self, drawn: FrozenNetwork, findings: Evidence) -> list[Component]:
        parts, _ = components(drawn, self.names, findings)
        return [part for part in parts if not set(self.targets).isdisjoint(part.hidden)]


def _numbers(network: FrozenNetwork, name: Name, given: Sequence[Name]) -> tuple[int, ...]:
    """The numbers of a variable's hidden discrete parents, in ascending order."""
    hidden = [parent.name for parent in network.discrete_parents(name) if parent.name not in given]
    return tuple(sorted(map(network.schema.index, hidden)))
