"""Variables, statistics and priors as plain states and back: what every kind of model file is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.distributions import BDeu, Dirichlet, Laplace, MEstimate, Prior
from bayou.errors import BadFile, BadPrior
from bayou.models.checking import (
    checked_counts,
    checked_distinct,
    checked_moments,
    checked_pairs,
    checked_rows,
    checked_values,
)
from bayou.schema import Variable
from bayou.schema.values import decode_value, encode_value
from bayou.statistics import (
    Counts,
    CountTable,
    DistinctRows,
    GroupMoments,
    Moments,
    PairCounts,
    PairTables,
    Request,
    Result,
    RowCounts,
    RowSample,
    SampledRows,
    Statistics,
    TokenCounts,
    ValueCounts,
    ValueHistogram,
    WordCounts,
)
from bayou.typing import Name

State = dict[str, Any]


def variable_state(variable: Variable) -> State:
    """Name, typed states, and whether their order means something."""
    return {
        "name": encode_value(variable.name),
        "states": [encode_value(state) for state in variable.states],
        "ordered": variable.ordered,
    }


def variable_from_state(state: State) -> Variable:
    """The variable that :func:`variable_state` wrote."""
    states = [decode_value(entry) for entry in state["states"]]
    return Variable(decode_value(state["name"]), states, ordered=bool(state["ordered"]))


def statistics_state(statistics: Statistics) -> State:
    """All answers, and the number of rows behind them."""
    return {
        "rows": statistics.rows,
        "statistics": [_answer_state(request, result) for request, result in statistics.items()],
    }


def statistics_from_state(state: State) -> Statistics:
    """The statistics that :func:`statistics_state` wrote, checked."""
    results = dict(result_from_state(entry) for entry in state["statistics"])
    return Statistics(results, checked_rows(state["rows"]))


def _answer_state(request: Request, result: Result) -> State:
    if isinstance(request, WordCounts):
        # Counts of words do not know which column they are of.
        return {**result_state(result), "variable": encode_value(request.variable)}
    return result_state(result)


def result_state(result: Result) -> State:
    """One answer: its axes with their states, and its numbers."""
    if isinstance(result, Counts):
        return {
            "kind": "counts",
            "axes": [variable_state(axis) for axis in result.axes],
            "values": result.values,
        }
    if isinstance(result, PairTables):
        return _pair_tables_state(result)
    if isinstance(result, RowCounts):
        return {
            "kind": "rows",
            "axes": [variable_state(axis) for axis in result.axes],
            "codes": result.codes,
            "counts": result.counts,
        }
    if isinstance(result, SampledRows):
        return _sample_state(result)
    if isinstance(result, ValueCounts):
        return _values_state(result)
    if isinstance(result, TokenCounts):
        return {
            "kind": "words",
            "words": list(result.words),
            "classes": variable_state(result.classes),
            "per_class": result.per_class.values,
            "occurrences": result.occurrences,
            "documents": result.documents,
        }
    return {
        "kind": "moments",
        "variables": [encode_value(name) for name in result.variables],
        "groups": [variable_state(axis) for axis in result.groups],
        "n": result.n,
        "mean": result.mean,
        "scatter": result.scatter,
    }


def result_from_state(state: State) -> tuple[Request, Result]:
    """The answer that :func:`result_state` wrote, and the question that it answers."""
    if state["kind"] == "counts":
        counts = checked_counts(
            Counts(tuple(variable_from_state(axis) for axis in state["axes"]), state["values"])
        )
        return CountTable(counts.names), counts
    if state["kind"] == "pairs":
        return _pair_tables(state)
    if state["kind"] == "rows":
        rows = RowCounts(
            tuple(variable_from_state(axis) for axis in state["axes"]), state["codes"], state["counts"]
        )
        return DistinctRows(rows.names), checked_distinct(rows)
    if state["kind"] == "sample":
        return _sample(state)
    if state["kind"] == "values":
        return _values(state)
    if state["kind"] == "words":
        return _words(state)
    variables = tuple(decode_value(name) for name in state["variables"])
    groups = tuple(variable_from_state(axis) for axis in state["groups"])
    moments = checked_moments(GroupMoments(variables, groups, state["n"], state["mean"], state["scatter"]))
    return Moments(variables, tuple(axis.name for axis in groups)), moments


def _pair_tables_state(pairs: PairTables) -> State:
    return {
        "kind": "pairs",
        "axes": [variable_state(axis) for axis in pairs.axes],
        "given": [variable_state(axis) for axis in pairs.given],
        "values": pairs.values,
    }


def _pair_tables(state: State) -> tuple[Request, Result]:
    axes = tuple(variable_from_state(axis) for axis in state["axes"])
    given = tuple(variable_from_state(axis) for axis in state["given"])
    pairs = checked_pairs(PairTables(axes, given, state["values"]))
    return PairCounts(pairs.names, pairs.given_names), pairs


def _words(state: State) -> tuple[Request, Result]:
    classes = variable_from_state(state["classes"])
    words = tuple(map(str, state["words"]))
    per_class = checked_counts(Counts((classes,), state["per_class"]))
    tables = [state["occurrences"], state["documents"]]
    if any(table.shape != (len(words), classes.cardinality) or np.any(table < 0) for table in tables):
        raise BadFile("the counts of words do not fit their words and classes.")
    counted = TokenCounts(words, per_class, *tables)
    return WordCounts(decode_value(state["variable"]), (classes.name,)), counted


def _values_state(counted: ValueCounts) -> State:
    return {
        "kind": "values",
        "variable": encode_value(counted.variable),
        "groups": [variable_state(axis) for axis in counted.groups],
        "values": counted.values,
        "codes": counted.codes,
        "weights": counted.weights,
        "bin_width": counted.bin_width,
    }


def _values(state: State) -> tuple[Request, Result]:
    variable = decode_value(state["variable"])
    groups = tuple(variable_from_state(axis) for axis in state["groups"])
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


def prior_state(prior: Prior) -> State:
    """One of bayou's own priors, by its name and numbers."""
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


def prior_from_state(state: State) -> Prior:
    """The prior that :func:`prior_state` wrote."""
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
