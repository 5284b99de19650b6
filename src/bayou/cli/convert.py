"""``bayou convert``: convert a network from one file format to another."""

from __future__ import annotations

from typing import Any

import click

from bayou.cli.describing import network_size
from bayou.cli.network_text import NETWORK_ENDINGS, OWN_ENDINGS
from bayou.cli.terminal.paths import check_output, force_option, is_dynamic, load_network, load_shown_model
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json

PAGE_ENDING = ".html"
EXAMPLES = """\b
Examples:
  bayou convert asia.bif asia.bayou
  bayou convert model.bayou model.bif.gz
  bayou convert asia.bif asia.html             (a page to click on, which needs no server)
  bayou convert tracking.xdsl tracking.bayou   (a dynamic network of GeNIe)
  bayou convert model.bayou model.json         (a text to read; any kind of model)
"""


@click.command(short_help="Convert a model file to another format.", epilog=EXAMPLES)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@force_option
@json_option
def convert(source: str, target: str, force: bool, as_json: bool) -> None:
    """Convert a network FROM one file TO another; the ending of TO chooses its format.

    .bayou keeps everything (sharing, the counts that were learned from, real-valued variables), and .json the
    same as a text with a row of a table in each line; classifiers and hidden Markov models have only these
    two. .xdsl, .net and .dne keep structure, tables and the drawing; .bif and others the tables only. What is
    not kept is printed. A dynamic network goes to .bayou, .json or .xdsl (GeNIe). .html is the explorer's
    page in one file: it shows the network and answers questions in any browser, without a server, and cannot
    be read again.
    """
    check_output(target, (*NETWORK_ENDINGS, PAGE_ENDING), [source], force)
    with progress(f"Converting {source}"):
        net = load_shown_model(source)
        if not is_dynamic(net) and not (_is_other(net) and target.lower().endswith(OWN_ENDINGS)):
            net = load_network(source)
        if _is_page(target) and not is_dynamic(net):
            net.to_html(target)
        else:
            net.save(target)
    not_kept = _not_kept(net, target)
    unread = list(getattr(net, "unread", []))
    if as_json:
        print_json(
            {
                "from": source,
                "saved": target,
                **({} if _is_other(net) else {"variables": len(net.names)}),
                "not_read": unread,
                "not_kept": not_kept,
            }
        )
        return
    screen = Screen()
    what = f"a {type(net).__name__}" if _is_other(net) else network_size(net)
    screen.text(f"Saved {what} to {target}")
    if unread:
        screen.text(f"Not read from {source}: {'; '.join(unread)}.", style="yellow")
    if not_kept:
        screen.text(f"This format does not keep: {', '.join(not_kept)}.", style="yellow")


def _is_other(model: Any) -> bool:
    """Whether a model is no network, neither a plain nor a dynamic one."""
    from bayou.models.network import Network

    return not isinstance(model, Network) and not is_dynamic(model)


def _is_page(target: str) -> bool:
    return target.lower().endswith(PAGE_ENDING)


def _not_kept(net: Any, target: str) -> list[str]:
    """List what the network has and the format of the target cannot hold."""
    if _is_page(target):
        return ["its use as a network (the page shows and asks): keep the file it was made from"]
    if target.lower().endswith(OWN_ENDINGS):
        return []
    if is_dynamic(net):
        return ["the counts it was learned from"] if net.state()["learned"] is not None else []
    not_kept: list[str] = net.losses(target)
    return not_kept
