"""What a worker process does with many rows: it reads a file, and writes the answers to another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from bayou.documents.predictors import ClassifierPredictor, column_notes, row_stretches
from bayou.documents.scored_answers import answer_columns, most_probable_classes
from bayou.errors import BadQuestion, BayouError, listed
from bayou.schema import Variable, label
from bayou.server.messages import Message, Value, encoded, known_names
from bayou.server.models.given_rows import MOST_ROWS, columns_given
from bayou.server.models.kinds import CLASSIFIER, NETWORK, kind_of
from bayou.server.models.predictions import features_of, rows_of_shares
from bayou.server.models.told_notes import told_notes
from bayou.server.operations.operation import Operation
from bayou.server.operations.request_bodies import decoded
from bayou.server.problems import Problem
from bayou.server.rows.forms import RowsAnswer, RowsRequest, RowTarget, Unknown
from bayou.server.rows.growing_answers import GrowingAnswers, Part, arrow_columns, csv_columns
from bayou.server.tables.reading import unpacked_table
from bayou.typing import FloatArray, Name, State

Format = Literal["json", "csv", "arrow"]


class RowsTask(Message):
    """What a worker is told: where the rows are, what is asked, and where the answers are wanted."""

    file: str
    is_json: bool
    targets: list[Value]
    unknown: Unknown
    save_to: str
    format: Format
    most_bytes: int


class RowsTaskDone(Message):
    """The answers are where they were wanted."""

    notes: list[str]


def answer_rows(model: Any, task: RowsTask) -> RowsTaskDone:
    """Answer for every row of a file."""
    path = Path(task.file)
    try:
        asked = _asked(path, task)
        with told_notes() as notes:
            make = _of_network if kind_of(model) == NETWORK else _of_classifier
            _write(make(model, asked, task), task, notes)
        return RowsTaskDone(notes)
    except BayouError as error:
        places = (str(path), path.name, str(path.with_suffix("")), path.stem)
        text = str(error)
        for place in places:
            text = text.replace(place, "the table")
        raise type(error)(text) from None


@dataclass(frozen=True)
class AskedRows:
    """Rows in a file or in memory, the targets, and the rule for values never seen."""

    data: Any
    targets: list[Value]
    unknown: Unknown


@dataclass(frozen=True)
class AnsweredColumns:
    """Answers in columns: their names, their types in SQL, and the rows, some at a time."""

    names: list[str]
    types: list[str]
    parts: Iterator[Part]


def _write(answers: RowsAnswer | AnsweredColumns, task: RowsTask, notes: list[str]) -> None:
    """Write the answers to the file where they are wanted."""
    file = GrowingAnswers(Path(task.save_to), notes)
    if isinstance(answers, RowsAnswer):
        answers.notes = notes
        file.hidden.write_bytes(msgspec.json.encode(answers))
    else:
        opened = csv_columns if task.format == "csv" else arrow_columns
        with opened(file.hidden, answers.names, answers.types) as columns:
            file.write_all(columns, answers.parts)
    file.show()


def _asked(path: Path, task: RowsTask) -> AskedRows:
    if not task.is_json:
        return AskedRows(str(unpacked_table(path, task.most_bytes)), task.targets, task.unknown)
    from bayou.sources import read_columns

    request = decoded(path.read_bytes(), RowsRequest)
    data = read_columns(columns_given(request.columns, request.rows))
    unknown: Unknown = "error" if "error" in (task.unknown, request.unknown) else "missing"
    return AskedRows(data, [*task.targets, *request.targets], unknown)


def _of_network(net: Any, asked: AskedRows, task: RowsTask) -> RowsAnswer | AnsweredColumns:
    names = known_names(net, asked.targets)
    if not names or len(set(names)) < len(names):
        raise BadQuestion(f"Name at least one target, each once; the variables are {listed(net.names)}.")
    for name in names:
        if net.variables[name].is_continuous:
            raise BadQuestion(f"{label(name)!r} is continuous, and only variables with states have rows.")
    if task.format == "json":
        found = net.posterior(_few(asked.data), names, unknown=asked.unknown)
        targets = [_target(name, net.states(name), found[name]) for name in names]
        logs = [None if log != log or np.isinf(log) else log for log in found.log_evidence.tolist()]
        return RowsAnswer(found.rows, targets, logs, [])
    from bayou.models.rows.row_answers import posterior_parts
    from bayou.models.rows.row_posteriors import posterior_columns

    columns = posterior_columns(net.frozen.schema, names, False)
    parts = posterior_parts(net.frozen, asked.data, names, asked.unknown)
    return AnsweredColumns(columns, ["DOUBLE"] * len(columns), parts)


def _of_classifier(model: Any, asked: AskedRows, task: RowsTask) -> RowsAnswer | AnsweredColumns:
    predictor = ClassifierPredictor(model)
    if any(target != encoded(predictor.target) for target in asked.targets):
        raise BadQuestion(f"This classifier predicts {label(predictor.target)!r}: leave the targets out.")
    if asked.unknown == "error":
        raise BadQuestion(
            "unknown=error is for networks: a classifier keeps the rule for values never seen that it was "
            "made with. Leave unknown out."
        )
    parts = _predicted(predictor, asked)
    if task.format == "json":
        _few(asked.data)
        shares = np.concatenate([np.empty((0, len(predictor.classes))), *parts])
        return RowsAnswer(len(shares), [_target(predictor.target, predictor.classes, shares)], None, [])
    from bayou.sources.output.result_file import sql_type

    target = label(predictor.target)
    names = [f"predicted_{target}", *(f"P({target}={label(state)})" for state in predictor.classes)]
    kind = sql_type(Variable(predictor.target, predictor.classes))
    types = [kind, *["DOUBLE"] * len(predictor.classes)]
    written = (answer_columns(part, predictor.classes, kind, proba=True) for part in parts)
    return AnsweredColumns(names, types, written)


def _predicted(predictor: ClassifierPredictor, asked: AskedRows) -> Iterator[FloatArray]:
    """The probabilities of some rows at a time."""
    from bayou.errors import warn_user
    from bayou.sources.files.file_kinds import open_file

    data = asked.data
    is_file = isinstance(data, str)
    for note in column_notes(predictor, open_file(data).names if is_file else data.names, None):
        warn_user(note)
    if not is_file:
        yield predictor.proba(features_of(predictor, data), 0)
        return
    for first, part in row_stretches(data, list(predictor.features), predictor.text):
        yield predictor.proba(features_of(predictor, part), first)


def _few(data: Any) -> Any:
    """The data, if they have few enough rows for an answer in JSON."""
    from bayou.sources import open_source, row_tables

    seen = 0
    for part in row_tables(open_source(data)):
        seen += part.rows
        if seen > MOST_ROWS:
            raise Problem(
                413,
                "too-large",
                f"JSON answers have at most {MOST_ROWS:,} rows: accept text/csv, or an Arrow stream.",
            )
    return data


def _target(name: Name, states: tuple[State, ...], shares: FloatArray) -> RowTarget:
    best = most_probable_classes(shares, states)
    return RowTarget(
        encoded(name),
        [encoded(state) for state in states],
        [None if state is None else encoded(state) for state in best],
        rows_of_shares(shares),
    )


ANSWER_ROWS = Operation(
    "answer-rows",
    "Posteriors of many rows",
    RowsTask,
    RowsTaskDone,
    answer_rows,
    kinds=(NETWORK, CLASSIFIER),
    address="rows",
)
"""An operation for worker processes only: ``POST /v1/models/{model}/rows`` is its address."""
