"""The request and the answer of many rows in JSON; other formats have the same content in columns."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from bayou.server.messages import Message, Value
from bayou.server.models.given_rows import GivenRows

Unknown = Literal["missing", "error"]
"""What a value is that a network has never seen: a gap, or an error. Classifiers have their own rule."""


class RowsRequest(GivenRows):
    """Rows, and for a network the variables whose posterior is asked for (``targets``)."""

    targets: list[Value] = field(default_factory=list)
    unknown: Unknown = "missing"


class RowTarget(Message):
    """The posterior of one variable in each row: null for a row whose findings are impossible."""

    variable: Any
    states: list[Any]
    most_probable: list[Any]
    probabilities: list[list[float] | None]


class RowsAnswer(Message):
    """The posteriors of the targets; of a network also log P(findings) of each row (null: impossible)."""

    rows: int
    targets: list[RowTarget]
    log_probabilities: list[float | None] | None
    notes: list[str]
