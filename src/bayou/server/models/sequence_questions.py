"""Questions about sequences: hidden Markov models, dynamic networks and linear Gaussian series."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from bayou.documents.sequence_answers import decoded_columns, forecast_columns, slice_columns, state_columns
from bayou.server.messages import Message, Value, decoded, encoded
from bayou.server.models.given_rows import GivenRows, columns_given
from bayou.server.models.kinds import DYNAMIC, HMM, KALMAN, SEQUENCES, kind_of
from bayou.server.models.told_notes import told_notes
from bayou.server.operations.operation import Operation

MOST_STEPS = 10_000


class SequencesRequest(GivenRows):
    """Rows of sequences: ``sequence`` names the column that tells them apart, ``time`` that of their order.

    Without these all rows are one sequence in the order in which they stand.
    """

    sequence: Value | None = None
    time: Value | None = None


class DecodeRequest(SequencesRequest):
    """The most probable path as a whole, or the most probable state of each row."""

    method: Literal["viterbi", "posterior"] = "viterbi"


class ForecastRequest(SequencesRequest):
    """How many steps after the last row of each sequence."""

    steps: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 1


class SequencesAnswer(Message):
    """A table: the names of its columns, and its rows, in the order of the rows that were sent."""

    columns: list[str]
    rows: list[list[Any]]
    approximate: bool
    notes: list[str]


class ScoreAnswer(Message):
    """The natural logarithm of the probability of each sequence, and of all; null: impossible."""

    log_probability: float | None
    sequences: list[Any]
    log_probabilities: list[float | None]
    approximate: bool
    notes: list[str]


def filtered(model: Any, request: SequencesRequest) -> SequencesAnswer:
    """What is known at each row, given this row and those before it."""
    return _beliefs(model, request, "filter")


def smoothed(model: Any, request: SequencesRequest) -> SequencesAnswer:
    """What is known about each row, given all rows of its sequence."""
    return _beliefs(model, request, "smooth")


def _beliefs(model: Any, request: SequencesRequest, what: str) -> SequencesAnswer:
    data, keys = _given(request)
    with told_notes() as notes:
        if kind_of(model) == KALMAN:
            columns = state_columns(model, data, keys, what)
        elif kind_of(model) == DYNAMIC:
            from bayou.models.dynamic.row_answers import row_answers

            columns = row_answers(model, data, what, **keys)
        else:
            from bayou.models.sequences.decoded_rows import row_beliefs

            columns = row_beliefs(model, data, what, **keys)
    return _answer(columns, notes, any(head.startswith("error(") for head in columns))


def decode(model: Any, request: DecodeRequest) -> SequencesAnswer:
    """The hidden state of every row."""
    data, keys = _given(request)
    with told_notes() as notes:
        if kind_of(model) == DYNAMIC:
            columns = slice_columns(model, data, **keys, method=request.method, proba=False)
        else:
            columns = decoded_columns(model.decode_rows(data, **keys, method=request.method), proba=False)
    return _answer(columns, notes)


def forecast(model: Any, request: ForecastRequest) -> SequencesAnswer:
    """The steps after the last row of each sequence."""
    from bayou.models.sequences.input.sequence_input import sequence_names

    data, keys = _given(request)
    with told_notes() as notes:
        found = model.forecast(data, steps=request.steps, **keys)
        sequence = keys["sequence"]
        names = [None] if sequence is None else list(sequence_names(data, sequence))
    parts = [found] if sequence is None else found
    columns = forecast_columns(names, parts, sequence)
    return _answer(columns, notes, any(getattr(one, "approximate", False) for one in parts))


def score(model: Any, request: SequencesRequest) -> ScoreAnswer:
    """How probable each sequence is."""
    from bayou.models.sequences.input.sequence_input import sequence_names

    data, keys = _given(request)
    if not request.rows:
        return ScoreAnswer(0.0, [], [], False, [])
    with told_notes() as notes:
        logs = model.log_likelihoods(data, **keys)
        exact = kind_of(model) != DYNAMIC or model.answers_exactly(data, **keys)
        sequence = keys["sequence"]
        names = list(range(len(logs))) if sequence is None else list(sequence_names(data, sequence))
    return ScoreAnswer(float(logs.sum()), [encoded(name) for name in names], logs.tolist(), not exact, notes)


def _given(request: SequencesRequest) -> tuple[dict[Any, list[Any]], dict[str, Any]]:
    keys = {"sequence": request.sequence, "time": request.time}
    data = columns_given(request.columns, request.rows)
    return data, {key: None if name is None else decoded(name) for key, name in keys.items()}


def _answer(columns: dict[str, Any], notes: list[str], approximate: bool = False) -> SequencesAnswer:
    cells = ([encoded(cell) for cell in column] for column in columns.values())
    rows = [list(row) for row in zip(*cells, strict=True)]
    return SequencesAnswer([str(head) for head in columns], rows, approximate, notes)


SEQUENCE_QUESTIONS = (
    Operation(
        "filter",
        "What is known at each row, given the rows so far",
        SequencesRequest,
        SequencesAnswer,
        filtered,
        kinds=SEQUENCES,
    ),
    Operation(
        "smooth",
        "What is known about each row, given all rows",
        SequencesRequest,
        SequencesAnswer,
        smoothed,
        kinds=SEQUENCES,
    ),
    Operation(
        "decode",
        "The hidden state of every row",
        DecodeRequest,
        SequencesAnswer,
        decode,
        kinds=(HMM, DYNAMIC),
    ),
    Operation(
        "forecast",
        "The steps after the last row",
        ForecastRequest,
        SequencesAnswer,
        forecast,
        kinds=SEQUENCES,
    ),
    Operation(
        "score", "How probable each sequence is", SequencesRequest, ScoreAnswer, score, kinds=SEQUENCES
    ),
)
