"""A fitted classifier as a program of sums, or over a clique tree, which languages write down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from bayou.distributions import CODES, TEXTS, Distribution
from bayou.errors import BadQuestion
from bayou.estimators.class_prior import PriorShifted, log_ratio
from bayou.estimators.gaussian.gaussian_model import DiagonalModel, FullModel, SharedModel
from bayou.estimators.gaussian.indicator_columns import IndicatorModel
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.networks.aode import AODEModel
from bayou.estimators.networks.network_model import NetworkModel
from bayou.exporting.feature_terms import term_of, weighed_logs
from bayou.exporting.network_program import network_program
from bayou.exporting.programs import (
    ERROR,
    MISSING,
    SMOOTH,
    Input,
    Program,
    ScoreProgram,
    TreeProgram,
    log_of,
)
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.sources.databases.predictions.cells_in_sql import Mark
from bayou.sources.databases.predictions.score_terms import (
    Component,
    NormalMatrix,
    NormalTable,
    ScoreTable,
    Term,
)
from bayou.sources.indicator_source import Levels, indicator_names, indicators
from bayou.special_functions import LOG_TWO_PI
from bayou.typing import Name

_NO_LEVELS: Levels = MappingProxyType({})


def program_of(classifier: Any, complete: bool = False) -> Program:
    """Return the program of a fitted classifier; raise BadQuestion if it has none.

    With ``complete`` a row with a gap may be left without an answer, where that makes the program shorter.
    """
    model = classifier._fitted_model()
    if isinstance(model, PriorShifted):
        program = _shifted(_marked_program(classifier, model.model, complete), model)
    else:
        program = _marked_program(classifier, model, complete)
    amounts = getattr(classifier, "amount_features_", {})
    return replace(
        program, inputs=tuple([replace(own, amount=amounts.get(own.name, "")) for own in program.inputs])
    )


def _marked_program(classifier: Any, model: Any, complete: bool) -> Program:
    """The program; numbers that stand for states of columns are marked so."""
    if not isinstance(model, IndicatorModel):
        return _program_of(classifier, model, complete)
    program, levels = _program_of(classifier, model.inner, complete, model.levels), model.levels
    marks = {
        name: Mark(Variable(column, states), place)
        for column, states in levels.items()
        for name, place in indicators(column, states)
    }
    inputs = [
        replace(each, unknown=MISSING, marked=marks[each.name]) if each.name in marks else each
        for each in program.inputs
    ]
    return replace(program, inputs=tuple(inputs))


def _program_of(classifier: Any, model: Any, complete: bool, levels: Levels = _NO_LEVELS) -> Program:
    days = getattr(classifier, "time_features_", {})
    if isinstance(model, NetworkModel) and not complete:
        return _tree(model, days)
    if isinstance(model, NaiveModel):
        components, unknown = _of_naive(model), _common_rule(density.unknown for density in model.densities)
    elif isinstance(model, NetworkModel):
        components, unknown = _of_network(model), model.unknown
    elif isinstance(model, AODEModel):
        components, unknown = _of_aode(model), model.unknown
    elif isinstance(model, DiagonalModel | FullModel | SharedModel):
        names = indicator_names(tuple(classifier.feature_names_in_), levels)
        components, unknown = _of_gaussian(model, names, complete), ERROR
    else:
        raise BadQuestion(
            "Naive Bayes over states and normal densities, networks over states (TAN, NetworkClassifier …), "
            f"AODE and GaussianBayes can be written as code or as a query; this "
            f"{type(classifier).__name__} cannot. Save it (save(path)) and predict with "
            "bayou, or learn one of those."
        )
    prior = components[0].start if isinstance(model, NetworkModel) else model.log_prior
    weight = model.weight if isinstance(model, AODEModel) else 1.0  # the others have it in their terms
    inputs = _inputs(components, unknown, days)
    return ScoreProgram(classifier._class_variable, inputs, prior, components, weight)


def _common_rule(rules: Iterable[str]) -> str:
    return next(iter(rules), MISSING)


def _inputs(components: Sequence[Component], unknown: str, days: Mapping[Name, str]) -> tuple[Input, ...]:
    """The columns that the components read, each once."""
    found: dict[Name, Variable] = {}
    for component in components:
        found.update({variable.name: variable for variable, _ in component.only})
        for term in component.terms:
            found.update({variable.name: variable for variable in term.features})
            found.update({name: Variable(name) for name in term.numbers})
    return tuple([Input(variable, unknown, days.get(name, "")) for name, variable in found.items()])


def _tree(model: NetworkModel, days: Mapping[Name, str]) -> TreeProgram:
    """A network classifier: sums over its tree, whatever cells are missing."""
    _refuse_smooth(model.unknown)
    network, target = model.network, model.target
    names = [name for name in network.schema.names if name != target]
    program = network_program(network, target, names, model.unknown)
    inputs = tuple([replace(each, days=days.get(each.name, "")) for each in program.inputs])
    program = replace(program, inputs=inputs, log_prior=model.log_marginal())
    if model.scores is None or (model.weight == 1.0 and model.column_weights is None):
        return program
    own = model.weights_by_name()
    terms = [_family_term(network, target, name, weight - model.weight) for name, weight in own.items()]
    return replace(program, weight=model.weight, terms=terms)


def _shifted(program: Program, model: PriorShifted) -> Program:
    """The same under other class probabilities: a term that needs no feature moves the scores."""
    moved = log_ratio(model.log_prior, model.old)[:, None]
    if isinstance(program, TreeProgram):  # its terms are added after the power is taken
        term = ScoreTable((), program.weight * moved, needed=False)
        return replace(program, log_prior=model.log_prior, terms=[*program.terms, term])
    assert isinstance(program, ScoreProgram)
    term = ScoreTable((), moved, needed=False)
    components = [replace(each, terms=[*each.terms, term]) for each in program.components]
    return replace(program, log_prior=model.log_prior, components=components)


def _family_term(network: FrozenNetwork, target: Name, name: Name, weight: float) -> ScoreTable:
    """weight · log P(feature | its parents, class), where all of them are known."""
    family = network.family(name).names
    logs = np.moveaxis(log_of(network.table(name)), family.index(target), 0)
    features = tuple([network.schema[member] for member in family if member != target])
    return ScoreTable(features, weighed_logs(logs, weight), needed=False)


def _of_naive(model: NaiveModel) -> list[Component]:
    weighed = zip(model.densities, model.weights.tolist(), strict=True)
    terms = [term for density, weight in weighed if (term := _of_density(density, weight)) is not None]
    return [Component(model.log_prior, terms)]


def _of_density(density: FeatureDensity, weight: float) -> Term | None:
    """What one feature of naive Bayes adds; None for a column without any value."""
    variable, distribution = density.variable, density.distribution
    if distribution.values_are == CODES and not variable.cardinality:
        return None
    term = term_of(variable, distribution, weight)
    if term is None:
        raise BadQuestion(_no_formula(variable.name, distribution))
    if density.unknown == SMOOTH and isinstance(term, ScoreTable):
        unseen = weighed_logs(density.unseen[:, None], weight)
        return replace(term, logs=np.hstack([term.logs, unseen]))
    return term


def _no_formula(name: Name, distribution: Distribution) -> str:
    """Why a column is not exported, and what to do: texts have no ranges."""
    if distribution.values_are == TEXTS:
        return (
            f"The feature {name!r} is text that is cut into words, which is not exported. Leave the column "
            "out before you fit, or save the model (save(path)) and predict with bayou."
        )
    return (
        f"The feature {name!r} is modelled as a {distribution.kind}, which has no short formula. "
        f"Choose another model of it: NaiveBayes({{{name!r}: 'gaussian'}}), or "
        f"NaiveBayes({{{name!r}: 'discretised'}}), which cuts its numbers into ranges; likewise for "
        "other columns of its kind."
    )


def _of_network(model: NetworkModel) -> list[Component]:
    network, target = model.network, model.target
    _refuse_smooth(model.unknown)
    own = network.schema[target]
    tables, prior = [], np.zeros(own.cardinality)
    weights = model.weights_by_name()
    for variable in network.schema:
        family = (*(parent.name for parent in network.parents(variable.name)), variable.name)
        if any(network.schema[name].is_continuous for name in family):
            raise BadQuestion(
                f"{variable.name!r} depends on real numbers, which the query has no formula for."
            )
        if target not in family:
            continue
        with np.errstate(divide="ignore"):
            logs = np.log(network.table(variable.name))
        logs = np.moveaxis(logs, family.index(target), 0)
        features = tuple(network.schema[name] for name in family if name != target)
        if features:
            weight = weights.get(variable.name, model.weight)
            tables.append(ScoreTable(features, weighed_logs(logs, weight), needed=True))
        else:
            prior = logs
    return [Component(np.asarray(prior), tables)]


def _of_aode(model: AODEModel) -> list[Component]:
    """One component for each parent; naive Bayes for rows in which no value may be a parent."""
    _refuse_smooth(model.unknown)
    cards = [variable.cardinality for variable in model.variables]
    places = [slice(end - card, end) for card, end in zip(cards, np.cumsum(cards).tolist(), strict=True)]
    weights = np.ones(len(cards)) if model.weights is None else model.weights
    own = [ScoreTable((v,), model.own[places[i]].T, needed=False) for i, v in enumerate(model.variables)]
    frequent = [(v, model.frequent[places[i]] > 0) for i, v in enumerate(model.variables)]
    components = []
    for i, parent in enumerate(model.variables):
        if not weights[i] > 0:
            continue
        others = [
            ScoreTable((parent, child), np.moveaxis(model.given[places[i], places[j]], 2, 0), needed=False)
            for j, child in enumerate(model.variables)
            if j != i
        ]
        start = np.full(model.classes.cardinality, float(np.log(weights[i])))
        components.append(Component(start, [own[i], *others], (frequent[i],)))
    taking_part = tuple(each for i, each in enumerate(frequent) if weights[i] > 0)
    alone = [
        ScoreTable((v,), (model.own[places[i]] - model.log_prior).T, needed=False)
        for i, v in enumerate(model.variables)
    ]
    return [*components, Component(model.log_prior, alone, taking_part, unless=True)]


def _of_gaussian(
    model: DiagonalModel | FullModel | SharedModel, features: Sequence[Name], complete: bool
) -> list[Component]:
    if isinstance(model, DiagonalModel):
        used = [k for k in range(len(features)) if model.ignored is None or not model.ignored[k]]
        terms = [NormalTable(features[k], model.means[:, k], model.variances[:, k]) for k in used]
        return [Component(model.log_prior, terms)]
    seen = np.ones(len(features), dtype=bool) if model.ignored is None else ~model.ignored
    if not seen.all():
        model = model._on(seen)
    names = tuple([name for name, known in zip(features, seen.tolist(), strict=True) if known])
    if not names:
        return [Component(model.log_prior, [])]
    shared = isinstance(model, SharedModel)
    whitenings = [model.whitening] if isinstance(model, SharedModel) else model.whitenings
    logs = np.array([0.0 if shared else w.log_determinant + len(names) * LOG_TWO_PI for w in whitenings])
    whiteners = np.sqrt(model.weight) * np.array([white.whitener for white in whitenings])
    covariances = tuple([white.covariance for white in whitenings])
    levels = -0.5 * model.weight * logs
    term = NormalMatrix(names, model.means, whiteners, levels, covariances, model.weight, gaps=not complete)
    if isinstance(model, SharedModel):
        term = replace(term, centre=model.centre)
    return [Component(model.log_prior, [term])]


def _refuse_smooth(unknown: str) -> None:
    if unknown == "smooth":
        raise BadQuestion(
            "unknown='smooth' has no form in an export of this model; fit with unknown='missing'."
        )
