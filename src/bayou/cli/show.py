"""``bayou show``: a network, its tables, its independencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayou.cli.arguments import known_name, known_names
from bayou.cli.describing import network_document, show_network, table_of
from bayou.cli.paths import load_network
from bayou.cli.rendering import Screen
from bayou.cli.reporting import json_option, print_json
from bayou.errors import BadQuestion

if TYPE_CHECKING:
    from bayou.models.network import Network

EXAMPLES = """\b
Examples:
  bayou show asia.bif                          (size, variables, small tables)
  bayou show asia.bif lung dysp                (these tables, whatever their size)
  bayou show asia.bif --arcs                   (arrow text, ready for bayou fit --network)
  bayou show asia.bif --blanket lung
  bayou show asia.bif --dsep "asia ; smoke | dysp"
"""


@click.command(short_help="Print a network, its tables or its independencies.", epilog=EXAMPLES)
@click.argument("model", metavar="NETWORK")
@click.argument("variables", nargs=-1, metavar="[VARIABLE]...")
@click.option("--arcs", is_flag=True, help="Print the structure as arrow text.")
@click.option("--independencies", is_flag=True, help="Print what each variable is independent of.")
@click.option("--blanket", metavar="NAME", help="Print the Markov blanket of a variable.")
@click.option("--dsep", metavar="'A ; B | C'", help="Say whether A and B are d-separated given C, and why.")
@json_option
def show(model: str, variables: tuple[str, ...], as_json: bool, **wanted: Any) -> None:
    """Show NETWORK (a .bif, .bif.gz or .bayou file), or the tables of the VARIABLEs named."""
    asked = [option for option, value in wanted.items() if value not in (None, False)]
    if len(asked) + bool(variables) > 1:
        raise click.UsageError(
            "Choose one: VARIABLEs, --arcs, --independencies, --blanket NAME or --dsep 'A ; B | C'."
        )
    net = load_network(model)
    if asked:
        document, lines = _graph_view(net, **wanted)
        if as_json:
            print_json(document)
        else:
            Screen().text(*lines)
        return
    names = [known_name(net, text) for text in variables]
    if as_json:
        print_json(network_document(net, names))
        return
    screen = Screen()
    if names:
        screen.tables([table_of(net, name) for name in names])
    else:
        show_network(screen, net)


def _graph_view(
    net: Network, arcs: bool, independencies: bool, blanket: str | None, dsep: str | None
) -> tuple[dict[str, Any], list[str]]:
    """What was asked of the graph, as JSON and as lines."""
    if arcs:
        text = net.dag.to_text()
        return {"arcs": net.arcs, "text": text}, text.splitlines()
    if independencies:
        found = net.local_independencies()
        statements = [{"left": s.left, "right": s.right, "given": s.given} for s in found]
        return {"independencies": statements}, [str(statement) for statement in found]
    if blanket is not None:
        name = known_name(net, blanket)
        members = net.markov_blanket(name)
        return {"variable": name, "blanket": members}, [str(member) for member in members]
    assert dsep is not None
    return _separation(net, dsep)


def _separation(net: Network, text: str) -> tuple[dict[str, Any], list[str]]:
    from bayou.models.question_text import split_unquoted

    sides, *given = split_unquoted(text, "|")
    pair = split_unquoted(sides, ";")
    if len(pair) != 2 or len(given) > 1:
        raise BadQuestion(f"{text!r} can not be read; write for example --dsep 'asia ; smoke | dysp'.")
    left, right, known = (known_names(net, piece) for piece in (*pair, given[0] if given else ""))
    verdict = net.d_separated(left, right, known)
    document = {
        "left": verdict.left,
        "right": verdict.right,
        "given": verdict.given,
        "separated": bool(verdict),
        "open_trail": verdict.trail,
        "reason": verdict.reason.splitlines(),
    }
    return document, str(verdict).splitlines()
