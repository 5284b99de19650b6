"""Why a classifier gives a row its class: the ledger of log-odds, which adds up, and the working."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion
from bayou.server.messages import Message, Value, decoded, encoded
from bayou.server.models.kinds import CLASSIFIER
from bayou.server.models.told_notes import told_notes
from bayou.server.operations.operation import Operation


class RowCell(Message):
    """The value of one column; null is a gap."""

    column: Value
    value: Value | None


class ExplainRowRequest(Message):
    """One row; ``of`` is the class to explain (none: the most probable), ``against`` the one beside it."""

    row: list[RowCell]
    of: Value | None = None
    against: Value | None = None


class LedgerFinding(Message):
    """What one finding adds to the log-odds; ``left_out`` says why it adds nothing (missing, never seen)."""

    column: Any
    value: Any
    log_odds: float | None
    left_out: str | None
    behind: list[str]


class ClassShare(Message):
    """The probability of a class."""

    state: Any
    p: float


class ExplainRowAnswer(Message):
    """prior + findings + remainder = total, the log-odds of the class ``of`` against ``against``."""

    target: Any
    of: Any
    against: Any
    additive: bool
    weight: float
    prior: float | None
    findings: list[LedgerFinding]
    remainder: float | None
    total: float | None
    posterior: list[ClassShare]
    text: str
    working: str | None
    """The calculation in lines, for models that are a product of a factor for each finding."""
    notes: list[str]


def explain_row(model: Any, request: ExplainRowRequest) -> ExplainRowAnswer:
    """The ledger of one row."""
    row = {decoded(cell.column): None if cell.value is None else decoded(cell.value) for cell in request.row}
    if len(row) < len(request.row):
        raise BadQuestion("A column is given twice: give each column once.")
    of, against = (None if state is None else decoded(state) for state in (request.of, request.against))
    with told_notes() as notes:
        ledger = model.explain(row, of=of, against=against)
        try:
            working = str(model.working(row))
        except BadQuestion:  # the classifier is no product of factors
            working = None
    found = ledger.to_dict()
    findings = [
        LedgerFinding(
            encoded(entry["name"]),
            encoded(entry["value"]),
            entry["log_odds"],
            entry["left_out"],
            entry["behind"],
        )
        for entry in found["findings"]
    ]
    return ExplainRowAnswer(
        encoded(ledger.target),
        encoded(ledger.of),
        encoded(ledger.against),
        ledger.additive,
        ledger.weight,
        ledger.prior,
        findings,
        ledger.remainder,
        ledger.total,
        [ClassShare(encoded(state), p) for state, p in found["posterior"].items()],
        str(ledger),
        working,
        notes,
    )


EXPLAIN_ROW = Operation(
    "explain-row",
    "What each finding of a row adds for its class",
    ExplainRowRequest,
    ExplainRowAnswer,
    explain_row,
    address="explain",
    kinds=(CLASSIFIER,),
)
