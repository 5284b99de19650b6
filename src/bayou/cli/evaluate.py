"""``bayou evaluate``: compare classifiers by cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import costs_from_text
from bayou.cli.learning.fit_classifier import MODELS
from bayou.cli.terminal.paths import check_output, require_table
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.cli.terminal.table_options import table_options
from bayou.errors import UnknownState, UnknownVariable

if TYPE_CHECKING:
    from bayou.estimators.evaluation.evaluation_result import Evaluation

EXAMPLES = """\b
Examples:
  bayou evaluate patients.csv --target ill
  bayou evaluate patients.csv --target ill --models nb,tan,aode,kdb --folds 5 --seed 1
  bayou evaluate patients.csv --target ill --ignore id --json
  bayou evaluate patients.csv --target ill --weights visits --curves ill.png --of yes
  bayou evaluate patients.csv --target ill --costs treat=yes:1,no:5 --costs wait=yes:50,no:0
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
@click.option("--weights", metavar="COLUMN", help="A column with the weight of each row.")
@click.option(
    "--costs",
    multiple=True,
    metavar="ACTION=CLASS:COST,...",
    help="What an action costs in each class; the mean cost of a row is then a score. Once per action.",
)
@click.option("--curves", metavar="FILE", help="Draw ROC and precision-recall curves (.png, .svg or .pdf).")
@click.option("--of", metavar="CLASS", help="The class of the curves.  [default: the second of two]")
@table_options
@json_option
def evaluate(data: str, target: str, as_json: bool, curves: str | None, of: str | None, **how: Any) -> None:
    """Compare classifiers on DATA by stratified cross-validation, all of them on the same folds.

    Reports accuracy, balanced accuracy (the mean recall of the classes), AUC and F1 (means over the classes),
    log-loss (nats), Brier score, expected calibration error and seconds. The last line predicts the class
    shares for every row: a star marks the best of each column if it is better than that, and no class is
    tiny. With fewer than five rows per fold, leave-one-out is used instead. Rows without a label are skipped.
    Classes and confusion are those of the classifier with the smallest log-loss. How far others are behind
    it is told with the standard error of the difference, row by row. With --costs every row gets the action
    of least expected cost; which ones the rows of each class got is shown of the cheapest classifier.
    """
    if not is_piped(data):
        require_table(data)
    if curves is not None:
        check_output(curves, (".png", ".svg", ".pdf"), [data], force=False)
    elif of is not None:
        raise click.UsageError("--of names the class of the --curves: name a file for them.")
    with progress("Cross-validating"), table_file(data) as path:
        result = _judged(path, target, **how)
    if curves is not None:
        _draw(result, _class_of(result, of), curves)
    if as_json:
        print_json({**result.to_dict(), **({} if curves is None else {"picture": curves})})
        return
    screen = Screen()
    for number, table in enumerate(result.tables):
        if number:
            screen.text("")
        screen.table(table)
    if curves is not None:
        screen.text("", f"Drawn in {curves}")


def _judged(
    path: str,
    target: str,
    models: str,
    folds: int,
    seed: int,
    ignore: tuple[str, ...],
    weights: str | None,
    costs: tuple[str, ...],
) -> Evaluation:
    """Cross-validate the named classifiers on a table."""
    from bayou.estimators.evaluation.evaluate import evaluate as judge
    from bayou.sources import FileSource
    from bayou.sources.files.file_kinds import open_file

    by_action = costs_from_text(costs)
    chosen = list(dict.fromkeys(word.strip() for word in models.split(",") if word.strip()))
    names = open_file(path).names
    for name in ignore:
        if name not in names:
            raise UnknownVariable.named(name, names, "to ignore")
    rows = FileSource(path, [name for name in names if name not in ignore]) if ignore else path
    return judge(chosen, rows, target, folds=folds, seed=seed, weights=weights, costs=by_action)


def _class_of(result: Evaluation, text: str | None) -> Any:
    """Return the class that a text names; None for the default."""
    if text is None:
        return None
    for state in result.classes:
        if str(state) == text:
            return state
    raise UnknownState.of(result.target, text, result.classes)


def _draw(result: Evaluation, of: Any, path: str) -> None:
    """Draw the ROC and the precision-recall curves of all classifiers, side by side."""
    from bayou.plots.canvas import side_by_side

    figure, (left, right) = side_by_side(2, (9.6, 4.8))
    result.roc_plot(of, left)
    result.precision_recall_plot(of, right)
    figure.savefig(path)
