"""``bayou next``: which finding to ask for next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bayou.cli.argument_parsing import known_name, known_names, named_lists
from bayou.cli.findings.finding_options import finding_options, findings_given, weights_given
from bayou.cli.terminal.paths import load_network
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.text.quotes import split_unquoted

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.schema import Variable
    from bayou.typing import Name, State

EXAMPLES = """\b
Examples:
  bayou next asia.bif lung --given smoke=yes
  bayou next asia.bif lung --given smoke=yes --among "xray, dysp, asia"
  bayou next asia.bif lung --costs xray=20 --costs dysp=1
  bayou next asia.bif lung --utilities treat=yes:90,no:40 --utilities wait=yes:0,no:100 --costs xray=2
"""


@click.command("next", short_help="Say which finding to ask for next.", epilog=EXAMPLES)
@click.argument("model", metavar="NETWORK")
@click.argument("target", metavar="TARGET")
@finding_options
@click.option("--among", metavar="NAME,...", help="What can be asked for.  [default: all that is not given]")
@click.option("--costs", multiple=True, metavar="NAME=COST", help="What asking for it costs. Repeatable.")
@click.option(
    "--utilities",
    multiple=True,
    metavar="ACTION=STATE:U,...",
    help="What an action is worth in each state of TARGET. Repeatable.",
)
@json_option
def next_finding(
    model: str,
    target: str,
    given: tuple[str, ...],
    do: tuple[str, ...],
    likelihood: tuple[str, ...],
    marginal: tuple[str, ...],
    among: str | None,
    costs: tuple[str, ...],
    utilities: tuple[str, ...],
    as_json: bool,
) -> None:
    """Rank what could be asked for by what it is expected to tell about TARGET.

    Without --utilities the information is measured in bits, with --costs in bits for each unit of cost (what
    is not named costs 1). With --utilities, by the expected gain from acting after it is known, minus its
    cost (not named: 0). What TARGET would become after each answer to the best question is shown below.
    """
    net = load_network(model)
    name = known_name(net, target)
    findings = findings_given(net, given, do)
    with progress("Computing"):
        found = net.what_to_ask(
            findings._replace(targets=[name]),
            likelihood=weights_given(net, likelihood),
            marginal=weights_given(net, marginal, "--marginal"),
            among=None if among is None else known_names(net, among),
            costs=_costs(net, costs) or None,
            utilities=_utilities(net.variables[name], utilities) or None,
        )
    after = None if found.best is None else found.outcomes(found.best.name)
    if as_json:
        outcomes = None if after is None else after.to_dict()
        print_json({**found.to_dict(), "outcomes": outcomes})
        return
    screen = Screen()
    screen.table(found.to_table())
    screen.wrapped("", *found.notes)
    if after is not None:
        screen.text("")
        screen.table(after.to_table())


def _costs(net: Network, texts: tuple[str, ...]) -> dict[Name, float]:
    """Parse options ``xray=2``."""
    return {
        known_name(net, name): _number(items[0] if len(items) == 1 else "", f"{name}=…", "--costs", "xray=2")
        for name, items in named_lists(texts, "--costs", "xray=2").items()
    }


def _utilities(variable: Variable, texts: tuple[str, ...]) -> dict[str, dict[State, float] | float]:
    """Parse options ``treat=yes:90,no:40``; ``wait=3`` is worth the same in every state."""
    from bayou.models.query_parser import typed_state

    example = "treat=yes:90,no:40"
    utilities: dict[str, dict[State, float] | float] = {}
    for action, items in named_lists(texts, "--utilities", example).items():
        by_state: dict[State, float] = {}
        for item in items:
            *named, worth = split_unquoted(item, ":")
            if not named and len(items) == 1:
                utilities[action] = _number(worth, item, "--utilities", example)
                break
            by_state[typed_state(variable, ":".join(named))] = _number(worth, item, "--utilities", example)
        else:
            utilities[action] = by_state
    return utilities


def _number(text: str, said: str, option: str, example: str) -> float:
    try:
        return float(text)
    except ValueError:
        message = f"{said!r} has no number; write for example {option} {example}"
        raise click.BadParameter(message, param_hint=option) from None
