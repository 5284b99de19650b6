"""``bayou convert``: convert a network from one file format to another."""

from __future__ import annotations

from typing import Any

import click

from bayou.cli.describing import network_size
from bayou.cli.network_text import NETWORK_ENDINGS
from bayou.cli.terminal.paths import check_output, force_option, is_dynamic, load_network, load_shown_model
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json

EXAMPLES = """\b
Examples:
  bayou convert asia.bif asia.bayou
  bayou convert model.bayou model.bif.gz
  bayou convert tracking.xdsl tracking.bayou   (a dynamic network of GeNIe)
"""


@click.command(short_help="Convert a network file to another format.", epilog=EXAMPLES)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@force_option
@json_option
def convert(source: str, target: str, force: bool, as_json: bool) -> None:
    """Convert a network FROM one file TO another; the ending of TO chooses its format.

    .bayou keeps everything (sharing, the counts that were learned from, real-valued variables); .xdsl, .net
    and .dne keep structure, tables and the drawing; .bif and others the tables only. What is not kept is
    printed. A dynamic network goes to .bayou or .xdsl (GeNIe).
    """
    check_output(target, NETWORK_ENDINGS, [source], force)
    with progress(f"Converting {source}"):
        net = load_shown_model(source)
        if not is_dynamic(net):
            net = load_network(source)
        net.save(target)
    not_kept = _not_kept(net, target)
    unread = [] if is_dynamic(net) else list(net.unread)
    if as_json:
        print_json(
            {
                "from": source,
                "saved": target,
                "variables": len(net.names),
                "not_read": unread,
                "not_kept": not_kept,
            }
        )
        return
    screen = Screen()
    screen.text(f"Saved {network_size(net)} to {target}")
    if unread:
        screen.text(f"Not read from {source}: {'; '.join(unread)}.", style="yellow")
    if not_kept:
        screen.text(f"This format does not keep: {', '.join(not_kept)}.", style="yellow")


def _not_kept(net: Any, target: str) -> list[str]:
    """List what the network has and the format of the target cannot hold."""
    if target.lower().endswith(".bayou"):
        return []
    if is_dynamic(net):
        return ["the counts it was learned from"] if net.state()["learned"] is not None else []
    not_kept: list[str] = net.losses(target)
    return not_kept
