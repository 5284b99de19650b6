"""Read the arguments of ``Network.what_to_ask`` and rank the variables that could be asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bayou.arguments import real_number
from bayou.decisions.utility_table import UtilityTable, utility_table
from bayou.errors import BadQuestion
from bayou.explain import ValueOfInformation, value_of_asking
from bayou.inference import Question
from bayou.models.answers.exact_remedies import remedies
from bayou.models.answers.findings.next_findings import NextFinding, NextFindings
from bayou.models.evidence import Given, question_from
from bayou.models.findings import Findings
from bayou.models.query_parser import is_query_text
from bayou.models.verbs.plans import parsed_question
from bayou.networks import FrozenNetwork
from bayou.schema import label, labelled
from bayou.typing import Name

DIGITS = 12
"""Variables whose values agree to this many digits are ranked in the order of the network."""


def what_to_ask_from(
    network: FrozenNetwork,
    target: Any,
    given: Given | None,
    costs: Mapping[Any, Any] | None,
    utilities: Any,
    among: Name | Iterable[Name] | None,
    likelihood: Given | None,
    do: Given | None,
    marginal: Given | None,
) -> NextFindings:
    """Rank the variables that could be asked for; the arguments are those of the method."""
    if is_query_text(network, target):
        question = parsed_question(network, target, given, likelihood, do, marginal)
    else:
        question = question_from(network, network.dag.only(target), given, likelihood, do, marginal)
    _check_target(network, question)
    variable = network.schema[question.targets[0]]
    names = _candidates(network, question, among)
    left_out = tuple(name for name in names if network.schema[name].is_continuous)
    ranked = [name for name in names if not network.schema[name].is_continuous]
    if not ranked:
        raise BadQuestion(_nothing_left(variable.name, left_out))
    table = None if utilities is None else utility_table(variable.states, utilities)
    prices = _prices(network, costs, is_utility=table is not None)
    with remedies("Observe more variables, name fewer in among=,"):
        found = value_of_asking(network, question, ranked, None if table is None else table.values)
    return NextFindings(
        variable,
        Findings.of(network, question).text,
        found.posterior,
        found.entropy,
        _ranked(found, prices, table),
        left_out,
        {one.name: one.joint for one in found.variables},
        {name: network.schema[name] for name in ranked},
        table,
        found.expected_utility,
    )


def _check_target(network: FrozenNetwork, question: Question) -> None:
    if len(question.targets) != 1:
        raise BadQuestion(f"what_to_ask takes one target, not {len(question.targets)}: ask for each alone.")
    variable = network.schema[question.targets[0]]
    if variable.is_continuous:
        raise BadQuestion(
            f"{variable.name!r} has no states: what_to_ask measures how much is open about a variable with "
            f"states. Cut it into ranges (states={{{variable.name!r}: bayou.Cuts([…])}}), or name another "
            "target."
        )


def _candidates(
    network: FrozenNetwork, question: Question, among: Name | Iterable[Name] | None
) -> list[Name]:
    """The variables that could be asked for: neither given, nor set by do, nor the target."""
    names = network.dag.nodes if among is None else network.dag.select(among)
    if among is not None and question.targets[0] in names:
        raise BadQuestion(
            f"among= names {question.targets[0]!r}, which is the target: name what could be asked instead."
        )
    known = {*question.evidence, *question.do, *question.targets}
    return [name for name in names if name not in known]


def _nothing_left(target: Name, left_out: tuple[Name, ...]) -> str:
    if left_out:
        return (
            f"All variables that could be asked for have no states ({', '.join(map(label, left_out))}): "
            "the information in numbers and texts is not measured. Cut numbers into ranges (states=…)."
        )
    return (
        f"There is nothing to ask for: all variables beside {target!r} are given, or among= names none that "
        "is not. Leave out a finding, or name others in among=."
    )


def _prices(
    network: FrozenNetwork, costs: Mapping[Any, Any] | None, is_utility: bool
) -> dict[Name, float] | None:
    """The cost of asking for each variable: what is not named costs 1, or nothing if there are utilities."""
    if costs is None:
        return None
    stated = labelled(costs)
    if not isinstance(stated, Mapping):
        raise BadQuestion(f"costs= takes what asking costs, by variable: {{'xray': 2.0}}; got {costs!r}.")
    prices = dict.fromkeys(network.dag.nodes, 0.0 if is_utility else 1.0)
    expected = (
        "give what asking for it costs, 0 or more, in the unit of the utilities"
        if is_utility
        else "give what asking for it costs, above 0: variables are ranked by information per cost"
    )
    for name, cost in stated.items():
        known = network.dag.only(name)
        prices[known] = real_number(f"costs[{known!r}]", cost, 0.0, above=not is_utility, expected=expected)
    return prices


def _ranked(
    found: ValueOfInformation, prices: Mapping[Name, float] | None, table: UtilityTable | None
) -> tuple[NextFinding, ...]:
    """The variables, best first; those of equal value in the order of the network."""
    entropy = found.entropy
    each = [
        NextFinding(
            one.name,
            one.bits,
            one.bits / entropy if entropy > 0 else 0.0,
            None if prices is None else prices[one.name],
            one.gain,
        )
        for one in found.variables
    ]

    def worth(one: NextFinding) -> tuple[float, float]:
        if table is not None:
            return _rounded(one.net), _rounded(one.bits)
        return _rounded(one.bits if prices is None else one.bits_per_cost), _rounded(one.bits)

    return tuple(sorted(each, key=worth, reverse=True))


def _rounded(value: float | None) -> float:
    return round(value or 0.0, DIGITS)
