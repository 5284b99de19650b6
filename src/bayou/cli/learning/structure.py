"""``bayou structure``: learn the arcs and the tables of a network from data."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import declared_from_text, prior_from_text, share_from_text
from bayou.cli.learning.learning_checks import check_before_search
from bayou.cli.network_text import NETWORK_ENDINGS, names_a_file
from bayou.cli.terminal.paths import check_output, force_option, load_network, require_table
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.cli.terminal.stopping import stopped_code
from bayou.cli.terminal.table_options import table_options
from bayou.documents.model_documents import network_document
from bayou.errors import BadPrior
from bayou.text.quotes import split_unquoted, unquoted

if TYPE_CHECKING:
    from bayou.models.network import Network

METHODS = (
    "auto",
    "hill-climbing",
    "tabu",
    "ges",
    "order",
    "exact",
    "k2",
    "pc",
    "chow-liu",
    "tan",
    "structural-em",
)
"""The methods of learn_structure, repeated so that --help need not import it; a test compares them."""

EXAMPLES = """\b
Examples:
  bayou structure patients.parquet -o patients.bif
  bayou structure patients.csv --score bdeu:10 --forbid "Ill -> Age" --svg graph.svg -o patients.bayou
  bayou structure patients.csv --tiers "Age, Sex; Smoke; Ill" --max-parents 3
  bayou structure patients.csv --cuts age=30,50 --continuous weight       (whole numbers are states)
  bayou structure patients.csv --method order --time 60 --ignore id
  bayou structure patients.csv --method tan --target Ill
  bayou structure ratings.csv --share "p_R=R1,R2"
