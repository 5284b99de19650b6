"""``bayou convert``: a network from one file format to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bayou.cli.describing import size_of
from bayou.cli.fit import NETWORK_ENDINGS
from bayou.cli.terminal.paths import check_output, force_option, load_network
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json

if TYPE_CHECKING:
    from bayou.models.network import Network

EXAMPLES = """\b
Examples:
  bayou convert asia.bif asia.bayou
  bayou convert model.bayou model.bif.gz
"""


@click.command(short_help="Convert a network file to another format.", epilog=EXAMPLES)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@force_option
@json_option
def convert(source: str, target: str, force: bool, as_json: bool) -> None:
    """Convert a network FROM one file TO another; the ending of TO chooses its format.

    .bayou keeps everything (sharing, the counts that were learned from, real-valued variables); .bif and
    .bif.gz keep the structure and the tables.
    """
    check_output(target, NETWORK_ENDINGS, [source], force)
    with progress(f"Converting {source}"):
        net = load_network(source)
        net.save(target)
    lost = _lost(net, target)
    if as_json:
        print_json({"from": source, "saved": target, "variables": len(net.names), "not_kept": lost})
        return
    screen = Screen()
    screen.text(f"Saved {size_of(net)} to {target}")
    if lost:
        screen.text(f"This format does not keep: {', '.join(lost)}.", style="yellow")


def _lost(net: Network, target: str) -> list[str]:
    """What a network has that the format of the target has no place for."""
    if target.lower().endswith(".bayou"):
        return []
    lost = ["the counts it was learned from"] if net.parts()[1] is not None else []
    if net.sharing:
        lost.append("which variables share parameters")
    return lost
