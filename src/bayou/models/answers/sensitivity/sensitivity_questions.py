"""Questions about all tables at once, from names and states to results: tornado, information of arcs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bayou.arguments import real_number
from bayou.decisions.beliefs import Beliefs
from bayou.decisions.utilities import Decisions
from bayou.decisions.utility_table import UtilityTable, utility_table
from bayou.errors import BadQuestion
from bayou.explain.arc_information import arc_bits
from bayou.explain.sensitivity.decision_thresholds import decision_thresholds
from bayou.explain.sensitivity.sensitivity_functions import sensitivity_functions
from bayou.inference import Question
from bayou.models.answers.sensitivity.arc_information import ArcInformation
from bayou.models.answers.sensitivity.tornado import Tornado
from bayou.models.findings import Findings
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.typing import FloatArray, Name, State


def tornado_from(
    network: FrozenNetwork,
    question: Question,
    state: State,
    tables: Name | Iterable[Name] | None,
    change: Any,
    utilities: Any,
    costs: Any,
) -> Tornado:
    """The effect of every entry of the tables of these variables (None: of all) on P(target=state | …)."""
    change = real_number(
        "change", change, 0, 1, expected="give the share by which entries change, such as 0.1"
    )
    target = network.schema[question.targets[0]]
    if target.is_continuous:
        raise BadQuestion(
            f"{target.name!r} is continuous: a tornado shows the probability of a state, so ask about a "
            "variable with states."
        )
    code = target.code(state)
    named = network.dag.nodes if tables is None else network.dag.select(tables)
    if not named:
        raise BadQuestion("tables= names no variable; omit it to look at all tables.")
    choices = _choices(target, utilities, costs)
    functions = sensitivity_functions(network, question, code, change, named)
    best = _best(target, functions.probabilities, choices)
    findings = Findings.of(network, question).text
    return Tornado(
        f"P({label(target.name)}={label(target.states[code])}{' | ' + findings if findings else ''})",
        change,
        functions,
        tuple(
            (*network.parents(table.users[0]), network.schema[table.users[0]]) for table in functions.tables
        ),
        choices.actions,
        best,
        tuple(decision_thresholds(table, choices.values, best) for table in functions.tables),
    )


def _choices(target: Variable, utilities: Any, costs: Any) -> UtilityTable:
    """The actions and their utilities; by default each action names a state, and being right is worth 1."""
    choices = utility_table(target.states, utilities, costs)
    if not np.isfinite(choices.values).all():
        raise BadQuestion(
            "A decision that a state rules out (utility -inf) has no threshold: give a large finite cost "
            "instead."
        )
    return choices


def _best(target: Variable, probabilities: FloatArray, choices: UtilityTable) -> int:
    return int(Decisions(Beliefs(target.states, probabilities[None, :], True), choices).chosen[0])


def arc_information_from(network: FrozenNetwork, question: Question) -> ArcInformation:
    """The information of all arcs given the findings of a question, the strongest first."""
    found = arc_bits(network, question)
    known = {(arc.parent, arc.child) for arc in found}
    return ArcInformation(
        Findings.of(network, question).text,
        tuple(sorted(found, key=lambda arc: -round(arc.given_others, 12))),
        tuple(arc for arc in network.dag.arcs if arc not in known),
    )
