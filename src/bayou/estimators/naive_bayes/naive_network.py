"""A fitted naive Bayes as a network."""

from __future__ import annotations

import numpy as np

from bayou.distributions import DENSITY, GAUSSIAN, Distribution, Table
from bayou.errors import NotAvailable, listed, warn_user
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.networks import FrozenNetwork
from bayou.schema import Schema
from bayou.typing import Name


def network_of(model: NaiveModel) -> Network:
    """Return the network of the class and the features, its children; other densities are an error."""
    target = model.classes.name
    # A column without any value is a table without states, which a network cannot have.
    shown = [d for d in model.densities if d.variable.states or d.distribution.form == GAUSSIAN]
    blocks: dict[Name, Distribution] = {target: Table(np.exp(model.log_prior))}
    blocks |= {density.variable.name: density.distribution for density in shown}
    others = [d.variable.name for d in model.densities if d.distribution.form == DENSITY]
    if others:
        raise NotAvailable(
            f"The network can have tables and Gaussians; modelled otherwise: {listed(others)}. Fit with "
            "features='discretised' or 'gaussian' to get the network."
        )
    if model.weight != 1.0 or model.column_weights is not None:
        near = "" if model.column_weights is None else "near "
        warn_user(
            "The network is the textbook's naive Bayes; this classifier raises the likelihood to the power "
            f"of {near}{model.weight:.3g} (evidence_weight=1 makes them equal)."
        )
    variables = [model.classes, *(density.variable for density in shown)]
    dag = Dag([variable.name for variable in variables], {d.variable.name: [target] for d in shown})
    frozen = FrozenNetwork(Schema(variables), dag, {}, blocks)
    return Network.from_parts(frozen, None, {variable.name: variable for variable in variables})
