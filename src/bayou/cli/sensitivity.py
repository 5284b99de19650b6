"""``bayou sensitivity``: which entries of a network's tables an answer depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bayou.cli.argument_parsing import (
    add_findings,
    costs_from_text,
    known_names,
)
from bayou.cli.findings.finding_options import findings_given, weights_given
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
"""The number of entries shown without --most; bayou.models.answers.sensitivity.tornado has the same."""


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
    weights = weights_given(net, findings["likelihood"])
    names = [name for text in tables for name in known_names(net, text)] if tables else None
    from bayou.models.answers.sensitivity.sensitivity_questions import tornado_from
    from bayou.models.evidence import question_from

    question = question_from(net.frozen, [target], found.given, weights, found.do, None, found.sets)
    with progress("Computing"):
        tornado = tornado_from(net.frozen, question, state, names, change, None, costs_from_text(costs))
    if as_json:
        print_json(tornado.to_dict(most))
        return
    screen = Screen()
    screen.table(tornado.to_table(most or SHOWN))
    screen.text(*tornado.remarks(most or SHOWN))


def _asked(net: Network, asked: str, findings: dict[str, tuple[str, ...]]) -> tuple[Name, State, QueryText]:
    """The target, its state, and all findings: those of the options and those after the bar."""
    from bayou.models.query_parser import parse_findings

    before, *after = split_unquoted(asked, "|")
    wanted = parse_findings(net.frozen, before, asked)
    if len(after) > 1 or len(wanted.given) != 1 or wanted.do or wanted.sets:
        raise BadQuestion(f"{asked!r}: name one state of one variable, such as lung=yes.")
    found = findings_given(net, findings["given"], findings["do"])
    add_findings(found, parse_findings(net.frozen, "".join(after), asked))
    ((target, state),) = wanted.given.items()
    return target, state, found
