"""Explanations of a prediction: the ledger of a row, and its calculation step by step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from bayou.distributions import CODES, DEFAULT_PRIOR, Laplace, Prior, prior_from
from bayou.errors import BadPrior, BadQuestion, without_warnings
from bayou.estimators.explain.alternatives import known_variable
from bayou.estimators.explain.class_pair import ClassPair, chosen_pair
from bayou.estimators.explain.counterfactuals import smallest_change
from bayou.estimators.explain.factor_text import factor, family_count_text, gaussian_column, prior_factors
from bayou.estimators.explain.linear_form import GAUSSIANS
from bayou.estimators.impossible_rows import possible
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.one_row import OneRow, read_row
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.networks.generative import ClassStatistics
from bayou.explain.class_working import ClassWorking, WorkingFactor
from bayou.explain.ledger import Ledger, LedgerEntry
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable, Statistics, TokenCounts
from bayou.statistics.matrix.class_moments import ClassMoments
from bayou.typing import FloatArray, Name, State

MISSING, NEVER_SEEN = "missing", "never seen"


def explain(estimator: Any, given: Any, of: State, against: State, order: str) -> Ledger:
    """Return the ledger of one row: the log-odds of two classes, split by finding."""
    model, row = estimator._fitted_model(), read_row(estimator, given)
    with without_warnings():
        joint = possible(estimator.predict_joint_log_proba(row.table()), estimator)[0]
        pair = chosen_pair(estimator._class_variable, joint, of, against)
        adds_up = hasattr(model, "log_odds_parts")
        if isinstance(model, NaiveModel):
            prior, entries = _exact_entries(model, row, pair)
        elif adds_up:
            prior, entries = _added_entries(model, row, pair)
        else:
            prior, entries = _left_out_entries(estimator, model, row, joint, pair)
    factors = _prior_factors(estimator, model)
    states = estimator._class_variable.states
    weights = np.exp(joint - joint.max())
    ledger = Ledger(
        estimator.target_,
        states[pair.of],
        states[pair.against],
        prior,
        (factors[pair.of].behind, factors[pair.against].behind),
        tuple(entries),
        pair.gap(joint),
        dict(zip(states, (weights / weights.sum()).tolist(), strict=True)),
        adds_up or isinstance(model, NaiveModel),
        _common_weight(model),
        partial(smallest_change, estimator, row),
    )
    return ledger.sorted(order)


def _added_entries(model: Any, row: OneRow, pair: ClassPair) -> tuple[float, list[LedgerEntry]]:
    """The part of each column in the log-odds of a pool, which sum to the log-odds."""
    prior, parts = model.log_odds_parts(row.table(), pair.of, pair.against)
    return prior, [
        LedgerEntry(name, value, odds, left_out=MISSING if value is None and odds == 0 else "")
        for name, value in row.values.items()
        for odds in [parts.get(name, 0.0)]
    ]


def _common_weight(model: Any) -> float:
    """The exponent of all findings; 1 where each has its own, so that there is none to divide by."""
    return 1.0 if getattr(model, "column_weights", None) is not None else float(getattr(model, "weight", 1.0))


def _exact_entries(model: NaiveModel, row: OneRow, pair: ClassPair) -> tuple[float, list[LedgerEntry]]:
    """The prior log-odds and the term of each finding, which sum to the log-odds exactly."""
    table = row.table()
    entries = []
    for density, weight in zip(model.densities, model.weights.tolist(), strict=True):
        name = density.variable.name
        reason = _why_left_out(density, row, table)
        if reason:
            entries.append(LedgerEntry(name, row.values[name], 0.0, left_out=reason))
            continue
        behind = (factor(density, table, pair.of).behind, factor(density, table, pair.against).behind)
        odds = weight * pair.gap(density.log_density(table)[0])
        entries.append(LedgerEntry(name, row.values[name], odds, behind))
    return pair.gap(model.log_prior), entries


def _why_left_out(density: FeatureDensity, row: OneRow, table: FeatureTable) -> str:
    """Why a feature has no term (missing, or a value never seen); empty if it has one."""
    if row.values[density.variable.name] is None:
        return MISSING
    if density.distribution.values_are == CODES:
        place = int(density.codes(table)[0][0])
        if place > density.variable.cardinality and density.unknown != "smooth":
            return NEVER_SEEN
    return ""


def _left_out_entries(
    estimator: Any, model: Any, row: OneRow, joint: FloatArray, pair: ClassPair
) -> tuple[float, list[LedgerEntry]]:
    """The effect of each finding: the log-odds with all findings minus those without it."""
    findings = row.findings
    nothing: dict[Name, State] = dict.fromkeys(findings)
    table = row.varied([nothing, *({name: None} for name in findings)])
    logs = estimator.predict_joint_log_proba(table)
    total = pair.gap(joint)
    changes = {name: _gap(total, pair.gap(logs[1 + k])) for k, name in enumerate(findings)}
    entries = []
    for name, value in row.values.items():
        reason = MISSING if value is None else NEVER_SEEN if _is_unseen(model, name, value) else ""
        behind = _behind(model, row, name, pair.of), _behind(model, row, name, pair.against)
        entries.append(LedgerEntry(name, value, changes.get(name, 0.0), behind, reason))
    return pair.gap(logs[0]), entries


def _behind(model: Any, row: OneRow, name: Name, code: int) -> str:
    """The parameters or counts that a finding's probability comes from, as text."""
    if isinstance(model, GAUSSIANS):
        return gaussian_column(model, list(row.values).index(name), code)
    return family_count_text(model, row, name, code)


