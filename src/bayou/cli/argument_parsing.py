"""Convert the text of command-line options to arguments of the library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from bayou.errors import BadQuestion, UnknownState
from bayou.text.quotes import split_unquoted, unquoted

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.models.query_parser import QueryText
    from bayou.typing import Name, State

_PRIORS = "laplace, laplace:0.5, ml, bdeu, bdeu:10, m:4, or a number to add to every count"


def prior_from_text(text: str) -> Any:
    """Parse a prior: a word, a word with its strength, or a number.

    >>> prior_from_text("bdeu:5"), prior_from_text("0.5")
    (BDeu(equivalent_sample_size=5.0), Laplace(strength=0.5))
    """
    from bayou.distributions import BDeu, Laplace, MEstimate

    word, colon, strength = text.strip().lower().partition(":")
    kinds: dict[str, Any] = {"laplace": Laplace, "bdeu": BDeu, "m": MEstimate}
    try:
        if not colon and word == "ml":
            return Laplace(0.0)
        if not colon and word in ("laplace", "bdeu"):
            return kinds[word]()
        return kinds[word](float(strength)) if colon else Laplace(float(word))
    except (KeyError, ValueError) as error:
        why = f" {error}" if type(error).__name__ == "BadPrior" else ""
        message = f"{text!r} is not a valid prior.{why} Use {_PRIORS}."
        raise click.BadParameter(message, param_hint="--prior") from None


def named_lists(texts: Iterable[str], option: str, example: str) -> dict[str, list[str]]:
    """Parse options ``name=a,b,c`` to lists by name; names and items may be quoted.

    >>> named_lists(["p_R=R1, R2"], "--share", "p_R=R1,R2")
    {'p_R': ['R1', 'R2']}
    """
    lists: dict[str, list[str]] = {}
    for text in texts:
        sides = split_unquoted(text, "=")
        items = [piece.strip() for piece in split_unquoted(sides[-1], ",")]
        if len(sides) != 2 or not unquoted(sides[0]) or not all(items):
            message = f'{text!r} cannot be read; write for example {option} "{example}"'
            raise click.BadParameter(message, param_hint=option)
        if unquoted(sides[0]) in lists:
            raise click.BadParameter(f"{unquoted(sides[0])!r} is given twice.", param_hint=option)
        lists[unquoted(sides[0])] = items
    return lists


def states_from_text(texts: Iterable[str]) -> dict[str, list[State]]:
    """Parse declared states. Whole numbers are numbers, as in a column of a file; quotes make them text.

    >>> states_from_text(["R=1,2", "size=small,large", "code='1','2'"])
    {'R': [1, 2], 'size': ['small', 'large'], 'code': ['1', '2']}
    """
    return {
        name: [int(item) for item in items]
        if all(map(spells_whole_number, items))
        else [unquoted(i) for i in items]
        for name, items in named_lists(texts, "--states", "size=small,medium,large").items()
    }


def cuts_from_text(texts: Iterable[str]) -> dict[str, Any]:
    """Parse discretised variables and their cut points.

    >>> cuts_from_text(["age=30, 50"])
    {'age': Cuts(30, 50)}
    """
    from bayou.errors import BadVariable
    from bayou.schema import Cuts

    cuts = {}
    for name, items in named_lists(texts, "--cuts", "age=30,50").items():
        try:
            cuts[name] = Cuts([float(item) for item in items])
        except BadVariable as error:
            raise click.BadParameter(f"{name!r}: {error}", param_hint="--cuts") from None
        except ValueError:
            message = f"{name!r}: {', '.join(items)} are not all numbers."
            raise click.BadParameter(message, param_hint="--cuts") from None
    return cuts


def declared_from_text(states: Iterable[str], cuts: Iterable[str]) -> dict[str, Any]:
    """Parse --states and --cuts together; a name with both is an error.

    >>> declared_from_text(["size=small,large"], ["age=30, 50"])
    {'size': ['small', 'large'], 'age': Cuts(30, 50)}
    """
    listed, cut = states_from_text(states), cuts_from_text(cuts)
    if listed.keys() & cut.keys():
        raise click.UsageError(f"{min(listed.keys() & cut.keys())!r} is given both --states and --cuts.")
    return {**listed, **cut}


def share_from_text(texts: Iterable[str]) -> dict[str, list[str]]:
    """Parse shared blocks of parameters and the variables that use them."""
    lists = named_lists(texts, "--share", "p_R=R1,R2")
    return {name: [unquoted(item) for item in items] for name, items in lists.items()}


def findings_from_text(net: Network, texts: Iterable[str]) -> QueryText:
    """Parse options ``a=x`` (or ``a=x, b!=y, do(c=z)`` in one) in the network's names and states."""
    from bayou.models.query_parser import QueryText, parse_findings

    findings = QueryText([], {}, {}, {})
    for text in texts:
        add_findings(findings, parse_findings(net.frozen, text))
    return findings


