"""A linear Gaussian series of a fixed length as a plain Bayesian network of linear Gaussian nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.distributions import Distribution, LinearGaussian
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.temporal.kalman.linear_system import LinearSystem
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class _Lines:
    """A vector v = slopes · z + constant + noise as one regression for each entry: on z, and on the entries
    of v before it, so that the noises of the nodes are independent.
    """

    slopes: FloatArray
    earlier: FloatArray
    turned: FloatArray
    variances: FloatArray

    @classmethod
    def of(cls, slopes: FloatArray, noise: FloatArray) -> _Lines:
        size = len(noise)
        earlier, variances = np.zeros((size, size)), np.zeros(size)
        for i in range(size):
            own = np.linalg.pinv(noise[:i, :i], hermitian=True) @ noise[:i, i] if i else np.zeros(0)
            earlier[i, :i] = np.where(noise[:i, i] != 0, own, own * (np.abs(own) > 1e-14)) if i else own
            variances[i] = max(float(noise[i, i] - own @ noise[:i, i]), 0.0)
        turned = np.eye(size) - earlier
        return cls(turned @ slopes, earlier, turned, variances)


def unrolled_system(
    system: LinearSystem, states: Sequence[Name], columns: Sequence[Name], inputs: FloatArray
) -> Network:
    """The network of a series: the states and columns of each step, numbered from 0.

    Without inputs all steps share their parameters.
    """
    n = len(states)
    first = _Lines.of(np.zeros((n, 0)), system.start_covariance)
    move = _Lines.of(system.transition, system.transition_noise)
    seen = _Lines.of(system.observation, system.observation_noise)
    parents: dict[Name, list[Name]] = {}
    users: dict[Name, list[Name]] = {}
    blocks: dict[Name, Distribution] = {}

    def add(
        kind: str, lines: _Lines, names: Sequence[Name], step: int, given: list[str], constant: FloatArray
    ) -> None:
        constant = lines.turned @ constant
        for i, name in enumerate(names):
            weights = np.concatenate([lines.slopes[i], lines.earlier[i, :i]])
            known = [*given, *(f"{one}_{step}" for one in names[:i])]
            used = np.flatnonzero(weights)
            own = f"{name}_{step}"
            parents[own] = [known[k] for k in used]
            block: Name = f"p_{kind}_{name}" if not inputs.shape[1] else own
            users.setdefault(block, []).append(own)
            blocks[block] = LinearGaussian(
                np.asarray(constant[i]), weights[used], np.asarray(lines.variances[i])
            )

    for step in range(len(inputs)):
        u = inputs[step]
        if step == 0:
            add("start", first, states, 0, [], system.start_mean)
        else:
            add("move", move, states, step, [f"{one}_{step - 1}" for one in states], system.control @ u)
        add("seen", seen, columns, step, [f"{one}_{step}" for one in states], system.direct @ u)
    dag = Dag(list(parents), parents)
    variables = {name: Variable(name) for name in dag.nodes}
    sharing = {block: tuple(names) for block, names in users.items() if len(names) > 1}
    owned = {names[0] if len(names) == 1 else block: blocks[block] for block, names in users.items()}
    frozen = FrozenNetwork(Schema(variables[name] for name in dag.nodes), dag, sharing, owned, {})
    return Network.from_parts(frozen, None, variables)
