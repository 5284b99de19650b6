"""A network as a plain state (dicts, lists, arrays) and back: what the model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.distributions import (
    BDeu,
    Dirichlet,
    FunctionOfParents,
    Laplace,
    LinearGaussian,
    LocalDistribution,
    MaxOfCauses,
    MEstimate,
    NodeKind,
    Prior,
    Table,
)
from bayou.distributions.node_kind import LOGICS
from bayou.errors import BadFile, BadPrior
from bayou.formats.draft import Remarks
from bayou.formats.values import decode_value, encode_value
from bayou.graphs import Dag
from bayou.learning import PriorChoice
from bayou.models.checking import (
    checked_causes,
    checked_counts,
    checked_distinct,
    checked_gaussian,
    checked_moments,
    checked_rows,
    checked_table,
    checked_values,
)
from bayou.models.learned import Learned
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.statistics import (
    Counts,
    CountTable,
    DistinctRows,
    GroupMoments,
    Moments,
    Request,
    Result,
    RowCounts,
    RowSample,
    SampledRows,
    Statistics,
    ValueCounts,
    ValueHistogram,
)
from bayou.typing import Name

State = dict[str, Any]


def network_state(frozen: FrozenNetwork, learned: Learned | None, declared: Mapping[Name, Variable]) -> State:
    """Everything there is to know of a network: names, typed states, arcs, sharing, parameters, counts."""
    names = frozen.dag.nodes
    place = {name: position for position, name in enumerate(names)}
    return {
        "variables": [_variable_state(frozen.schema[name]) for name in names],
        "declared": [place[name] for name in declared],
        "parents": [[place[parent] for parent in frozen.dag.parents(name)] for name in names],
        "sharing": [
            {"block": encode_value(block), "users": [place[name] for name in users]}
            for block, users in frozen.sharing.items()
        ],
        "blocks": [
            {"block": encode_value(block), **_distribution_state(distribution)}
            for block, distribution in frozen.blocks.items()
        ],
        "kinds": [{"variable": place[name], **_kind_state(kind)} for name, kind in frozen.kinds.items()],
        "learned": None if learned is None else _learned_state(learned),
    }


def network_from_state(state: State) -> tuple[FrozenNetwork, Learned | None, dict[Name, Variable]]:
    """The network that :func:`network_state` wrote."""
    variables = [_variable(entry) for entry in state["variables"]]
    names = [variable.name for variable in variables]
    dag = Dag(names, {names[k]: [names[p] for p in own] for k, own in enumerate(state["parents"])})
    sharing = {
        decode_value(entry["block"]): tuple(names[k] for k in entry["users"]) for entry in state["sharing"]
    }
    blocks = {}
    for entry in state["blocks"]:
        block = decode_value(entry["block"])
        blocks[block] = _distribution(block, entry)
    # Files from before there were other kinds than tables and Gaussians do not speak of them.
    kinds = {names[entry["variable"]]: _kind(entry) for entry in state.get("kinds", [])}
    frozen = FrozenNetwork(Schema(variables), dag, sharing, blocks, kinds)
    learned = None if state["learned"] is None else _learned(state["learned"], frozen)
    return frozen, learned, {names[k]: variables[k] for k in state["declared"]}


def remarks_state(remarks: Remarks) -> State:
    """The name of the network and the texts about its variables."""
    texts = [[encode_value(name), list(lines)] for name, lines in remarks.properties.items()]
    return {"name": remarks.name, "properties": texts}


def remarks_from_state(state: State | None) -> Remarks:
    """The remarks of a file (none, where it has none)."""
    if state is None:
        return Remarks()
    properties = {decode_value(name): tuple(map(str, lines)) for name, lines in state["properties"]}
    return Remarks(str(state["name"]), properties)


def _variable_state(variable: Variable) -> State:
    return {
        "name": encode_value(variable.name),
        "states": [encode_value(state) for state in variable.states],
        "ordered": variable.ordered,
    }


def _variable(state: State) -> Variable:
    states = [decode_value(entry) for entry in state["states"]]
    return Variable(decode_value(state["name"]), states, ordered=bool(state["ordered"]))


def _distribution_state(distribution: LocalDistribution) -> State:
    if isinstance(distribution, Table):
        return {"kind": "table", "values": distribution.values}
    if isinstance(distribution, FunctionOfParents):
        return {"kind": "function", "codes": distribution.codes, "states": distribution.states}
    if isinstance(distribution, MaxOfCauses):
        return {
            "kind": "causes",
            "logic": distribution.logic,
            "links": list(distribution.links),
            "leak": distribution.leak,
            "strength": list(distribution.strength),
            "neutral": list(distribution.neutral),
        }
    return {
        "kind": "gaussian",
        "intercept": distribution.intercept,
        "coefficients": distribution.coefficients,
        "variance": distribution.variance,
    }


def _distribution(block: Name, state: State) -> LocalDistribution:
    if state["kind"] == "table":
        return checked_table(block, Table(state["values"]))
    if state["kind"] == "gaussian":
        gaussian = LinearGaussian(state["intercept"], state["coefficients"], state["variance"])
        return checked_gaussian(block, gaussian)
    if state["kind"] == "function":
        return FunctionOfParents(state["codes"], state["states"])
    if state["kind"] == "causes":
        strength, neutral = tuple(state["strength"]), tuple(state["neutral"])
        node = MaxOfCauses(tuple(state["links"]), state["leak"], strength, neutral, state["logic"])
        return checked_causes(block, node)
    raise BadFile(f"there is no distribution of the kind {state['kind']!r}.")


def _kind_state(kind: NodeKind) -> State:
    return {
        "logic": kind.logic,
        "marked": [[encode_value(name), encode_value(state)] for name, state in kind.marked.items()],
        "everywhere": [encode_value(state) for state in kind.everywhere],
    }


def _kind(state: State) -> NodeKind:
    if state["logic"] not in LOGICS:
        raise BadFile(f"there is no node of the kind {state['logic']!r}.")
    marked = {decode_value(name): decode_value(marked) for name, marked in state["marked"]}
    return NodeKind(state["logic"], marked, tuple(decode_value(entry) for entry in state["everywhere"]))


def _learned_state(learned: Learned) -> State:
    chosen = learned.priors.by_name or {}
    return {
        "rows": learned.statistics.rows,
        "statistics": [_result_state(request, result) for request, result in learned.statistics.items()],
        "prior": _prior_state(learned.priors.default),
        "priors": [{"name": encode_value(name), **_prior_state(prior)} for name, prior in chosen.items()],
    }


def _learned(state: State, frozen: FrozenNetwork) -> Learned:
    results = dict(_result(entry) for entry in state["statistics"])
    chosen = {decode_value(entry["name"]): _prior(entry) for entry in state["priors"]}
    priors = PriorChoice(_prior(state["prior"]), chosen or None)
    return Learned(frozen, Statistics(results, checked_rows(state["rows"])), priors)


def _result_state(request: Request, result: Result) -> State:
    if isinstance(result, Counts):
        return {
            "kind": "counts",
            "axes": [_variable_state(axis) for axis in result.axes],
            "values": result.values,
        }
    if isinstance(result, RowCounts):
        return {
            "kind": "rows",
            "axes": [_variable_state(axis) for axis in result.axes],
            "codes": result.codes,
            "counts": result.counts,
        }
    if isinstance(result, SampledRows):
        return _sample_state(result)
    if isinstance(result, ValueCounts):
        return _values_state(result)
    return {
        "kind": "moments",
        "variables": [encode_value(name) for name in result.variables],
        "groups": [_variable_state(axis) for axis in result.groups],
        "n": result.n,
        "mean": result.mean,
        "scatter": result.scatter,
    }


def _result(state: State) -> tuple[Request, Result]:
    if state["kind"] == "counts":
        counts = checked_counts(Counts(tuple(_variable(axis) for axis in state["axes"]), state["values"]))
        return CountTable(counts.names), counts
    if state["kind"] == "rows":
        rows = RowCounts(tuple(_variable(axis) for axis in state["axes"]), state["codes"], state["counts"])
        return DistinctRows(rows.names), checked_distinct(rows)
    if state["kind"] == "sample":
        return _sample(state)
    if state["kind"] == "values":
        return _values(state)
    variables = tuple(decode_value(name) for name in state["variables"])
    groups = tuple(_variable(axis) for axis in state["groups"])
    moments = checked_moments(GroupMoments(variables, groups, state["n"], state["mean"], state["scatter"]))
    return Moments(variables, tuple(axis.name for axis in groups)), moments


def _values_state(counted: ValueCounts) -> State:
    return {
        "kind": "values",
        "variable": encode_value(counted.variable),
        "groups": [_variable_state(axis) for axis in counted.groups],
        "values": counted.values,
        "codes": counted.codes,
        "weights": counted.weights,
        "bin_width": counted.bin_width,
    }


def _values(state: State) -> tuple[Request, Result]:
    variable, groups = decode_value(state["variable"]), tuple(_variable(axis) for axis in state["groups"])
    parts = state["values"], state["codes"], state["weights"]
    counted = checked_values(ValueCounts(variable, groups, *parts, state["bin_width"]))
    return ValueHistogram(variable, tuple(axis.name for axis in groups)), counted


def _sample_state(sample: SampledRows) -> State:
    columns = []
    for name, values in sample.values.items():
        numeric = all(value is None or type(value) is float for value in values)
        numbers = np.array([np.nan if value is None else value for value in values]) if numeric else None
        texts = None if numeric else [encode_value(value) for value in values]
        columns.append({"name": encode_value(name), "numbers": numbers, "values": texts})
    return {"kind": "sample", "size": sample.size, "weights": sample.weights, "columns": columns}


def _sample(state: State) -> tuple[Request, Result]:
    values: dict[Name, list[Any]] = {}
    for column in state["columns"]:
        if column["numbers"] is None:
            values[decode_value(column["name"])] = [decode_value(value) for value in column["values"]]
        else:
            numbers = column["numbers"].tolist()
            values[decode_value(column["name"])] = [None if value != value else value for value in numbers]
    sample = SampledRows.from_values(values, state["weights"], state["size"])
    return RowSample(tuple(values), sample.size), sample


def _prior_state(prior: Prior) -> State:
    if isinstance(prior, Laplace):
        return {"kind": "laplace", "strength": prior.strength}
    if isinstance(prior, BDeu):
        return {"kind": "bdeu", "equivalent_sample_size": prior.equivalent_sample_size}
    if isinstance(prior, MEstimate):
        return {"kind": "m-estimate", "m": prior.m, "p": _pairs(prior.p)}
    if isinstance(prior, Dirichlet):
        by_state = isinstance(prior.alpha, Mapping)
        return {
            "kind": "dirichlet",
            "by_state": _pairs(prior.alpha) if isinstance(prior.alpha, Mapping) else None,
            "alpha": None if by_state else np.asarray(prior.alpha, dtype=np.float64),
        }
    raise BadPrior(f"The prior {prior!r} can not be saved: only bayou's own priors can.")


def _prior(state: State) -> Prior:
    if state["kind"] == "laplace":
        return Laplace(state["strength"])
    if state["kind"] == "bdeu":
        return BDeu(state["equivalent_sample_size"])
    if state["kind"] == "m-estimate":
        return MEstimate(state["m"], None if state["p"] is None else _mapping(state["p"]))
    if state["kind"] == "dirichlet":
        return Dirichlet(_mapping(state["by_state"]) if state["by_state"] is not None else state["alpha"])
    raise BadFile(f"there is no prior of the kind {state['kind']!r}.")


def _pairs(mapping: Mapping[Any, float] | None) -> list[list[Any]] | None:
    return None if mapping is None else [[encode_value(key), float(value)] for key, value in mapping.items()]


def _mapping(pairs: list[list[Any]]) -> dict[Any, float]:
    return {decode_value(key): value for key, value in pairs}