def _is_unseen(model: Any, name: Name, value: State) -> bool:
    """Whether the model ignores a value because it is not among the feature's states."""
    variable = known_variable(model, name)
    if variable is None or not variable.cardinality or getattr(model, "unknown", "missing") == "smooth":
        return False
    return variable.find(value) is None


def _gap(with_it: float, without: float) -> float:
    return 0.0 if with_it == without else with_it - without


def _prior_factors(estimator: Any, model: Any) -> tuple[WorkingFactor, ...]:
    """P(class) of each class, with the counts it comes from if the classifier has them."""
    classes = estimator._class_variable
    counts = class_counts(estimator.statistics_, classes)
    if isinstance(model, NaiveModel):
        return prior_factors(model.log_prior, counts, _class_prior(estimator))
    if counts is None:
        return tuple(WorkingFactor("", "", np.nan) for _ in classes.states)
    total = float(counts.values.sum())
    return tuple(WorkingFactor("", "", np.nan, f"{n:g} of {total:g}") for n in counts.values)


def class_counts(statistics: Any, classes: Variable) -> Counts | None:
    """The number of training rows per class; None if the statistics do not have it."""
    if isinstance(statistics, ClassMoments):
        return Counts((classes,), statistics.aligned([classes]).rows)
    if isinstance(statistics, ClassStatistics):
        return statistics.counts.aligned([classes])
    if isinstance(statistics, TokenCounts):
        return statistics.aligned([classes]).per_class
    request = CountTable((classes.name,))
    if isinstance(statistics, Statistics) and request in set(statistics):
        return statistics[request].aligned([classes])
    return None


def _class_prior(estimator: Any) -> Prior | None:
    """The prior that smooths the class shares of this estimator; None if they are not counted shares."""
    shares = estimator.class_prior
    if isinstance(shares, str) and shares == "empirical":
        return Laplace(0.0)
    if shares is not None or estimator.rule == "ml":
        return None
    given = getattr(estimator, "prior_", estimator.prior)
    try:
        return DEFAULT_PRIOR if isinstance(given, Mapping) else prior_from(given)
    except BadPrior:
        return None


def working(estimator: Any, given: Any) -> ClassWorking:
    """Return the step-by-step calculation of one row; only for naive Bayes, one product per class."""
    model = estimator._fitted_model()
    if not isinstance(model, NaiveModel):
        with without_warnings():
            has_network = hasattr(estimator, "network_")
        other = "model.network_.working(…) shows the elimination of variables; " if has_network else ""
        raise BadQuestion(
            f"{type(estimator).__name__} is not a product of a prior and one factor per finding, so it has "
            f"no such calculation. {other}model.explain(row) shows the effect of each finding."
        )
    row = read_row(estimator, given)
    table = row.table()
    with without_warnings():
        joint = possible(estimator.predict_joint_log_proba(table), estimator)[0]
        reasons = {d.variable.name: _why_left_out(d, row, table) for d in model.densities}
        kept = [density for density in model.densities if not reasons[density.variable.name]]
        weighed = zip(model.densities, model.weights.tolist(), strict=True)
        powers = tuple(weight for density, weight in weighed if not reasons[density.variable.name])
        factors = tuple(tuple(factor(density, table, code) for density in kept) for code in range(len(joint)))
    weights = np.exp(joint - joint.max())
    return ClassWorking(
        estimator.target_,
        model.classes.states,
        tuple((density.variable.name, row.values[density.variable.name]) for density in kept),
        _prior_factors(estimator, model),
        factors,
        _common_weight(model),
        tuple(joint.tolist()),
        tuple((weights / weights.sum()).tolist()),
        tuple(f"{name} ({reason})" for name, reason in reasons.items() if reason),
        () if model.column_weights is None else powers,
    )
