"""Summaries of classifiers that were learned: what is told of each feature, and of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bayou import _native
from bayou.decisions.scoring_rules import Scores, scores_of
from bayou.distributions.distribution_kind import kind_word
from bayou.errors import counted
from bayou.estimators.explain.explanations import class_counts
from bayou.estimators.explain.linear_form import GAUSSIANS
from bayou.estimators.explain.model_summary import MOST_FEATURES, MOST_WEIGHTS, FeatureNote, ModelSummary
from bayou.estimators.gaussian.indicator_columns import IndicatorModel
from bayou.estimators.input.row_input import reads_documents
from bayou.estimators.input.table_input import array_column_names
from bayou.estimators.naive_bayes.evidence_weight import left_out_rows
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.networks.aode import AODEModel
from bayou.estimators.networks.network_model import NetworkModel
from bayou.estimators.pooled.column_notes import reading_of
from bayou.estimators.pooled.pooled_model import PooledModel
from bayou.schema import label
from bayou.statistics import CountTable, RowSample, Statistics
from bayou.text.tables import probability_text
from bayou.typing import Name


def summarise(estimator: Any) -> ModelSummary:
    """Return the summary of a fitted classifier."""
    model, variable = estimator._fitted_model(), estimator._class_variable
    counts = class_counts(estimator.statistics_, variable)
    rows = None if counts is None else counts.values.sum().item()
    numbers = [None] * len(variable.states) if counts is None else counts.values.tolist()
    return ModelSummary(
        type(estimator).__name__,
        estimator.target_,
        rows,
        dict(zip(variable.states, numbers, strict=True)),
        tuple(_features(estimator, model, rows)),
        tuple(_notes(estimator, model)),
        _held_out(estimator, model),
    )


def summarise_vote(estimator: Any) -> ModelSummary:
    """Return the summary of classifiers that vote: their posterior probabilities."""
    notes = [
        f"{name}: P(h | data) = {probability_text(weight)}, log evidence {estimator.log_evidence_[name]:.6g}"
        for name, weight in estimator.weights_.items()
    ]
    chosen = f"Evidence of the hypotheses: {estimator.evidence_}; rule: {estimator.rule}."
    states = dict.fromkeys(estimator.classes_.tolist())
    target = getattr(estimator, "target_", "class")  # files of early versions do not have it
    return ModelSummary(type(estimator).__name__, target, None, states, (), (chosen, *notes))


def _features(estimator: Any, model: Any, rows: float | None) -> Iterator[FeatureNote]:
    if isinstance(model, NaiveModel):
        yield from _naive_features(estimator, model, rows)
    elif isinstance(model, NetworkModel):
        for name in model.network.dag.nodes:
            if name != model.target:
                yield _network_feature(estimator, model, name, rows)
    elif not reads_documents(estimator) and getattr(estimator, "tabular", True):
        yield from _other_features(estimator, model, rows)


def _naive_features(estimator: Any, model: NaiveModel, rows: float | None) -> Iterator[FeatureNote]:
    kinds, choices = estimator.feature_kinds_, estimator.choices_
    words = {name: choices[name].kind if name in choices else kind_word(kind) for name, kind in kinds.items()}
    if len(words) > MOST_FEATURES:
        for word, count in Counter(words.values()).items():
            yield FeatureNote(f"{count:,} features", word)
        return
    given = estimator.features
    for density in model.densities:
        name = density.variable.name
        choice = choices.get(name)
        why = (
            "as asked for" if given == words[name] else "its values are no numbers" if given == "auto" else ""
        )
        if choice is not None:
            why = _why(choice.kind, choice.losses)
        present = _values_of(estimator.statistics_, name)
        missing = None if rows is None or present is None else max(rows - present, 0)
        states = density.variable.cardinality
        ranges = f" ({counted(states, 'range' if density.variable.cuts else 'state')})" if states else ""
        yield FeatureNote(name, f"{words[name]}{ranges}", why, missing)


def _other_features(estimator: Any, model: Any, rows: float | None) -> Iterator[FeatureNote]:
    """The features of a model that treats all of them alike."""
    names, modelled = (
        array_column_names(estimator, estimator.n_features_in_),
        _modelled_alike(estimator, model),
    )
    if len(names) > MOST_FEATURES:
        yield FeatureNote(f"{len(names):,} features", modelled)
        return
    known = {variable.name: variable for variable in getattr(model, "variables", ())}
    for name in names:
        variable = known.get(name)
        states = 0 if variable is None else variable.cardinality
        ranges = counted(states, "range" if variable is not None and variable.cuts else "state")
        present = _values_of(estimator.statistics_, name)
        missing = None if rows is None or present is None else max(rows - present, 0)
        if isinstance(model, PooledModel) and name in estimator.column_kinds_:
            missing = model.gaps.get(name) if missing is None else missing
            yield FeatureNote(name, reading_of(estimator.column_kinds_[name], variable), "", missing)
            continue
        yield FeatureNote(name, f"{modelled} ({ranges})" if states else modelled, "", missing)


def _modelled_alike(estimator: Any, model: Any) -> str:
    """How a model that is neither naive Bayes nor a network models each of its features."""
    if isinstance(model, (*GAUSSIANS, IndicatorModel)):
        alone = estimator.covariance_ in ("diagonal", "spherical")
        return "normal, on its own" if alone else "normal, jointly with the others"
    if isinstance(model, AODEModel):
        return "table given the class and each other feature"
    return "in the model of each class" if hasattr(model, "class_densities") else ""


def _values_of(statistics: Any, name: Name) -> float | None:
    """How many training rows have a value of a feature; None if the statistics do not tell."""
    if not isinstance(statistics, Statistics):
        return None
    for request, result in statistics.items():
        own = (*request.states, *request.numbers, *request.values)
        if name in own and len(own) <= 2:  # of the feature and perhaps the class
            return float(result.total)
    return None


def _why(kind: str, losses: Mapping[str, float]) -> str:
    """Why a kind was chosen: its log-loss of the class, and those of the others."""
    if not losses:
        return "too few rows for a comparison"
    others = sorted((loss, other) for other, loss in losses.items() if other != kind)
    if not others:
        return "the only kind that suits its values"
    beaten = ", ".join(f"{other} {loss:.4f}" for loss, other in others)
    return f"least held-out log-loss of the class alone: {losses[kind]:.4f} ({beaten})"


def _network_feature(estimator: Any, model: NetworkModel, name: Name, rows: float | None) -> FeatureNote:
    parents = ", ".join(label(parent) for parent in model.network.dag.parents(name))
    variable = model.network.schema[name]
    why = f"cut into {counted(variable.cardinality, 'range')}" if variable.cuts else ""
    single = CountTable((model.target, name))
    statistics = estimator.statistics_
    known = isinstance(statistics, Statistics) and single in set(statistics) and rows is not None
    missing = max((rows or 0) - statistics[single].total, 0) if known else None
    return FeatureNote(name, f"table given {parents}" if parents else "table", why, missing)


def _notes(estimator: Any, model: Any) -> Iterator[str]:
    """What was chosen for the model as a whole."""
    weight = float(getattr(model, "weight", 1.0))
    if weight != 1:
        asked = getattr(estimator, "evidence_weight", "auto")
        why = "as asked for" if asked != "auto" else "it predicts held-out rows best"
        effect = (
            "columns repeat each other's evidence" if weight < 1 else "columns say more together than alone"
        )
        yield f"Evidence weight {weight:.4g} ({why}; {'below' if weight < 1 else 'above'} 1: {effect})."
    if columns := getattr(estimator, "column_weights_", {}):
        shown = sorted(columns.items(), key=lambda each: -each[1])[:MOST_WEIGHTS]
        told = ", ".join(f"{label(name)} {own:.2f}" for name, own in shown)
        more = f" and {len(columns) - len(shown)} more" if len(columns) > len(shown) else ""
        yield f"Evidence weight of each column, drawn to that one: {told}{more}."
    elif isinstance(model, NaiveModel):
        yield "Evidence weight 1: the textbook's naive Bayes."
    if isinstance(model, PooledModel):
        yield from model.notes()
    if isinstance(model, (*GAUSSIANS, IndicatorModel)):
        yield f"Covariance: {estimator.covariance_}."
    if getattr(estimator, "choice_", None) is not None:
        yield from str(estimator.choice_).splitlines()
    if hasattr(estimator, "vocabulary_"):
        yield f"{len(estimator.vocabulary_):,} words in use, variant {estimator.variant!r}."
    if hasattr(estimator, "smoothing_"):
        yield f"Smoothing: {estimator.smoothing_:.4g} added to each count predicts left-out records best."
    elif "prior" in estimator.get_params(deep=False):
        yield f"Prior of the tables: {estimator.prior!r}."


def _held_out(estimator: Any, model: Any) -> Scores | None:
    """The scores of sampled rows by leave-one-out; None without a sample. See :class:`ModelSummary`."""
    statistics = estimator.statistics_
    if isinstance(model, PooledModel):
        return model.held_out_scores()
    if not isinstance(model, NaiveModel) or not isinstance(statistics, Statistics):
        return None
    request = RowSample((model.classes.name, *estimator.feature_kinds_))
    if request not in set(statistics) or model.classes.cardinality < 2:
        return None
    sample = statistics[request]
    by_column = model.column_weights is not None
    left_out = left_out_rows(model, sample, estimator._class_records(model), with_terms=by_column)
    evidence = model.weight * left_out.evidence
    if left_out.terms is not None:
        evidence = left_out.terms @ model.weights
    own, joint = left_out.own, left_out.log_prior + evidence
    possible = np.isfinite(joint.max(axis=1, initial=-np.inf))
    if not possible.any():
        return None
    weights = sample.weights[possible]
    proba = _native.softmax_rows(joint[possible])
    if (weights == 1).all():
        return scores_of(own[possible], proba, model.classes.states)
    scores = scores_of(own[possible], proba, model.classes.states, weights)
    # Each row stands for all rows like it, which are scored alike.
    return replace(scores, rows=round(weights.sum())) if (weights == np.round(weights)).all() else scores
