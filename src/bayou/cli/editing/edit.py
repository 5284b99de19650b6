"""``bayou edit``: change nodes, arcs, states and rows of a network file."""

from __future__ import annotations

import click

from bayou.cli.describing import network_size
from bayou.cli.network_text import NETWORK_ENDINGS
from bayou.cli.terminal.paths import check_output, force_option, load_network
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json

EXAMPLES = """\b
Examples:
  bayou edit asia.bif new.bif "remove-arc smoke -> bronc" "rename-node xray: 'chest x-ray'"
  bayou edit asia.bif new.bayou "add-node fever: no, yes | tub" "set-row fever | tub=yes: 0.2, 0.8"
  bayou edit asia.bif new.bif "absorb-node either" "rename-state smoke: yes=daily"
  bayou edit asia.bif asia.bif --force "set-row asia: 5% 95%"
"""


@click.command(short_help="Change nodes, arcs, states and rows of a network.", epilog=EXAMPLES)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.argument("edits", metavar="EDIT...", nargs=-1, required=True)
@force_option
@json_option
def edit(source: str, target: str, edits: tuple[str, ...], force: bool, as_json: bool) -> None:
    """Change the network FROM one file by EDITs, one after the other, and write it TO another file.

    \b
    add-node NAME: STATE, … | PARENT, …    all states equally probable
    remove-node NAME                       tables of its children are averaged over it
    absorb-node NAME                       the joint distribution of all others stays
    rename-node NAME: NEW
    add-arc A -> B    remove-arc A -> B    reverse-arc A -> B
    add-state NAME: STATE                  remove-state NAME: STATE
    rename-state NAME: OLD=NEW
    set-row NAME | PARENT=STATE, …: P, …   0.2, 1/5 or 20%, in the order of the states

    If one edit is refused, nothing is written. Tables that still fit are kept to the bit. Names with other
    signs than letters go into quotes. The ending of TO chooses the format, as for `bayou convert`.
    """
    from bayou.cli.editing.edit_words import apply_edit

    check_output(target, NETWORK_ENDINGS, [source], force)
    net = load_network(source)
    for text in edits:
        apply_edit(net, text)
    net.save(target)
    not_kept = net.losses(target)
    if as_json:
        print_json({"from": source, "saved": target, "variables": len(net.names), "not_kept": not_kept})
        return
    screen = Screen()
    screen.text(f"Saved {network_size(net)} to {target}")
    if not_kept:
        screen.text(f"This format does not keep: {', '.join(not_kept)}.", style="yellow")
