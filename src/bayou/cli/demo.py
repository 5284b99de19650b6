"""``bayou demo``: learn a network from a bundled table and query it, in about a second."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.describing import small_tables
from bayou.cli.network_text import NETWORK_ENDINGS
from bayou.cli.terminal.paths import check_output
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.documents.model_documents import network_document, posterior_document
from bayou.errors import counted

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.text.tables import TextTable

QUESTIONS = {
    "Thunder is heard. Is there a storm?": "Storm | Thunder=yes",
    "A campfire burns. Has a bus tour come?": "BusTourGroup | Campfire=yes",
    "The same, but in a storm, when few people light one:": "BusTourGroup | Campfire=yes, Storm=yes",
}
SHOWN_ROWS = 5

EXAMPLES = """\b
Examples:
  bayou demo
  bayou demo -o storm.bayou
"""


@click.command(short_help="See what bayou does, on a bundled table.", epilog=EXAMPLES)
@click.option("-o", "--output", metavar="FILE", help="Save the learned network here, for more queries.")
@json_option
def demo(output: str | None, as_json: bool) -> None:
    """Learn a network from a bundled table, print what was learned, and query it.

    Storms, bus tours, campfires, lightning, thunder and forest fires: 400 rows, six columns.
    """
    if output is not None:
        check_output(output, NETWORK_ENDINGS, [], force=False)
    started = time.perf_counter()
    learned = _learn()
    if output is not None:
        learned.net.save(output)
    if as_json:
        print_json({**_document(learned), "saved": output, "seconds": time.perf_counter() - started})
        return
    screen = Screen()
    _show_learning(screen, learned)
    _show_questions(screen, learned.net)
    _show_independence(screen, learned.net)
    _show_extras(screen, learned)
    screen.heading("Now yours")
    screen.text("  bayou demo -o storm.bayou    keeps this network, to ask it more", style="cyan")
    screen.text("  bayou fit your.csv --network 'Cause -> Effect' -o model.bayou", style="cyan")
    screen.text("  bayou query model.bayou 'Cause | Effect=yes' --working", style="cyan")
    screen.text("", f"Everything above took {time.perf_counter() - started:.1f} s.", style="dim")


@dataclass(frozen=True)
class _LearnedExample:
    """The bundled table, the network learned from it, and the time this took."""

    table: dict[str, list[Any]]
    net: Network
    milliseconds: float


def _learn() -> _LearnedExample:
    from bayou import examples
    from bayou.models.network import Network

    table = examples.storm_data()
    net = Network(examples.storm().dag, states={name: ["no", "yes"] for name in table})
    started = time.perf_counter()
    net.fit(table)
    return _LearnedExample(table, net, (time.perf_counter() - started) * 1000)


def _show_learning(screen: Screen, learned: _LearnedExample) -> None:
    rows = len(next(iter(learned.table.values())))
    screen.text("bayou: Bayesian networks, exact and explained", style="bold magenta")
    screen.heading(f"A table of {counted(rows, 'row')} …")
    screen.table(_first_rows(learned.table))
    screen.heading("… and what we believe about causes …")
    arrows = learned.net.dag.to_text().split("; ")
    screen.text(*(f"  {line}" for line in arrows), style="cyan")
    screen.heading(f"… make a network, learned in {learned.milliseconds:.1f} ms")
    screen.text(f"{learned.net.parameter_count()}, add-one smoothing", "")
    screen.tables(small_tables(learned.net))


def _first_rows(table: dict[str, list[Any]]) -> TextTable:
    from bayou.text.tables import TextTable

    rows = [list(row) for row in zip(*table.values(), strict=True)]
    return TextTable(list(table), rows, most_rows=SHOWN_ROWS)


def _show_questions(screen: Screen, net: Network) -> None:
    for asked, question in QUESTIONS.items():
        screen.heading(asked)
        screen.text(f"  bayou query storm.bayou '{question}' --working", "", style="cyan")
        screen.board(net.working(question))
        screen.text("")
        screen.table(net.query(question).to_table())


def _show_independence(screen: Screen, net: Network) -> None:
    screen.heading("Do storms and bus tours tell about each other?")
    for verdict in _verdicts(net):
        first, *reason = str(verdict).splitlines()
        screen.text(first, style="bold")
        screen.wrapped(*(f"  {line}" for line in reason), "")


def _verdicts(net: Network) -> list[Any]:
    return [
        net.d_separated("Storm", "BusTourGroup"),
        net.d_separated("Storm", "BusTourGroup", given="Campfire"),
    ]


def _show_extras(screen: Screen, learned: _LearnedExample) -> None:
    screen.heading("Two things more")
    apart, shared = _sharing()
    same = "exactly" if _forgets_exactly(learned) else "nearly"
    screen.wrapped(
        "Sharing: Jim and Martha rate films with one taste, share={'p_R': ['R1', 'R2']}: "
        f"{shared} numbers, not {apart}.",
        f"Unlearning: net.forget(rows) takes records out again, {same} as if they had never been seen.",
    )


def _sharing() -> tuple[int, int]:
    """The numbers of parameters of two raters with a table each, and with a shared table."""
    from bayou import examples

    apart, shared = examples.jim_and_martha_network(shared=False), examples.jim_and_martha_network()
    return apart.parameter_count().total, shared.parameter_count().total


def _forgets_exactly(learned: _LearnedExample) -> bool:
    """Whether learning the first row again and forgetting it gives back the same network, bit by bit."""
    first_row = {name: column[:1] for name, column in learned.table.items()}
    return learned.net.copy().partial_fit(first_row).forget(first_row).same_as(learned.net)


def _document(learned: _LearnedExample) -> dict[str, Any]:
    net = learned.net
    apart, shared = _sharing()
    return {
        "rows": net.statistics.rows,
        "network": network_document(net),
        "queries": [
            {
                "question": question,
                **posterior_document(net.query(question)),
                "working": net.working(question).splitlines(),
            }
            for question in QUESTIONS.values()
        ],
        "separations": [
            {
                "left": verdict.left,
                "right": verdict.right,
                "given": verdict.given,
                "separated": bool(verdict),
                "reason": verdict.reason.splitlines(),
            }
            for verdict in _verdicts(net)
        ],
        "sharing": {"parameters_apart": apart, "parameters_shared": shared},
        "forgets_exactly": _forgets_exactly(learned),
    }
