"""A hidden Markov model as a program."""

from __future__ import annotations

import numpy as np

from bayou.errors import BadQuestion
from bayou.exporting.feature_terms import term_of
from bayou.exporting.programs import ChainProgram, Input
from bayou.sources.databases.predictions.score_terms import NormalMatrix, NormalTable, Term
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.gaussian_columns import GaussianColumns
from bayou.typing import Name


def chain_program(model: ChainModel, smooth: bool, unknown: str) -> ChainProgram:
    """Compile P(state of each step | rows so far), or given all rows if ``smooth``."""
    chain, network = model.chain, model.network
    if chain.component is not None:
        raise BadQuestion(
            "A hidden Markov model whose columns are mixtures (components=) is not exported; fit it with "
            "components=1 and more states."
        )
    terms: list[Term] = []
    if chain.gaussians:
        terms += _gaussian_terms(model)
    for name in chain.columns:
        if name not in chain.gaussians:
            terms.append(_term(model, name))
    variables = [network.schema[name] for name in chain.columns]
    return ChainProgram(
        chain.user_state,
        tuple([Input(variable, unknown) for variable in variables]),
        model.start,
        model.transition,
        terms,
        chain.members.argmax(axis=0),
        smooth,
        model.end,
    )


def _term(model: ChainModel, name: Name) -> Term:
    variable, distribution = model.network.schema[name], model.network.distribution(name)
    parents = model.network.dag.parents(name)
    term = term_of(variable, distribution) if parents == (model.chain.state.name,) else None
    if term is None:
        raise BadQuestion(
            f"The column {name!r} is emitted as a {distribution.kind}, which has no short formula. Tables, "
            "Gaussian and Poisson columns and kernel densities are exported."
        )
    return term


def _gaussian_terms(model: ChainModel) -> list[Term]:
    """All Gaussian columns given the state: together, or each of its own where none depends on another."""
    names = model.chain.gaussians
    columns = GaussianColumns.of(model.network, names)
    states, size = columns.means.shape
    covariances = tuple([np.array(each) for each in columns.covariances])
    variances = np.array([np.diagonal(each) for each in covariances])
    if all(np.array_equal(each, np.diag(np.diagonal(each))) for each in covariances):
        return [NormalTable(name, columns.means[:, k], variances[:, k]) for k, name in enumerate(names)]
    unused = np.zeros((states, size, size))
    return [NormalMatrix(names, columns.means, unused, np.zeros(states), covariances, gaps=True)]
