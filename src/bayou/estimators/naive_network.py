"""A naive Bayes as a network, for everything that networks can do."""

from __future__ import annotations

import numpy as np

from bayou.distributions import Distribution, Table
from bayou.errors import BadQuestion, listed, warn_user
from bayou.estimators.naive_model import NaiveModel
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Schema
from bayou.typing import Name


def network_of(model: NaiveModel) -> Network:
    """The class and its children; features that a network can not hold are named in the error."""
    target = model.classes.name
    shown = [density for density in model.densities if density.variable.states or density.kind == "gaussian"]
    blocks: dict[Name, Distribution] = {target: Table(np.exp(model.log_prior))}
    strange: list[Name] = []
    for density in model.densities:
        block = density.block()
        if block is not None:
            blocks[density.variable.name] = block
        else:
            strange.append(density.variable.name)
    if strange:
        raise BadQuestion(
            f"A network has tables and Gaussians; {listed(strange)} is modelled otherwise. Fit with "
            "features='discretised' or 'gaussian' to have the network."
        )
    if model.weight != 1.0:
        warn_user(
            f"The network is the textbook's naive Bayes; this classifier weighs its evidence by "
            f"{model.weight:.3g} (evidence_weight=1 makes them equal)."
        )
    variables = [model.classes, *(density.variable for density in shown)]
    dag = Dag([variable.name for variable in variables], {d.variable.name: [target] for d in shown})
    known = {variable.name for variable in variables}
    kept = {name: block for name, block in blocks.items() if name in known}
    frozen = FrozenNetwork(Schema(variables), dag, {}, kept)
    return Network.from_parts(frozen, None, {variable.name: variable for variable in variables})
