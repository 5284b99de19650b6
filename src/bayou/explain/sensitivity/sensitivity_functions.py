"""An answer as a function of each entry of each table.

Let v be the value of one entry of a table, while the other entries of its row keep their proportions (equal
parts where the entry is 1), so that the row sums to 1. Every P(t, e) is linear in v, so that the answer is

    P(t | e)(v) = (a·v + b) / (c·v + d),

and both lines are known from their ends: with G the gradient of P(t, e), R the sum of P(t, e) over the other
rows of the table and s the shares of the other entries of its row,

    P(t, e)(1) = R + G(entry),    P(t, e)(0) = R + Σ s·G(other entries).

All terms are positive, so no digits are lost. Castillo, Gutiérrez and Hadi (1997), Sensitivity analysis in
discrete Bayesian networks, IEEE Trans. Systems, Man, and Cybernetics A 27; van der Gaag, Renooij and Coupé
(2007), Sensitivity analysis of probabilistic networks.

A table that several variables of the question share moves for all of them: the answer is then a ratio of two
polynomials. Its derivative is the sum over the users; its values are computed by asking again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from bayou.errors import BadQuestion
from bayou.graphs.tables_that_matter import tables_that_matter
from bayou.inference import Question, ask, relevant
from bayou.inference.expectation.target_gradients import TargetGradients
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


@dataclass(frozen=True, eq=False)
class TableFunctions:
    """The answer as a function of each entry of one table; all arrays have the shape of the table.

    ``low`` and ``high`` are the values of the entry at the ends of its range, and ``at_low``, ``at_high``,
    ``at_zero`` and ``at_one`` the answer there (NaN where the findings become impossible). ``zero`` and
    ``one`` are P(target = t, findings) with the entry at 0 and at 1, divided by P(findings) as it is now,
    with one more axis for t in front; they are None for a table with several ``users``. So a = one[t] −
    zero[t] and b = zero[t] for P(t | findings), and c and d are the sums of these over t: c·θ + d is 1 for
    the present θ.
    """

    users: tuple[Name, ...]
    values: FloatArray
    derivatives: FloatArray
    low: FloatArray
    high: FloatArray
    at_low: FloatArray
    at_high: FloatArray
    at_zero: FloatArray
    at_one: FloatArray
    zero: FloatArray | None
    one: FloatArray | None


@dataclass(frozen=True, eq=False)
class SensitivityFunctions:
    """P(target | findings), and how it depends on the entries of tables.

    ``without_effect`` are variables whose tables cannot matter for this question, ``without_entries`` those
    that can matter and whose distributions are not tables of entries (noisy nodes, functions, numbers).
    """

    probabilities: FloatArray
    state: int
    tables: tuple[TableFunctions, ...]
    without_effect: tuple[Name, ...]
    without_entries: tuple[Name, ...]


def sensitivity_functions(
    network: FrozenNetwork, question: Question, state: int, change: float, tables: Collection[Name]
) -> SensitivityFunctions:
    """Return P(target = state | findings) as a function of each entry of the tables of these variables.

    Ranges are ``change`` times the entry to both sides, within 0 and 1.
    """
    if len(question.targets) != 1 or network.schema[question.targets[0]].is_continuous:
        raise BadQuestion("The sensitivity is computed for a state of one discrete variable.")
    probabilities = ask(network, question).table
    assert probabilities is not None
    matter = _that_matter(network, question)
    names = [name for name in relevant(network, question) if name in matter]
    sums = TargetGradients(network, names, question)
    gradients = sums.gradients()
    found = [
        _functions(network, users, sums, gradients, probabilities, state, change)
        for users in _blocks(network, gradients, tables)
    ]
    silent = [name for name in network.dag.nodes if name in tables and name not in matter]
    others = [name for name in names if name in tables and name not in gradients]
    return SensitivityFunctions(probabilities, state, tuple(found), tuple(silent), tuple(others))


def _that_matter(network: FrozenNetwork, question: Question) -> set[Name]:
    dag = network.dag.without_arcs_into(question.do) if question.do else network.dag
    return tables_that_matter(
        dag, question.targets[0], [*question.evidence, *question.do], question.likelihood
    )


def _blocks(
    network: FrozenNetwork, gradients: Collection[Name], tables: Collection[Name]
) -> list[tuple[Name, ...]]:
    """The users of each table with several entries in a row; a shared table is there if one user is asked."""
    users: dict[Name, list[Name]] = {}
    for name in gradients:
        users.setdefault(network.slots[name], []).append(name)
    asked = {network.slots[name] for name in tables}
    return [
        tuple(names)
        for block, names in users.items()
        if block in asked and network.schema[names[0]].cardinality > 1
    ]


def _functions(
    network: FrozenNetwork,
    users: tuple[Name, ...],
    sums: TargetGradients,
    gradients: dict[Name, FloatArray],
    probabilities: FloatArray,
    state: int,
    change: float,
) -> TableFunctions:
    values = network.table(users[0])
    low, high = np.clip(values * (1 - change), 0.0, 1.0), np.clip(values * (1 + change), 0.0, 1.0)
    ends = [_ends(values, gradients[name]) for name in users]
    slopes = np.sum([one - zero for zero, one in ends], axis=0)
    derivatives = slopes[state] - probabilities[state] * slopes.sum(axis=0)
    at = (low, high, np.zeros_like(values), np.ones_like(values))
    if len(users) > 1:
        answers = [_asked_again(sums, users, values, moved, state) for moved in at]
        zero = one = None
    else:
        ((zero, one),) = ends
        answers = [_answer((1 - moved) * zero + moved * one, state) for moved in at]
    at_low, at_high, at_zero, at_one = answers
    return TableFunctions(users, values, derivatives, low, high, at_low, at_high, at_zero, at_one, zero, one)


def _ends(values: FloatArray, gradients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(t, e) with each entry at 0 and at 1, for all t."""
    rows = (gradients * values).sum(axis=-1)
    rest = _sums_of_others(rows.reshape(len(rows), -1)).reshape(rows.shape)
    zero = np.empty_like(gradients)
    for code in range(values.shape[-1]):
        others = np.delete(gradients, code, axis=-1)
        zero[..., code] = rest + (others * _shares(np.delete(values, code, axis=-1))).sum(axis=-1)
    return zero, rest[..., None] + gradients


