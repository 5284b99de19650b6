"""``bayou conflict``: do the findings support or contradict each other, and which should be released?"""

from __future__ import annotations

import click

from bayou.cli.findings.finding_options import finding_options, findings_given, weights_given
from bayou.cli.terminal.paths import load_network
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json

EXAMPLES = """\b
Examples:
  bayou conflict asia.bif --given "smoke=no, xray=yes, dysp=no"
  bayou conflict asia.bif --given either=yes --given lung=no --given tub=no
  bayou conflict asia.bif --given xray=yes --likelihood "dysp=yes:0.8,no:0.3" --json
"""


@click.command(short_help="Say whether findings contradict each other.", epilog=EXAMPLES)
@click.argument("model", metavar="NETWORK")
@finding_options
@json_option
def conflict(
    model: str,
    given: tuple[str, ...],
    do: tuple[str, ...],
    likelihood: tuple[str, ...],
    marginal: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure the conflict of the findings in NETWORK, in bits, with a verdict in words.

    A conflict above 0 is a sign that a finding is wrong, or the case a rare one: a state that would explain
    it is named. Of findings that cannot occur together, the fewest to release are shown, with what they
    could be instead.
    """
    net = load_network(model)
    findings = findings_given(net, given, do)
    weights, fixed = weights_given(net, likelihood), weights_given(net, marginal, "--marginal")
    if not (findings.given or findings.sets or weights or fixed):
        raise click.UsageError("Give findings: --given NAME=STATE, or --likelihood NAME=STATE:W,…")
    from bayou.models.answers.findings.finding_conflict import conflict_of
    from bayou.models.answers.findings.nearest_findings import nearest_of
    from bayou.models.evidence import question_from

    question = question_from(net.frozen, (), findings.given, weights, findings.do, fixed, findings.sets)
    with progress("Computing"):
        measured = conflict_of(net.frozen, question)
        nearest = nearest_of(net.frozen, question) if measured.impossible else None
    if as_json:
        released = None if nearest is None else nearest.to_dict()
        print_json({**measured.to_dict(), "nearest": released})
        return
    screen = Screen()
    shown, notes = (measured, [measured.verdict]) if nearest is None else (nearest, nearest.notes)
    screen.table(shown.to_table())
    screen.wrapped("", *notes)
