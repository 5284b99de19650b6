"""``bayou predict``: the class of every row of a table."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.arguments import known_name
from bayou.cli.terminal.paths import TABLES, check_output, force_option, load_model, require_file
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json, tell_note
from bayou.cli.terminal.streams import strict_output
from bayou.documents.predictors import (
    ClassifierPredictor,
    NetworkPredictor,
    Predictor,
    column_notes,
    row_stretches,
)
from bayou.errors import BadQuestion, listed

if TYPE_CHECKING:
    from bayou.documents.scored_answers import ScoreTally
    from bayou.typing import FloatArray

EXAMPLES = """\b
Examples:
  bayou predict ill.bayou new.csv > answers.csv
  bayou predict ill.bayou new.csv --proba -o answers.parquet
  bayou predict ill.bayou test.csv --target ill -o answers.csv    (also scores the answers)
  bayou predict asia.bif patients.csv --target lung --proba       (any network will do)
"""


@click.command(short_help="Predict the class of every row of a table.", epilog=EXAMPLES)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@click.option(
    "-o", "--output", metavar="FILE", help="Write here (.csv, .tsv, also .gz, .parquet).  [standard output]"
)
@click.option("--proba", is_flag=True, help="A column with the probability of each class, too.")
@click.option(
    "--target",
    metavar="NAME",
    help="For a classifier: the column of DATA that holds the true class, to score by. For a network: the "
    "variable to predict (scored where DATA has it).",
)
@force_option
@json_option
def predict(
    model: str, data: str, output: str | None, proba: bool, target: str | None, force: bool, as_json: bool
) -> None:
    """Predict the class of every row of DATA with MODEL, a classifier (.bayou) or a network of any format.

    Writes the rows of DATA with one more column, predicted_<target>. Columns are found by name: one that is
    missing counts as a gap in every row, others are not used. Large files are read some rows at a time.
    """
    if not is_piped(data):
        require_file(data)
    if output is not None:
        check_output(output, TABLES, [model, data], force)
    predictor = _predictor(load_model(model), target, model)
    with progress("Predicting"), table_file(data) as path:
        run = _PredictionPass(predictor, path, target, proba)
        for note in run.notes:
            tell_note(note)
        if output is not None:
            run.write(output)
        elif as_json:
            run.collect()
        else:
            run.print()
    _report(run, output, as_json)


def _predictor(model: Any, target: str | None, path: str) -> Predictor:
    """Wrap a loaded model; a network needs ``--target`` to know which variable to predict."""
    if hasattr(model, "classes_"):
        predictor = ClassifierPredictor(model)
        if target is not None and target in map(str, predictor.features):
            raise BadQuestion(
                f"--target {target}: {target!r} is a feature of {path}; answers are scored by the column "
                f"that holds the true {predictor.target}."
            )
        return predictor
    if target is None:
        raise BadQuestion(
            f"{path} is a network: say which variable to predict with --target; its variables are "
            f"{listed(model.names)}."
        )
    return NetworkPredictor(model, known_name(model, target))


class _PredictionPass:
    """One pass over a table."""

    def __init__(self, predictor: Predictor, path: str, target: str | None, proba: bool) -> None:
        from bayou.documents.scored_answers import ScoreTally
        from bayou.sources.files.file_kinds import open_file

        self.predictor, self.path, self.proba = predictor, path, proba
        columns = open_file(path).names
        classifies = hasattr(predictor, "model")
        there = target is not None and target in {str(name) for name in columns}
        self.truth = target if classifies or there else None
        self.notes = column_notes(predictor, columns, self.truth)
        self.tally: ScoreTally | None = None if self.truth is None else ScoreTally(predictor.classes)
        self.rows, self.impossible = 0, 0
        self.collected: list[FloatArray] = []
        self.taken = {str(name) for name in columns}

    def answers(self) -> Iterator[FloatArray]:
        """The probabilities of each stretch of rows; scored on the way where there is something to go by."""
        from bayou.documents.scored_answers import lost_rows
        from bayou.sources import Columns

        names = [*self.predictor.features, *([self.truth] if self.truth else [])]
        text = list(self.predictor.text)
        if self.truth and all(isinstance(state, str) for state in self.predictor.classes):
            text.append(self.truth)
        for first, part in row_stretches(self.path, names, text):
            known = [name for name in part.names if name in self.predictor.features]
            said = self.predictor.proba(Columns(known, [part[name] for name in known], part.rows), first)
            self.rows += part.rows
            self.impossible += lost_rows(said)
            if self.tally is not None and self.truth is not None:
                self.tally.add(part.coded(self.truth), said)
            yield said

    def collect(self) -> None:
        """Keep everything, for JSON."""
        self.collected = list(self.answers())

    def write(self, output: str) -> None:
        """The rows of the table with the answers beside them, as a file."""
        from bayou.documents.scored_answers import answer_columns
        from bayou.schema import Variable
        from bayou.sources.output.imputed_file import write_appended
        from bayou.sources.output.result_file import sql_type

        kind = sql_type(Variable(self.predictor.target, self.predictor.classes))
        count = len(self.predictor.classes) if self.proba else 0
        classes = self.predictor.classes
        stretches = (answer_columns(said, classes, kind, self.proba) for said in self.answers())
        write_appended(self.path, output, self._names(), [kind, *["DOUBLE"] * count], stretches)

    def print(self) -> None:
        """The same on standard output, as CSV."""
        with tempfile.TemporaryDirectory(prefix="bayou-") as folder:
            answers = Path(folder) / "answers.csv"
            self.write(str(answers))
            strict_output()
            with answers.open(encoding="utf-8", newline="") as file:
                shutil.copyfileobj(file, sys.stdout)

    def _names(self) -> list[str]:
        from bayou.schema import label

        target = label(self.predictor.target)
        wanted = [f"predicted_{target}"]
        if self.proba:
            wanted += [f"P({target}={label(state)})" for state in self.predictor.classes]
        names: list[str] = []
        for name in wanted:
            while name in self.taken:  # the table may hold the answers of another model
                name = f"{name}'"
            names.append(name)
            self.taken.add(name)
        return names


def _report(run: _PredictionPass, output: str | None, as_json: bool) -> None:
    scores = None if run.tally is None else run.tally.scores()
    if run.impossible:
        tell_note(f"{run.impossible:,} rows are impossible under the network and have no prediction.")
    if as_json:
        print_json(_document(run, scores, output))
        return
    lines = [] if run.tally is None else run.tally.lines()
    if output is None:
        # Standard output holds the table and nothing else.
        for line in lines:
            click.echo(line, err=True)
        return
    screen = Screen()
    screen.text(f"Predicted {run.predictor.target} of {run.rows:,} rows.", style="bold green")
    screen.text(*lines)
    if scores is not None:
        screen.text("")
        screen.table(scores.confusion.to_table())
        screen.text("")
    screen.text(f"Saved to {output}")


def _document(run: _PredictionPass, scores: Any, output: str | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "target": run.predictor.target,
        "classes": run.predictor.classes,
        "rows": run.rows,
        "saved": output,
        "notes": run.notes,
    }
    if output is None:
        from bayou.documents.scored_answers import winners

        classes = run.predictor.classes
        document["predictions"] = [state for said in run.collected for state in winners(said, classes)]
        if run.proba:
            document["probabilities"] = [row for said in run.collected for row in said.tolist()]
    if scores is not None and run.tally is not None:
        document["scores"] = {**scores.to_dict(), "unlabelled": run.tally.unlabelled}
    return document
