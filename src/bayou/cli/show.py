"""``bayou show``: print a network, its tables or its independencies, or what a classifier has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import known_name, known_names
from bayou.cli.describing import parameter_table, show_network
from bayou.cli.sequences.showing import show_hmm
from bayou.cli.terminal.paths import (
    check_output,
    is_dynamic,
    is_hmm,
    is_kalman,
    load_network,
    load_shown_model,
)
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.cli.terminal.wording import with_commands
from bayou.documents.model_documents import network_document
from bayou.errors import BadQuestion
from bayou.text.quotes import split_unquoted

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork
    from bayou.models.network import Network
    from bayou.models.sequences.hidden_markov.hmm import HMM
    from bayou.models.sequences.kalman.kalman_model import KalmanModel
    from bayou.typing import Name

EXAMPLES = """\b
Examples:
  bayou show asia.bif                          (size, variables, small tables)
  bayou show ill.bayou                         (what a classifier has learned, and why)
  bayou show asia.bif lung dysp                (these tables, whatever their size)
  bayou show asia.bif --arcs                   (arrow text, ready for bayou fit --network)
  bayou show asia.bif --blanket lung
  bayou show asia.bif --dsep "asia ; smoke | dysp"
  bayou show asia.bif --svg asia.svg           (a picture)
  bayou show found.bif --compare asia.bif --svg difference.svg
"""


@click.command(short_help="Print a network, its tables or its independencies.", epilog=EXAMPLES)
@click.argument("model", metavar="NETWORK")
@click.argument("variables", nargs=-1, metavar="[VARIABLE]...")
@click.option("--arcs", is_flag=True, help="Print the structure as arrow text.")
@click.option("--independencies", is_flag=True, help="Print what each variable is independent of.")
@click.option("--blanket", metavar="NAME", help="Print the Markov blanket of a variable.")
@click.option("--dsep", metavar="'A ; B | C'", help="Say whether A and B are d-separated given C, and why.")
@click.option("--compare", metavar="NETWORK", help="Compare it with the true NETWORK: arcs, SHD, divergence.")
@click.option("--svg", metavar="FILE", help="Draw the network, or the comparison, into this file.")
@json_option
def show(model: str, variables: tuple[str, ...], svg: str | None, as_json: bool, **views: Any) -> None:
    """Show NETWORK (a .bif, .bif.gz or .bayou file), or the tables of the VARIABLEs named.

    Of a classifier (.bayou) its rows, classes, features and calibration are shown, of a hidden Markov model
    (.bayou) the probabilities of its states and of what they emit.
    """
    asked = [option for option, value in views.items() if value not in (None, False)]
    if len(asked) + bool(variables) > 1:
        raise click.UsageError(
            "Choose one: VARIABLEs, --arcs, --independencies, --blanket NAME, --dsep 'A ; B | C' or "
            "--compare NETWORK."
        )
    if svg is not None:
        if variables or asked not in ([], ["compare"]):
            raise click.UsageError(
                "--svg draws the whole network; of the other options it only goes with --compare."
            )
        check_output(svg, (".svg",), [model], force=False)
    if not asked and not variables and svg is None:
        fitted = load_shown_model(model)
        if is_hmm(fitted):
            _show_sequences(fitted, as_json)
            return
        if is_kalman(fitted):
            _show_series(fitted, as_json)
            return
        if is_dynamic(fitted):
            _show_slices(fitted, as_json)
            return
        if hasattr(fitted, "classes_"):
            _show_classifier(fitted, as_json)
            return
        net = fitted
    else:
        net = load_network(model)
    if views["compare"] is not None:
        _compare(net, views["compare"], svg, as_json)
        return
    if asked:
        document, lines = _graph_view(net, **views)
        if as_json:
            print_json(document)
        else:
            Screen().text(*lines)
        return
    _show_tables(net, [known_name(net, text) for text in variables], svg, as_json)


def _show_tables(net: Network, names: list[Name], svg: str | None, as_json: bool) -> None:
    """Print the tables of some variables, or an overview of the network; draw it, too, if asked to."""
    if svg is not None:
        net.to_svg(svg)
    if as_json:
        drawn = {} if svg is None else {"picture": svg}
        print_json({**network_document(net, names), **drawn})
        return
    screen = Screen()
    if names:
        screen.tables([parameter_table(net, name) for name in names])
    else:
        show_network(screen, net)
    if svg is not None:
        screen.text("", f"Drawn in {svg}")


def _show_sequences(hmm: HMM, as_json: bool) -> None:
    """Print a hidden Markov model."""
    if as_json:
        from bayou.documents.sequence_documents import hmm_document

        print_json(hmm_document(hmm))
    else:
        show_hmm(Screen(), hmm)


def _show_series(model: KalmanModel, as_json: bool) -> None:
    """Print a linear Gaussian model of series."""
    if as_json:
        from bayou.documents.sequence_documents import kalman_document

        print_json(kalman_document(model))
    else:
        Screen().text(*str(model).splitlines())


def _show_slices(net: DynamicNetwork, as_json: bool) -> None:
    """Print a dynamic network."""
    if as_json:
        from bayou.documents.sequence_documents import dynamic_document

        print_json(dynamic_document(net))
    else:
        Screen().text(str(net))


def _show_classifier(fitted: Any, as_json: bool) -> None:
    """Print what a classifier has learned."""
    summary = fitted.summary()
    if as_json:
        print_json(summary.to_dict())
        return
    screen = Screen()
    screen.text(summary.heading, style="bold green")
    for table in summary.tables():
        screen.text("")
        screen.table(table)
    screen.text("")
    screen.wrapped(*map(with_commands, summary.lines()))


def _compare(net: Network, true: str, svg: str | None, as_json: bool) -> None:
    comparison = net.compare(load_network(true))
    if svg is not None:
        comparison.to_svg(svg)
    if as_json:
        print_json({**comparison.to_dict(), "picture": svg})
        return
    screen = Screen()
    screen.text(*str(comparison).splitlines())
    if svg is not None:
        screen.text("", f"Drawn in {svg}")


def _graph_view(
    net: Network, arcs: bool, independencies: bool, blanket: str | None, dsep: str | None, **_others: Any
) -> tuple[dict[str, Any], list[str]]:
    """Return the requested view of the graph, as a document and as lines."""
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
    """Parse ``A ; B | C`` and return whether A and B are d-separated given C, as a document and as lines."""
    sides, *given = split_unquoted(text, "|")
    pair = split_unquoted(sides, ";")
    if len(pair) != 2 or len(given) > 1:
        raise BadQuestion(f"{text!r} cannot be read; write for example --dsep 'asia ; smoke | dysp'.")
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