def add_findings(findings: QueryText, more: QueryText) -> None:
    """Add findings to others; a variable may be named twice only with the same state, or with sets."""
    from bayou.models.set_findings import both

    for name in (*more.given, *more.do, *more.sets):
        said = [_said(found, name) for found in (findings, more)]
        are_sets = name in findings.sets and name in more.sets
        if said[0] and said[0] != said[1] and not are_sets:
            raise BadQuestion(f"{name!r} is given as {said[0]} and as {said[1]}; choose one.")
    findings.given.update(more.given)
    findings.do.update(more.do)
    findings.sets.update({name: both(name, findings.sets.get(name), more.sets[name]) for name in more.sets})


def _said(findings: QueryText, name: Name) -> str:
    """How a variable is given, as text; "" if it is not."""
    if name in findings.sets:
        return findings.sets[name].text
    given = f"{findings.given[name]!r}" if name in findings.given else ""
    return f"do({findings.do[name]!r})" if name in findings.do else given


def likelihood_from_text(
    net: Network, texts: Iterable[str], option: str = "--likelihood"
) -> dict[Name, dict[State, float]]:
    """Parse options ``dysp=yes:0.8,no:0.3`` to weights by state."""
    from bayou.models.query_parser import typed_state

    likelihood: dict[Name, dict[State, float]] = {}
    for given, items in named_lists(texts, option, "dysp=yes:0.8,no:0.2").items():
        name = known_name(net, given)
        variable = net.variables[name]
        if variable.is_continuous:
            raise BadQuestion(f"{option} needs a variable with states; {name!r} is continuous.")
        weights: dict[State, float] = {}
        for item in items:
            state, *weight = split_unquoted(item, ":")
            try:
                weights[typed_state(variable, state)] = float(":".join(weight))
            except UnknownState:
                raise
            except ValueError:
                raise BadQuestion(f"{item!r}: expected state:weight, such as yes:0.8.") from None
        likelihood[name] = weights
    return likelihood


def costs_from_text(texts: Iterable[str]) -> dict[str, Any] | None:
    """Parse options ``treat=ill:1,well:5`` to the cost of each action in each class; None without any.

    >>> costs_from_text(["treat=ill:1,well:5", "ask=2"])
    {'treat': {'ill': 1.0, 'well': 5.0}, 'ask': 2.0}
    """
    costs: dict[str, Any] = {}
    for action, items in named_lists(texts, "--costs", "treat=ill:1,well:5").items():
        by_class: dict[str, float] = {}
        for item in items:
            *named, cost = split_unquoted(item, ":")
            try:
                by_class[unquoted(":".join(named))] = float(cost)
            except ValueError:
                message = f"{item!r}: expected CLASS:COST, such as ill:5."
                raise click.BadParameter(message, param_hint="--costs") from None
        costs[action] = by_class[""] if list(by_class) == [""] and ":" not in items[0] else by_class
    return costs or None


def known_name(net: Network, text: str) -> Name:
    """Return the variable that a text names; the name itself may have any type."""
    alike = _exactly(net, unquoted(text))
    return alike[0] if alike else net.dag.only(unquoted(text))


def _exactly(net: Network, text: str) -> list[Name]:
    """Return a list with the variable whose name has this text; empty if none or several have it."""
    alike = [name for name in net.names if str(name) == text]
    return alike if len(alike) == 1 else []


def known_names(net: Network, text: str) -> list[Name]:
    """Parse names separated by commas."""
    return [known_name(net, piece) for piece in split_unquoted(text, ",") if piece.strip()]


def spells_whole_number(text: str) -> bool:
    """Whether a text is a whole number as Python writes it."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(text)) == text
