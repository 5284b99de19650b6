"""``bayou sensitivity``: which entries of a network's tables an answer depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import (
    add_findings,
    costs_from_text,
    findings_from_text,
    known_names,
    likelihood_from_text,
)
from bayou.cli.terminal.paths import load_network
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.errors import BadQuestion
from bayou.text.quotes import split_unquoted

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.models.query_parser import QueryText
    from bayou.typing import Name, State

EXAMPLES = """\b
Examples:
  bayou sensitivity asia.bif lung=yes --given xray=yes
  bayou sensitivity asia.bif "lung=yes | xray=yes, smoke=yes" --most 5
  bayou sensitivity asia.bif lung=yes --given xray=yes --table xray,smoke --change 0.5
  bayou sensitivity asia.bif lung=yes --given xray=yes --costs treat=yes:1,no:3 --costs wait=yes:20,no:0
"""
SHOWN = 12
"""The number of entries shown without --most; bayou.models.answers.tornado has the same."""


@click.command(short_help="Show which table entries an answer depends on.", epilog=EXAMPLES)
@click.argument("model", metavar="NETWORK")
@click.argument("asked", metavar="TARGET=STATE")
@click.option("--given", multiple=True, metavar="NAME=STATE", help="A finding. Repeatable.")
@click.option("--do", multiple=True, metavar="NAME=STATE", help="Set by intervention. Repeatable.")
@click.option(
    "--likelihood",
    multiple=True,
    metavar="NAME=STATE:W,...",
    help="An uncertain finding: a weight for each state. Repeatable.",
)
@click.option(
    "--table", "tables", multiple=True, metavar="NAME,...", help="Only these tables.  [default: all]"
)
@click.option(
    "--change",
    type=float,
    default=0.1,
    show_default=True,
    help="The share by which each entry is lowered and raised.",
)
@click.option(
    "--costs",
    multiple=True,
    metavar="ACTION=STATE:COST,...",
    help="The cost of an action in each state of the target. Repeatable.  [default: the decision is the "
    "most probable state]",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    help=f"How many entries to show.  [default: {SHOWN}; with --json all]",
)
@json_option
def sensitivity(
    model: str,
    asked: str,
    tables: tuple[str, ...],
    change: float,
    costs: tuple[str, ...],
    most: int | None,
    as_json: bool,
    **findings: tuple[str, ...],
) -> None:
    """Show which entries of NETWORK's tables P(TARGET=STATE | findings) depends on most: a tornado.

    Each entry is lowered and raised by a share, while the others of its row keep their proportions. The last
    column has the value at which the decision turns: the most probable state of the target, or the action
    of least expected cost (--costs). Findings may stand after a bar: "lung=yes | xray=yes".
    """
    net = load_network(model)
    target, state, found = _asked(net, asked, findings)
    likelihood = _weights(net, found, likelihood_from_text(net, findings["likelihood"]))
    names = [name for text in tables for name in known_names(net, text)]
    with progress("Computing"):
        tornado = net.tornado(
            target,
            state,
            found.given,
            tables=names if tables else None,
            change=change,
            costs=costs_from_text(costs),
            likelihood=likelihood or None,
            do=found.do or None,
        )
    if as_json:
        print_json(tornado.to_dict(most))
        return
    screen = Screen()
    screen.table(tornado.to_table(most or SHOWN))
    screen.text(*tornado.remarks(most or SHOWN))


def _asked(net: Network, asked: str, findings: dict[str, tuple[str, ...]]) -> tuple[Name, State, QueryText]:
    """The target, its state, and all findings: those of the options and those after the bar."""
    from bayou.models.query_parser import QueryText, parse_findings

    before, *after = split_unquoted(asked, "|")
    wanted = parse_findings(net.frozen, before, asked)
    if len(after) > 1 or len(wanted.given) != 1 or wanted.do or wanted.sets:
        raise BadQuestion(f"{asked!r}: name one state of one variable, such as lung=yes.")
    found = findings_from_text(net, findings["given"])
    by_option = findings_from_text(net, findings["do"])
    if by_option.do or by_option.sets:
        raise BadQuestion(f"--do {findings['do'][0]}: name one state, such as --do smoke=no.")
    add_findings(found, QueryText([], {}, by_option.given, {}))
    add_findings(found, parse_findings(net.frozen, "".join(after), asked))
    ((target, state),) = wanted.given.items()
    return target, state, found


def _weights(net: Network, found: QueryText, likelihood: dict[Name, Any]) -> dict[Name, Any]:
    """The likelihood findings, with those that leave several states possible."""
    weights = dict(likelihood)
    for name, allowed in found.sets.items():
        states = net.states(name)
        before = weights.get(name, dict.fromkeys(states, 1.0))
        pairs = zip(states, allowed.weights.tolist(), strict=True)
        weights[name] = {state: before[state] * weight for state, weight in pairs}
    return weights
