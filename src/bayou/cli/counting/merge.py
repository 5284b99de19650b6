"""``bayou merge``: add the statistics of several sites or parts of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bayou.cli.counting.saving import save_counted
from bayou.cli.terminal.paths import check_output, force_option, load_shown_model
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.errors import BadFile, BayouError, counted

if TYPE_CHECKING:
    from bayou.counting.model_statistics import ModelStatistics

EXAMPLES = """\b
Examples:
  bayou merge north.stats south.stats -o all.stats
  bayou merge all.stats --subtract south.stats -o north.stats
"""


@click.command(short_help="Add the statistics of several sites or parts.", epilog=EXAMPLES)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--subtract", multiple=True, metavar="FILE", help="Take the rows of this .stats file away. Repeatable."
)
@click.option("-o", "--output", metavar="FILE", required=True, help="Save the statistics here (.stats).")
@force_option
@json_option
def merge(files: tuple[str, ...], subtract: tuple[str, ...], output: str, force: bool, as_json: bool) -> None:
    """Add the statistics in FILEs, which bayou count has written for the same model.

    The result is that of counting all the rows at once: to the last digit for counts. New states in one of
    the files are added. Models with learned cuts must have the same ones: declare them (--cuts), or count
    with --like.
    """
    check_output(output, (".stats",), [*files, *subtract], force)
    total = load_statistics(files[0])
    total.require_complete()
    for path in files[1:]:
        total = _combined(total, path, 1)
    for path in subtract:
        total = _combined(total, path, -1)
    save_counted(total, output)
    if as_json:
        print_json({"rows": total.rows, "files": len(files), "saved": output})
        return
    screen = Screen()
    screen.text(f"Statistics of {counted(total.rows, 'row')} from {counted(len(files), 'file')}.")
    screen.text(f"Saved to {output}")


def load_statistics(path: str) -> ModelStatistics:
    """Read a file of statistics; any other file is refused."""
    from bayou.counting.model_statistics import ModelStatistics

    found = load_shown_model(path)
    if not isinstance(found, ModelStatistics):
        raise BadFile.at(path, "holds a model, not statistics; make them with bayou count.")
    return found


def _combined(total: ModelStatistics, path: str, sign: int) -> ModelStatistics:
    other = load_statistics(path)
    try:
        return total + other if sign > 0 else total - other
    except BayouError as error:
        raise type(error)(f"{path}: {error}") from None
