"""Programs as plain values (lists, mappings, numbers and states), which languages write as literals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.exporting.programs import ChainProgram, Input, Program, ScoreProgram, TreeProgram, log_of
from bayou.sources.databases.predictions.score_terms import (
    BumpTable,
    Component,
    NormalMatrix,
    NormalTable,
    PoissonTable,
    ScoreTable,
    Term,
)
from bayou.typing import FloatArray


def score_document(program: ScoreProgram) -> dict[str, Any]:
    """A program of sums as plain values."""
    return {
        **question_part(program),
        "log_prior": program.log_prior.tolist(),
        "weight": float(program.weight),
        "components": [_component(program, component) for component in program.components],
    }


def tree_document(program: TreeProgram) -> dict[str, Any]:
    """A tree of cliques as plain values."""
    document = {
        **question_part(program),
        "names": list(program.names),
        "cards": list(program.cards),
        "aim": program.aim,
        "numbers": list(program.numbers),
        "factors": [
            {"scope": list(scope), "logs": log_of(table).tolist()}
            for scope, table in zip(program.scopes, program.tables, strict=True)
        ],
        "cliques": [
            {
                "variables": list(clique.variables),
                "tables": list(clique.tables),
                "parent": clique.parent,
                "kept": list(clique.kept),
            }
            for clique in program.cliques
        ],
    }
    return {**document, **judged_part(program)}


def judged_part(program: TreeProgram) -> dict[str, Any]:
    """What a classifier does with the answer of its tree; nothing for other networks."""
    if program.log_prior is None:
        return {}
    return {
        "log_prior": program.log_prior.tolist(),
        "weight": float(program.weight),
        "terms": [_term(program, term) for term in program.terms],
    }


def chain_document(program: ChainProgram) -> dict[str, Any]:
    """A hidden Markov model as plain values."""
    states = len(program.start)
    return {
        **question_part(program),
        "smooth": program.smooth,
        "owners": program.owners.tolist(),
        "log_start": log_of(program.start).tolist(),
        "log_moves": log_of(program.transition).tolist(),
        "log_end": [0.0] * states if program.end is None else log_of(program.end).tolist(),
        "start": [0.0] * states,
        "terms": [_term(program, term) for term in program.terms],
    }


def question_part(program: Program) -> dict[str, Any]:
    """The target with its states, and the columns."""
    return {
        "target": program.target.name,
        "states": list(program.target.states),
        "columns": [_column(each) for each in program.inputs],
    }


def _column(given: Input) -> dict[str, Any]:
    variable = given.variable if given.marked is None else given.marked.column
    if variable.cuts is not None:
        cuts = variable.cuts
        own: dict[str, Any] = {
            "points": [float(p) for p in cuts.points],
            "low": float(cuts.low),
            "high": float(cuts.high),
        }
    else:
        own = {"states": list(variable.states)} if variable.states else {}
    if given.marked is not None:
        own["marked"] = given.marked.place
    return {"name": variable.name, "unknown": given.unknown, **own}


def _component(program: ScoreProgram, component: Component) -> dict[str, Any]:
    return {
        "start": component.start.tolist(),
        "only": [
            [program.place(variable.name), np.flatnonzero(marked).tolist()]
            for variable, marked in component.only
        ],
        "unless": component.unless,
        "terms": [_term(program, term) for term in component.terms],
    }


def _term(program: Program, term: Term) -> dict[str, Any]:
    if isinstance(term, ScoreTable):
        return {
            "kind": "table",
            "columns": [program.place(variable.name) for variable in term.features],
            "cards": list(term.logs.shape[1:]),
            "logs": _rows(term.logs.reshape(len(term.logs), -1).T),
        }
    if isinstance(term, NormalMatrix):
        return {
            "kind": "matrix",
            "columns": [program.place(name) for name in term.numbers],
            "means": _rows(term.means),
            "covariances": [_rows(covariance) for covariance in term.covariances],
            "weight": float(term.weight),
            **({} if term.centre is None else {"centre": term.centre.tolist()}),
        }
    assert isinstance(term, NormalTable | PoissonTable | BumpTable)
    own: dict[str, Any] = {"column": program.place(term.name), "weight": float(term.weight)}
    if isinstance(term, NormalTable):
        return {"kind": "normal", **own, "means": term.means.tolist(), "variances": term.variances.tolist()}
    if isinstance(term, PoissonTable):
        return {"kind": "poisson", **own, "rates": term.rates.tolist()}
    return {"kind": "bumps", **own, "bumps": [_rows(bumps) for bumps in term.bumps]}


def _rows(table: FloatArray | Sequence[FloatArray]) -> list[Any]:
    found: list[Any] = np.asarray(table, dtype=np.float64).tolist()
    return found