"""


@click.command(short_help="Learn the arcs of a network from a table.", epilog=EXAMPLES)
@click.argument("data", metavar="DATA")
@click.option(
    "--method", type=click.Choice(METHODS), default="auto", show_default=True, help="How to search."
)
@click.option(
    "--score",
    default="bic",
    show_default=True,
    metavar="SCORE",
    help="bic, aic, loglik, k2, bdeu, bds; with a sample size: bdeu:10, bds:5.",
)
@click.option("--require", multiple=True, metavar="'A -> B'", help="An arc that must be there. Repeatable.")
@click.option(
    "--forbid", multiple=True, metavar="'A -> B'", help="An arc that must not be there. Repeatable."
)
@click.option(
    "--tiers", metavar="'A, B; C'", help="Groups of variables, the earliest first: no arc points back."
)
@click.option(
    "--fixed", metavar="ARROWS", help="A known part: its variables have these arcs among them and no others."
)
@click.option("--max-parents", type=int, metavar="N", help="The most parents of a variable.")
@click.option("--start", metavar="ARROWS|FILE", help="Where the search begins.")
@click.option("--order", metavar="'A, B, C'", help="With --method k2: parents before children.")
@click.option("--target", metavar="COLUMN", help="With --method tan: the class.")
@click.option("--root", metavar="COLUMN", help="With --method chow-liu or tan: where the tree begins.")
@click.option("--test", metavar="TEST", help="With --method pc: g, chi2, mi or correlation.")
@click.option(
    "--level", type=float, metavar="P", help="With --method pc, chow-liu or tan: the level of the tests."
)
@click.option(
    "--correction/--no-correction",
    default=None,
    help="With --method chow-liu or tan: weigh arcs by information minus its expectation by chance, or by "
    "plain information.  [default: correction]",
)
@click.option(
    "--time", type=float, metavar="SECONDS", help="Stop the search after this time with the best so far."
)
@click.option("--restarts", type=int, metavar="N", help="How often hill climbing restarts near its best.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same network.")
@click.option(
    "--missing",
    type=click.Choice(("em", "available")),
    default="em",
    show_default=True,
    help="Rows with gaps: structural EM, or each family on its complete rows.",
)
@click.option(
    "--ignore", multiple=True, metavar="COLUMN", help="A column that is not a variable. Repeatable."
)
@click.option(
    "--prior", metavar="PRIOR", help="The prior of the tables: laplace (the default), ml, bdeu:10, m:4, …"
)
@click.option("--states", multiple=True, metavar="NAME=A,B", help="Declare states, in order. Repeatable.")
@click.option("--cuts", multiple=True, metavar="NAME=1,2", help="Cut a column of numbers. Repeatable.")
@click.option("--continuous", multiple=True, metavar="NAME", help="A column of real numbers. Repeatable.")
@click.option(
    "--share",
    multiple=True,
    metavar="BLOCK=A,B",
    help="Let variables share one table: they get the same parents. Repeatable.",
)
@click.option("--weights", metavar="COLUMN", help="A column with the weight of each row.")
@click.option("--svg", metavar="FILE", help="Draw the network into this file.")
@click.option("-o", "--output", metavar="FILE", help="Save here (.bayou, .bif, .net, …).")
@force_option
@table_options
@json_option
def structure(
    data: str, output: str | None, svg: str | None, force: bool, as_json: bool, **options: Any
) -> None:
    """Learn the arcs and the tables of a network from DATA, a file, folder or pattern of files.

    Every column is a variable. The report shows for each arc how much the score drops without it, and the
    best alternative with its distance. Ctrl-C ends the search with the best network so far.
    """
    if not is_piped(data):
        require_table(data)
    for path, endings in ((output, NETWORK_ENDINGS), (svg, (".svg",))):
        if path is not None:
            check_output(path, endings, [data], force)
    chosen = _chosen(**options)
    from bayou.models.structures.structure_learning import learn_structure

    with progress(f"Learning the structure of {data}"), table_file(data) as table:
        check_before_search(table, chosen, output)
        net = learn_structure(table, **chosen)
        assert net.learned_structure is not None
        document = net.learned_structure.to_dict()
        if output is not None:
            net.save(output)
        if svg is not None:
            net.to_svg(svg)
    if as_json:
        print_json({**document, "saved": output, "picture": svg, "network": network_document(net)})
    else:
        _show(net, output, svg)
    # A search that ends by --time has exit code 0; one stopped by a signal has that of the signal.
    if not net.learned_structure.finished:
        click.get_current_context().exit(stopped_code())


def _show(net: Network, output: str | None, svg: str | None) -> None:
    screen = Screen()
    report = net.learned_structure
    assert report is not None
    if report.arcs:
        # All rows are printed, because a reader of the output in a file cannot ask for more.
        screen.table(replace(report.to_table(), most_rows=len(report.arcs)))
    else:
        screen.text(report.title)
    screen.text(*report.notes)
    alone = [str(name) or "''" for name in net.names if not net.parents(name) and not net.children(name)]
    if alone:
        screen.wrapped(f"Without any arc: {', '.join(alone)}")
    screen.text("", f"Saved to {output}" if output else "Not saved: name a file with -o model.bayou")
    if svg is not None:
        screen.text(f"Drawn in {svg}")


def _chosen(
    score: str,
    prior: str | None,
    states: tuple[str, ...],
    cuts: tuple[str, ...],
    tiers: str | None,
    order: str | None,
    start: str | None,
    share: tuple[str, ...],
    **others: Any,
) -> dict[str, Any]:
    """Convert the options to the arguments of learn_structure."""
    declared = declared_from_text(states, cuts)
    given = {name: value for name, value in others.items() if value not in (None, ())}
    given["score"] = _score(score)
    if prior is not None:
        given["prior"] = prior_from_text(prior)
    if declared:
        given["states"] = declared
    if share:
        given["share"] = share_from_text(share)
    if tiers is not None:
        given["tiers"] = [_names(group) for group in split_unquoted(tiers, ";") if group.strip()]
    if order is not None:
        given["order"] = _names(order)
    if start is not None:
        given["start"] = load_network(start).dag if names_a_file(start) else start
    return given


def _score(text: str) -> Any:
    """Parse a score: a word, or a word with its sample size (``bdeu:10``)."""
    from bayou.distributions import BDeu
    from bayou.learning.scores.scores import WORDS, BDs, score_from

    word, colon, size = text.strip().lower().partition(":")
    kinds: dict[str, Any] = {"bdeu": BDeu, "bds": BDs}
    try:
        return kinds[word](float(size)) if colon else score_from(word)
    except (KeyError, ValueError, BadPrior):
        near = difflib.get_close_matches(word, list(WORDS), n=1)
        hint = f" Did you mean {near[0]}?" if near and near[0] != word else ""
        message = (
            f"{text!r} is not a valid score.{hint} Use bic, aic, loglik, k2, bdeu, bdeu:10, bds or bds:10."
        )
        raise click.BadParameter(message, param_hint="--score") from None


def _names(text: str) -> list[str]:
    return [unquoted(piece) for piece in split_unquoted(text, ",") if piece.strip()]
