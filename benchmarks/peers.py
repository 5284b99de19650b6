"""How the peers are asked for the same parameters: Laplace add-1, states declared."""

from __future__ import annotations

from typing import Any

import numpy as np

from data import Sample


def pyagrum_template(sample: Sample) -> Any:
    """The network that tells pyAgrum the states and the arcs."""
    import pyagrum

    return pyagrum.loadBN(str(sample.bif))


def pyagrum_load(source: Any, template: Any) -> Any:
    """A learner with the data loaded (a path or a pandas frame) and the smoothing set."""
    import pyagrum

    learner = pyagrum.BNLearner(source, template)
    learner.useSmoothingPrior(1.0)
    return learner


def pyagrum_fit(learner: Any, template: Any) -> Any:
    """The tables, estimated along the template's arcs."""
    return learner.learnParameters(template.dag())


def pyagrum_squares(network: Any) -> float:
    """The sum of the squares of all table entries."""
    return float(sum(np.square(network.cpt(node).toarray()).sum() for node in network.nodes()))


def pgmpy_model(sample: Sample) -> Any:
    """The empty network."""
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork(sample.arcs)
    model.add_nodes_from(sample.names)
    return model


def pgmpy_fit(model: Any, frame: Any, states: dict[str, list[str]]) -> Any:
    """The tables; K2 is pgmpy's name for a pseudo count of 1 everywhere."""
    from pgmpy.parameter_estimator import DiscreteBayesianEstimator

    return DiscreteBayesianEstimator(state_names=states, prior_type="K2").fit(model, frame).parameters_


def pgmpy_squares(tables: Any) -> float:
    """The sum of the squares of all table entries."""
    return float(sum(np.square(table.get_values()).sum() for table in tables))


def bayou_squares(network: Any) -> float:
    """The sum of the squares of all table entries."""
    return float(sum(np.square(network.cpt(name).to_array()).sum() for name in network.names))
