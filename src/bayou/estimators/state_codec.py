"""Parameters and learned attributes as plain data: values, arrays, and objects by the name of their class.

A file can only create objects of registered classes; functions and other objects are refused when saving.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from bayou.declared_types import require_declared
from bayou.distributions import DISTRIBUTIONS, Distribution, NodeKind, Prior, prior_from_state
from bayou.errors import BadFile, BadQuestion, NotFitted
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.models.sequences.hidden_markov.hmm import HMM
from bayou.networks import Structure
from bayou.registry import Registry
from bayou.schema import Cuts, Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics import Result, Statistics, result_from_state

_WIDE = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}
OBJECTS: Registry[type[Any]] = Registry(
    "object",
    {
        "AutoFeature": "bayou.estimators.naive_bayes.auto_feature:AutoFeature",
        "BackOff": "bayou.estimators.networks.backoff_prior:BackOff",
        "BernoulliFeature": "bayou.estimators.naive_bayes.number_kinds:BernoulliFeature",
        "Candidate": "bayou.estimators.gaussian.covariance_choice:Candidate",
        "Choice": "bayou.estimators.naive_bayes.auto_feature:Choice",
        "ClassStatistics": "bayou.estimators.networks.generative:ClassStatistics",
        "CovarianceChoice": "bayou.estimators.gaussian.covariance_choice:CovarianceChoice",
        "DeclaredRanges": "bayou.estimators.naive_bayes.declared_states:DeclaredRanges",
        "DeclaredTable": "bayou.estimators.naive_bayes.declared_states:DeclaredTable",
        "DiscreteDomain": "bayou.estimators.networks.discrete_domain:DiscreteDomain",
        "DiscretisedFeature": "bayou.estimators.naive_bayes.number_kinds:DiscretisedFeature",
        "Fixed": "bayou.distributions.kernel.bandwidth_rules:Fixed",
        "FrozenStructure": "bayou.estimators.pooled.frozen.frozen_structure:FrozenStructure",
        "GaussianFeature": "bayou.estimators.naive_bayes.feature_kinds:GaussianFeature",
        "HeldOut": "bayou.distributions.kernel.bandwidth_rules:HeldOut",
        "KernelFeature": "bayou.distributions.kernel.kernel_feature:KernelFeature",
        "PoissonFeature": "bayou.distributions.poisson:PoissonFeature",
        "Scott": "bayou.distributions.kernel.bandwidth_rules:Scott",
        "Silverman": "bayou.distributions.kernel.bandwidth_rules:Silverman",
        "TableFeature": "bayou.estimators.naive_bayes.feature_kinds:TableFeature",
        "TreeStep": "bayou.learning.search.spanning_tree:TreeStep",
        "WordsFeature": "bayou.estimators.naive_bayes.feature_kinds:WordsFeature",
        # Files of earlier versions hold these statistics as objects; today each has a state of its own.
        "ClassMoments": "bayou.statistics.matrix.class_moments:ClassMoments",
        "FourthMoments": "bayou.statistics.matrix.class_moments:FourthMoments",
        "MatrixSample": "bayou.statistics.matrix.matrix_sample:MatrixSample",
        "TokenCounts": "bayou.statistics.text.token_counts:TokenCounts",
    },
)
"""Dataclasses that a file may hold, field by field. Classes from elsewhere are added with ``OBJECTS.add``."""


def stored(value: Any, where: str) -> Any:
    """Return a value as plain data; ``where`` names it in the error if a file cannot hold it.

    >>> from bayou.distributions import Laplace
    >>> stored({"age": Laplace(2.0)}, "prior")
    {'$': 'mapping', 'items': [['age', {'$': 'prior', 'kind': 'laplace', 'strength': 2.0}]]}
    """
    for kind, (types, write, _) in _CODECS.items():
        if isinstance(value, types):
            return {"$": kind, **write(value, where)}
    if isinstance(value, type) and issubclass(value, Distribution):
        return {"$": "distribution", "kind": value.kind}
    name = type(value).__name__
    if name in OBJECTS and OBJECTS.find(name) is type(value):
        parts = {
            field.name: stored(getattr(value, field.name), where) for field in fields(value) if field.init
        }
        return {"$": "object", "class": name, "fields": parts}
    try:
        return encode_value(value)
    except ValueError:
        what = "a function" if callable(value) else f"a {type(value).__name__}"
        raise BadQuestion(
            f"{where}={value!r} is {what}, which a model file cannot hold (nothing in it is ever executed). "
            "Use a value, a name or one of bayou's own objects there, or save this model with pickle."
        ) from None


def restored(state: Any, where: str = "") -> Any:
    """Return the value that :func:`stored` wrote.

    >>> restored(stored((1, "one", [1.5, None]), "example"))
    (1, 'one', [1.5, None])
    """
    if not isinstance(state, dict) or "$" not in state:
        return decode_value(state)
    if state["$"] == "object":
        return _object(state)
    if state["$"] == "distribution":
        return DISTRIBUTIONS.find(state["kind"])
    if state["$"] not in _CODECS:
        raise BadFile(f"there is no value of the kind {state['$']!r}.")
    return _CODECS[state["$"]][2](state)


def _object(state: dict[str, Any]) -> Any:
    maker = OBJECTS.find(state["class"])
    values = {field: restored(part) for field, part in state["fields"].items()}
    for field, value in values.items():
        require_declared(maker, field, value)
    made = maker(**values)
    # Statistics in files of earlier versions get the checks of today's states.
    return result_from_state(made.state()) if isinstance(made, Result) else made


def _items(value: Any, where: str) -> dict[str, Any]:
    return {"items": [stored(item, where) for item in value]}


def _restored_items(state: dict[str, Any]) -> list[Any]:
    return [restored(item) for item in state["items"]]


def _mapping(value: Mapping[Any, Any], where: str) -> dict[str, Any]:
    return {"items": [[stored(key, where), stored(item, f"{where}[{key!r}]")] for key, item in value.items()]}


def _array(value: Any, where: str) -> dict[str, Any]:
    if value.dtype.kind in "biuf":
        return {
            "numbers": value.astype(_WIDE[value.dtype.kind]),
            "type": value.dtype.str,
            "shape": list(value.shape),
        }
    items = [stored(item, where) for item in value.ravel().tolist()]
    return {
        "items": items,
        "type": "object" if value.dtype.kind == "O" else "text",
        "shape": list(value.shape),
    }


def _restored_array(state: dict[str, Any]) -> Any:
    if "numbers" in state:
        return state["numbers"].astype(_number_type(state["type"])).reshape(state["shape"])
    flat = np.empty(len(state["items"]), dtype=object)
    flat[:] = _restored_items(state)
    return (flat.astype(str) if state["type"] == "text" else flat).reshape(state["shape"])


def _scalar(value: Any, where: str) -> dict[str, Any]:
    if value.dtype.kind not in "biuf":
        return {"type": None, "value": stored(value.item(), where)}
    return {"type": value.dtype.str, "value": encode_value(value.astype(_WIDE[value.dtype.kind]).item())}


def _restored_scalar(state: dict[str, Any]) -> Any:
    if state["type"] is None:
        return restored(state["value"])
    return _number_type(state["type"]).type(decode_value(state["value"]))


def _number_type(name: Any) -> np.dtype[Any]:
    kind: np.dtype[Any] = np.dtype(name)
    if kind.kind not in _WIDE:
        raise BadFile(f"there is no number of the type {name!r}.")
    return kind


def _graph(value: Dag, where: str) -> dict[str, Any]:
    return _mapping({name: list(value.parents(name)) for name in value.nodes}, where)


def _restored_graph(state: dict[str, Any]) -> Dag:
    parents = {restored(name): restored(own) for name, own in state["items"]}
    return Dag(list(parents), parents)


def _restored_structure(state: dict[str, Any]) -> Structure:
    if "names" in state:
        return Structure.from_state(state)
    # Files of earlier versions hold the structure by variable names.
    declared = [Variable.from_state(entry) for entry in state["declared"]]
    sharing = {restored(block): tuple(restored(users)) for block, users in state["sharing"]["items"]}
    kinds = {decode_value(name): NodeKind.from_state(kind) for name, kind in state["kinds"]}
    named = {variable.name: variable for variable in declared}
    return Structure(_restored_graph(state["graph"]), named, sharing, kinds)


def _network(value: Network, where: str) -> dict[str, Any]:
    try:
        return {"state": value.state()}
    except NotFitted:  # arcs and declarations without tables, which is all that a classifier uses
        return {"state": None, "structure": value.structure.state()}


def _restored_network(state: dict[str, Any]) -> Network:
    if state["state"] is None:
        return Network.from_structure(_restored_structure(state["structure"]))
    return Network.from_state(state["state"])


def _hmm(value: HMM, where: str) -> dict[str, Any]:
    try:
        return {"state": value.state()}
    except NotFitted:  # what the states are and emit, which is all that a classifier uses
        return {"state": None, "arguments": stored(value.arguments, where)}


def _restored_hmm(state: dict[str, Any]) -> HMM:
    return HMM(**restored(state["arguments"])) if state["state"] is None else HMM.from_state(state["state"])


def _cuts(value: Cuts, where: str) -> dict[str, Any]:
    return {"numbers": [encode_value(number) for number in (value.low, *value.points, value.high)]}


def _restored_cuts(state: dict[str, Any]) -> Cuts:
    low, *points, high = map(decode_value, state["numbers"])
    return Cuts(points, low=low, high=high)


def _own_state(value: Any, where: str) -> dict[str, Any]:
    state: dict[str, Any] = value.state()
    return state


_Codec = tuple[Any, Callable[[Any, str], dict[str, Any]], Callable[[dict[str, Any]], Any]]
"""The types, the function (value, where) that writes them, and the function that reads them."""
# The first entry whose types match is used: statistics come before mappings because they are mappings too.
_CODECS: dict[str, _Codec] = {
    "scalar": (np.generic, _scalar, _restored_scalar),
    "list": (list, _items, _restored_items),
    "tuple": (tuple, _items, lambda state: tuple(_restored_items(state))),
    "set": (
        set | frozenset,
        lambda value, where: _items(sorted(value, key=repr), where),
        lambda state: set(_restored_items(state)),
    ),
    "statistics": (Statistics, _own_state, Statistics.from_state),
    "result": (Result, _own_state, result_from_state),
    "mapping": (
        Mapping,
        _mapping,
        lambda state: {restored(key): restored(item) for key, item in state["items"]},
    ),
    "array": (np.ndarray, _array, _restored_array),
    "prior": (Prior, _own_state, prior_from_state),
    "variable": (Variable, _own_state, Variable.from_state),
    "cuts": (Cuts, _cuts, _restored_cuts),
    "graph": (Dag, _graph, _restored_graph),
    "structure": (Structure, _own_state, _restored_structure),
    "network": (Network, _network, _restored_network),
    "hmm": (HMM, _hmm, _restored_hmm),
}
