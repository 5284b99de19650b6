"""The numbers of a hidden Markov model, each with a text that says what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from bayou.schema import label
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_structure import ChainStructure
from bayou.typing import FloatArray, Name


def parameter_names(
    model: ChainModel, parameters: Mapping[Name, FloatArray]
) -> Iterator[tuple[Name, tuple[int, ...], str]]:
    """(name of the parameter, place in its array, text) of each number; covariances once.

    >>> import bayou
    >>> casino = bayou.examples.casino()
    >>> [text for _, _, text in parameter_names(casino.model, {"transition": casino.transition})][:2]
    ['fair → fair', 'fair → loaded']
    """
    chain = model.chain
    states = [label(state) for state in chain.user_state.states]
    groups = states
    if chain.component is not None:
        groups = [f"{state}, component {k}" for state in states for k in range(chain.component.cardinality)]
    columns = [label(name) for name in chain.gaussians]
    for name, values in parameters.items():
        for place in np.ndindex(values.shape):
            if name == "start":
                text = f"start {states[place[0]]}"
            elif name == "transition":
                text = f"{states[place[0]]} → {states[place[1]]}"
            elif name == "end":
                text = f"end | {states[place[0]]}"
            elif name == "mean stay":
                text = f"mean stay | {states[place[0]]}"
            elif name == "stay lengths":
                if not _is_learned_length(chain, *place):
                    continue
                text = f"stay = {place[1] + 1} | {states[place[0]]}"
            elif name == "components":
                text = f"component {place[1]} | {states[place[0]]}"
            elif name == "means":
                text = f"mean of {columns[place[1]]} | {groups[place[0]]}"
            elif name == "covariances":
                if place[1] > place[2]:
                    continue
                what = "variance of " if place[1] == place[2] else f"covariance of {columns[place[1]]} and "
                text = f"{what}{columns[place[2]]} | {groups[place[0]]}"
            else:
                text = _emission(model, name, place, states)
            yield name, place, text


def _is_learned_length(chain: ChainStructure, state: int, length: int) -> bool:
    """Whether the share of this length is learned, and not known from the transition table."""
    stays = chain.stays
    assert stays is not None
    own = stays.lengths[state]
    return not stays.open_ended[state] and length < len(own) and own[length] > 0


def _emission(model: ChainModel, name: Name, place: tuple[int, ...], states: list[str]) -> str:
    variable = model.network.schema[name]
    where = ", component ".join([states[place[0]], *map(str, place[1:])])
    if variable.is_continuous:
        return f"rate of {label(name)} | {where}"
    return f"{label(name)} = {label(variable.states[place[-1]])} | {states[place[0]]}"
