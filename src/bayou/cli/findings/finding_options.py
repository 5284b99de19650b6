"""The options by which commands take findings, and the question that they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayou.cli.argument_parsing import add_findings, findings_from_text, likelihood_from_text
from bayou.errors import BadQuestion

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.models.query_parser import QueryText
    from bayou.typing import Name, State

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--given", multiple=True, metavar="NAME=STATE", help="A finding. Repeatable."),
    click.option("--do", multiple=True, metavar="NAME=STATE", help="Set by intervention. Repeatable."),
    click.option(
        "--likelihood",
        multiple=True,
        metavar="NAME=STATE:W,...",
        help="An uncertain finding: a weight for each state. Repeatable.",
    ),
    click.option(
        "--marginal",
        multiple=True,
        metavar="NAME=STATE:P,...",
        help="The probabilities that a variable has after the update (Jeffrey's rule). Repeatable.",
    ),
)


def finding_options(command: Command) -> Command:
    """Give a command the options ``--given``, ``--do``, ``--likelihood`` and ``--marginal``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def findings_given(net: Network, given: tuple[str, ...], do: tuple[str, ...]) -> QueryText:
    """The findings and interventions of the options, in the names and states of the network."""
    from bayou.models.query_parser import QueryText

    findings = findings_from_text(net, given)
    by_option = findings_from_text(net, do)
    if by_option.do or by_option.sets:
        raise BadQuestion(f"--do {do[0]}: name one state, such as --do smoke=no.")
    add_findings(findings, QueryText([], {}, by_option.given, {}))
    return findings


def weights_given(
    net: Network, texts: tuple[str, ...], option: str = "--likelihood"
) -> dict[Name, dict[State, float]] | None:
    """The weights of uncertain findings, or the probabilities of marginals; None without any."""
    return likelihood_from_text(net, texts, option) or None
