"""``bayou evaluate``: compare classifiers by cross-validation."""

from __future__ import annotations

import click

from bayou.cli.fit_classifier import MODELS
from bayou.cli.terminal.paths import require_file
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.errors import UnknownVariable

EXAMPLES = """\b
Examples:
  bayou evaluate patients.csv --target ill
  bayou evaluate patients.csv --target ill --models nb,tan,aode,kdb --folds 5 --seed 1
  bayou evaluate patients.csv --target ill --ignore id --json
"""


@click.command(short_help="Compare classifiers by cross-validation.", epilog=EXAMPLES)
@click.argument("data", metavar="DATA")
@click.option("--target", metavar="COLUMN", required=True, help="The column to predict.")
@click.option(
    "--models",
    metavar="NAME,NAME",
    default="nb,tan,aode",
    show_default=True,
    help=f"Which classifiers, of {', '.join(MODELS)}.",
)
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**32 - 1),
    default=0,
    show_default=True,
    help="The seed of the folds.",
)
@click.option("--ignore", multiple=True, metavar="COLUMN", help="A column that is not a feature. Repeatable.")
@json_option
def evaluate(
    data: str, target: str, models: str, folds: int, seed: int, ignore: tuple[str, ...], as_json: bool
) -> None:
    """Compare classifiers on DATA by stratified cross-validation, all of them on the same folds.

    Reports accuracy, log-loss (nats), Brier score, expected calibration error and seconds; a star marks the
    best of each column. With fewer than five rows per fold, leave-one-out is used instead. Rows without a
    label are skipped. The confusion matrix is that of the classifier with the smallest log-loss.
    """
    if not is_piped(data):
        require_file(data)
    from bayou.estimators.evaluation.evaluate import evaluate as judge
    from bayou.sources import Columns, read_columns

    chosen = list(dict.fromkeys(word.strip() for word in models.split(",") if word.strip()))
    with progress("Cross-validating"), table_file(data) as path:
        table = read_columns(path)
        for name in ignore:
            if name not in table:
                raise UnknownVariable.named(name, table.names, "to ignore")
        kept = [name for name in table.names if name not in ignore]
        columns = Columns(kept, [table[name] for name in kept], table.rows)
        result = judge(chosen, columns, target, folds=folds, seed=seed)
    if as_json:
        print_json(result.to_dict())
        return
    screen = Screen()
    screen.table(result.to_table())
    screen.text("")
    screen.table(result.best_confusion())
