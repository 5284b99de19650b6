"""``bayou predict``: predict the class of every row of a table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import known_name
from bayou.cli.terminal.paths import TABLES, check_output, force_option, load_model, require_table
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json, tell_note
from bayou.cli.terminal.streams import strict_output
from bayou.cli.terminal.table_options import table_options
from bayou.documents.predictors import (
    ClassifierPredictor,
    NetworkPredictor,
    Predictor,
    column_notes,
    row_stretches,
)
from bayou.errors import BadQuestion, counted, listed

if TYPE_CHECKING:
    from bayou.documents.scored_answers import ScoreTally
    from bayou.typing import FloatArray

EXAMPLES = """\b
Examples:
  bayou predict ill.bayou new.csv > answers.csv
  bayou predict ill.bayou new.csv --proba -o answers.parquet
  bayou predict ill.bayou test.csv --target ill -o answers.csv    (also scores the answers)
  bayou predict asia.bif patients.csv --target lung --proba       (any network file)
"""


@click.command(short_help="Predict the class of every row of a table.", epilog=EXAMPLES)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@click.option(
    "-o", "--output", metavar="FILE", help="Write here (.csv, .tsv, also .gz, .parquet).  [standard output]"
)
@click.option("--proba", is_flag=True, help="Add a column with the probability of each class.")
@click.option(
    "--target",
    metavar="NAME",
    help="For a classifier: the column of DATA that holds the true class, to score by. For a network: the "
    "variable to predict (scored where DATA has it).",
)
@force_option
@table_options
@json_option
def predict(
    model: str, data: str, output: str | None, proba: bool, target: str | None, force: bool, as_json: bool
) -> None:
    """Predict the class of every row of DATA with MODEL, a classifier (.bayou) or a network of any format.

    Writes the rows of DATA with one more column, predicted_<target>. Columns are found by name: a missing
    column counts as a gap in every row, other columns are not used; misspelt columns, and a table with none
    or nearly none of the model's columns, are errors. Large files are read in parts.
    """
    if not is_piped(data):
        require_table(data)
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
    """One pass over a table that predicts every row and, if possible, scores the predictions."""

    def __init__(self, predictor: Predictor, path: str, target: str | None, proba: bool) -> None:
        from bayou.documents.scored_answers import ScoreTally
        from bayou.sources.files.file_kinds import open_file

        self.predictor, self.path, self.proba = predictor, path, proba
        columns = open_file(path).names
        classifies = hasattr(predictor, "model")
        has_target = target is not None and target in {str(name) for name in columns}
        self.truth = target if classifies or has_target else None
        self.notes = column_notes(predictor, columns, self.truth)
        self.tally: ScoreTally | None = None if self.truth is None else ScoreTally(predictor.classes)
        self.rows, self.impossible = 0, 0
        self.collected: list[FloatArray] = []
        self.taken = {str(name) for name in columns}

    def answers(self) -> Iterator[FloatArray]:
        """Yield the probabilities of some rows at a time; they are scored if the true classes are known."""
        from bayou.documents.scored_answers import impossible_rows
        from bayou.sources import Columns

        names = [*self.predictor.features, *([self.truth] if self.truth else [])]
        text = list(self.predictor.text)
        if self.truth and all(isinstance(state, str) for state in self.predictor.classes):
            text.append(self.truth)
        for first, part in row_stretches(self.path, names, text):
            features = [name for name in part.names if name in self.predictor.features]
            columns = Columns(features, [part[name] for name in features], part.rows)
            probabilities = self.predictor.proba(columns, first)
            self.rows += part.rows
            self.impossible += impossible_rows(probabilities)
            if self.tally is not None and self.truth is not None:
                self.tally.add(part.coded(self.truth), probabilities)
            yield probabilities

    def collect(self) -> None:
        """Predict all rows and keep the probabilities, for JSON."""
        self.collected = list(self.answers())

    def write(self, output: str) -> None:
        """Write the rows of the table with the predictions to a file."""
        from bayou.documents.scored_answers import answer_columns
        from bayou.schema import Variable
        from bayou.sources.output.imputed_file import write_appended
        from bayou.sources.output.result_file import sql_type

        kind = sql_type(Variable(self.predictor.target, self.predictor.classes))
        count = len(self.predictor.classes) if self.proba else 0
        classes = self.predictor.classes
        parts = (answer_columns(part, classes, kind, self.proba) for part in self.answers())
        write_appended(self.path, output, self._names(), [kind, *["DOUBLE"] * count], parts)

    def print(self) -> None:
        """Write the rows with the predictions to standard output, as CSV."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="bayou-") as folder:
            answers = Path(folder) / "answers.csv"
            self.write(str(answers))
            strict_output()
            with answers.open(encoding="utf-8", newline="") as file:
                shutil.copyfileobj(file, sys.stdout)

    def _names(self) -> list[str]:
        """Return the names of the new columns; a prime is added to names that the table has already."""
        from bayou.schema import label

        target = label(self.predictor.target)
        columns = [f"predicted_{target}"]
        if self.proba:
            columns += [f"P({target}={label(state)})" for state in self.predictor.classes]
        names: list[str] = []
        for name in columns:
            while name in self.taken:  # the table may have the predictions of another model
                name = f"{name}'"
            names.append(name)
            self.taken.add(name)
        return names


def _report(run: _PredictionPass, output: str | None, as_json: bool) -> None:
    scores = None if run.tally is None else run.tally.scores
    if run.impossible:
        tell_note(f"Impossible under the network, so without a prediction: {counted(run.impossible, 'row')}.")
    if as_json:
        print_json(_document(run, scores, output))
        return
    lines = [] if run.tally is None else run.tally.lines()
    if output is None:
        # Only the table goes to standard output.
        for line in lines:
            click.echo(line, err=True)
        return
    screen = Screen()
    screen.text(f"Predicted {run.predictor.target} of {counted(run.rows, 'row')}.", style="bold green")
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
        from bayou.documents.scored_answers import most_probable_classes

        classes = run.predictor.classes
        parts = run.collected
        document["predictions"] = [c for part in parts for c in most_probable_classes(part, classes)]
        if run.proba:
            document["probabilities"] = [row for part in parts for row in part.tolist()]
    if scores is not None and run.tally is not None:
        document["scores"] = {**scores.to_dict(), "unlabelled": run.tally.unlabelled}
    return document
