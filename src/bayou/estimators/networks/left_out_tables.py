"""Rows of a sample, each scored by the tables of a classifier without it: exact, as counts subtract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.codes import missing_code
from bayou.distributions import prior_from
from bayou.estimators.naive_bayes.column_weights import column_weights
from bayou.estimators.naive_bayes.evidence_weight import (
    ClassRecords,
    LeftOutRows,
    faded,
    faded_columns,
    given_weight,
    learned_part,
    left_out_prior,
)
from bayou.estimators.networks.backoff_prior import back_off_of
from bayou.estimators.networks.family_scores import FamilyRecords, FamilyScores, class_last
from bayou.estimators.networks.network_model import NetworkModel
from bayou.schema import Variable
from bayou.statistics import Batch, Counts, CountTable, RowSample, SampledRows, Statistics
from bayou.typing import CodeArray, IntArray, Name, State


def sampled_codes(sample: SampledRows, variable: Variable) -> CodeArray:
    """Return a column of a sample as codes of a variable; the missing code where it has no such state.

    >>> rows = SampledRows.from_values({"x": ["a", None, "c"]}, np.ones(3), size=9)
    >>> sorted(sampled_codes(rows, Variable("x", ["c", "a"])).tolist())
    [0, 1, 4294967295]
    """
    values = sample.values[variable.name]
    typed = list(zip(map(type, values), values, strict=True))  # True and 1 are equal, but other states
    missing = missing_code(np.uint32)
    places = {(kind, value): _place(variable, value, missing) for kind, value in set(typed)}
    return np.fromiter(map(places.__getitem__, typed), dtype=np.uint32, count=len(typed))


def _place(variable: Variable, value: State | None, missing: int) -> int:
    found = None if value is None else variable.find(value)
    return missing if found is None else found


def class_records(model: NetworkModel) -> ClassRecords:
    """Return the rows of each class, and those with the virtual ones behind P(class)."""
    classes = model.network.schema[model.target]
    counts = model.learned.statistics[CountTable((classes.name,))].aligned([classes]).values
    prior = model.learned.priors.of(classes.name, (classes.name,))
    rows = np.asarray(counts, dtype=np.float64)
    return ClassRecords(rows, rows + np.broadcast_to(prior.pseudocounts(classes, []), rows.shape))


def family_records(model: NetworkModel, scores: FamilyScores) -> FamilyRecords:
    """Return the records behind the table of a family with the class in it."""
    schema, target, name = model.network.schema, model.target, scores.name
    parents = tuple(model.network.parents(name))
    axes = (*parents, schema[name])
    counts = model.learned.statistics[CountTable(tuple(axis.name for axis in axes))].aligned(axes).values
    prior = model.learned.priors.of(name, (name,))
    whole = counts + np.broadcast_to(prior.pseudocounts(schema[name], list(parents)), counts.shape)
    classes = schema[target].cardinality
    records = class_last(whole, [axis.name for axis in axes], target, classes)
    back_off = back_off_of(model.tables.prior)
    if back_off is None or len(parents) < 2:
        return FamilyRecords(scores, records)
    small: Counts = model.tables.statistics[CountTable((target, name))]
    base = small.aligned([schema[target], schema[name]]).values
    virtual = prior_from(back_off.base).pseudocounts(schema[name], [schema[target]])
    return FamilyRecords(scores, records, back_off.records, (base + np.broadcast_to(virtual, base.shape)).T)


def weighed_model(
    model: NetworkModel, given: Any, statistics: Statistics, features: Sequence[Name]
) -> NetworkModel:
    """Return the model with the exponent that is given, or with those that predict left-out rows best.

    They are 1 without a sample of rows, with few rows, and in networks that are not tables below a class.
    """
    weight = given_weight(given)
    request = RowSample((model.target, *features))
    if weight is not None or model.scores is None or request not in set(statistics):
        return replace(model, weight=1.0 if weight is None else weight)
    classes = class_records(model)
    total = float(classes.rows.sum())
    if learned_part(total) == 0 or len(classes.rows) < 2 or not model.scores:
        return model
    rows = left_out_rows(model, statistics[request], classes).of_classes_that_stay(classes)
    weight = rows.best_weight()
    columns = faded_columns(column_weights(rows, weight), total)
    return replace(model, weight=faded(weight, total), column_weights=columns)


def left_out_rows(model: NetworkModel, sample: SampledRows, classes: ClassRecords) -> LeftOutRows:
    """Return the rows of a sample without themselves; their terms are those of families with the class.

    In its own class a row is taken off each family that it
    is known in: it was counted in no other. (With back-off it was also counted in P(x | class) of a family
    whose parents have a gap; that stays.) The term of a family that is not known is 0.
    """
    codes: Mapping[Name, CodeArray] = {
        variable.name: sampled_codes(sample, variable) for variable in model.network.schema
    }
    own: IntArray = codes[model.target].astype(np.int64)
    one = np.minimum(sample.weights, 1.0)  # of a row that stands for several, one is left out
    scored = [scores for scores in model.scores or () if scores.has_class]
    rows = np.arange(len(own))
    unlabelled = {name: column for name, column in codes.items() if name != model.target}
    unlabelled[model.target] = np.full(len(own), missing_code(np.uint32), dtype=np.uint32)
    log_prior = np.log(np.maximum(model.network.table(model.target), 1e-300))
    total = model.plain_logs(model.network, model.scores, Batch(len(own), unlabelled, {})) - log_prior
    terms = np.zeros((len(own), model.network.schema[model.target].cardinality, len(scored)))
    for place, scores in enumerate(scored):
        cells, known = scores.cells(codes)
        terms[..., place] = np.where(known[:, None], scores.logs_of(cells), 0.0)
        seen = terms[rows, own, place].copy()
        terms[rows, own, place] = family_records(model, scores).left_out(cells, known, own, one)
        total[rows, own] += np.where(np.isfinite(seen), terms[rows, own, place] - seen, 0.0)
    prior = left_out_prior(log_prior, classes, own, one)
    return LeftOutRows(prior, total, own, sample.weights, terms)