def _sums_of_others(columns: FloatArray) -> FloatArray:
    """The sum of all other columns, for each column, without a subtraction."""
    before, after = np.zeros_like(columns), np.zeros_like(columns)
    before[:, 1:] = np.cumsum(columns[:, :-1], axis=1)
    after[:, :-1] = np.cumsum(columns[:, :0:-1], axis=1)[:, ::-1]
    return before + after


def _shares(others: FloatArray) -> FloatArray:
    """The shares of the other entries of each row among themselves; equal ones where all are 0."""
    total = others.sum(axis=-1, keepdims=True)
    even = np.full_like(others, 1 / max(others.shape[-1], 1))
    return np.asarray(np.divide(others, total, out=even, where=total > 0))


def _answer(joint: FloatArray, state: int) -> FloatArray:
    """P(target = state | e) from P(t, e) for all t; NaN where P(e) has become 0."""
    total = joint.sum(axis=0)
    return np.asarray(np.divide(joint[state], total, out=np.full_like(total, np.nan), where=total > 0))


def _asked_again(
    sums: TargetGradients, users: tuple[Name, ...], values: FloatArray, moved: FloatArray, state: int
) -> FloatArray:
    """The answer with each entry in turn moved to its new value, in the tables of all users."""
    answers = np.full_like(values, np.nan)
    for place in np.ndindex(values.shape):
        changed = with_entry(values, place, float(moved[place]))
        logs = sums.logs(dict.fromkeys(users, changed))
        if logs.max() > -np.inf:
            joint = np.exp(logs - logs.max())
            answers[place] = joint[state] / joint.sum()
    return answers


def with_entry(values: FloatArray, place: tuple[int, ...], value: float) -> FloatArray:
    """Return a table with one entry set to a value and the others of its row in proportion.

    >>> with_entry(np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]]), (0, 0), 0.0).tolist()
    [[0.0, 0.6, 0.4], [1.0, 0.0, 0.0]]
    >>> with_entry(np.array([1.0, 0.0, 0.0]), (0,), 0.5).tolist()
    [0.5, 0.25, 0.25]
    """
    *row, code = place
    changed = values.copy()
    others = _shares(np.delete(values[tuple(row)], code)) * (1 - value)
    changed[tuple(row)] = np.insert(others, code, value)
    return changed
