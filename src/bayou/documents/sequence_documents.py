"""Models of sequences as documents: dicts and lists that can be written as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork
    from bayou.models.sequences.hidden_markov.hmm import HMM
    from bayou.models.sequences.kalman.kalman_model import KalmanModel
    from bayou.typing import FloatArray, Name


def hmm_document(hmm: HMM) -> dict[str, Any]:
    """A hidden Markov model: states, start and transition probabilities, and what each column emits.

    >>> import bayou
    >>> document = hmm_document(bayou.examples.casino())
    >>> document["states"], document["transition"]
    (('fair', 'loaded'), [[0.95, 0.05], [0.1, 0.9]])
    >>> document["columns"][0]["symbols"]
    (1, 2, 3, 4, 5, 6)
    """
    return {
        "kind": "hidden Markov model",
        "state": hmm.chain.state.name,
        "states": hmm.states,
        "start": hmm.start.tolist(),
        "transition": hmm.transition.tolist(),
        "columns": [_column_document(hmm, name) for name in hmm.chain.columns],
        "free_parameters": hmm.free_parameters,
    }


def kalman_document(model: KalmanModel) -> dict[str, Any]:
    """A linear Gaussian model of series: its names and its matrices.

    >>> import bayou
    >>> kalman_document(bayou.KalmanModel.local_level(0.5))["transition_noise"]
    [[0.5]]
    """
    return {
        "kind": "linear Gaussian series",
        "states": model.states,
        "columns": model.columns,
        "inputs": model.inputs,
        **{part: value.tolist() for part, value in model.state()["parts"].items()},
    }


def dynamic_document(net: DynamicNetwork) -> dict[str, Any]:
    """A dynamic network: variables with their states (numbers have none), arcs with the slices between their
    ends, and tables; of numbers the lines.

    >>> import bayou
    >>> document = dynamic_document(bayou.examples.umbrella_world())
    >>> document["arcs"], [table["name"] for table in document["tables"]]
    ([('Rain', 'Rain', 1), ('Rain', 'Umbrella', 0)], ['Rain', "Rain'", 'Umbrella'])
    """
    template = net.template
    return {
        "kind": "dynamic network",
        "variables": [{"name": name, "states": one.states} for name, one in net.variables.items()],
        "arcs": list(net.arcs),
        "constant": [name for name in net.names if name in template.constant],
        "first": [name for name in net.names if name in template.first],
        "last": [name for name in net.names if name in template.last],
        "tables": [
            {"name": table, "parents": net.parents(table), **_table_document(net, table)}
            for table in net.tables
        ],
    }


def _table_document(net: DynamicNetwork, table: Name) -> dict[str, Any]:
    """A table, or the lines of a number by the states of its discrete parents."""
    if not net.variables[net.template.behind[table].name].is_continuous:
        return {"table": net.cpt(table).to_array().tolist()}
    line = net.gaussian(table).distribution
    parts = ("intercept", "coefficients", "variance")
    return {part: getattr(line, part).tolist() for part in parts}


def _column_document(hmm: HMM, name: Name) -> dict[str, Any]:
    """A column with the probability of each symbol by state, or with mean and deviation by state."""
    variable, node = hmm.chain.structure.declared[name], hmm.emission(name)
    document: dict[str, Any] = {"name": name, "kind": node.kind}
    if not variable.is_continuous:
        table = hmm.model.network.table(name)[hmm.chain.leaders].tolist()
        return {**document, "symbols": variable.states, "table": table}
    moments = hmm.model.emissions.moments(name)
    if moments is None:
        return document
    mean, variance = (part[hmm.chain.leaders] for part in moments)
    return {**document, "means": mean.tolist(), "deviations": _root(variance)}


def _root(variances: FloatArray) -> list[float]:
    return [max(variance, 0.0) ** 0.5 for variance in variances.tolist()]
