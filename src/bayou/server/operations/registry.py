"""All operations by name, and those of one address by the kind of model."""

from __future__ import annotations

from bayou.errors import listed
from bayou.server.cases.case_files import CASE_FILES
from bayou.server.cases.row_list import ROW_LIST
from bayou.server.cases.testing import TEST
from bayou.server.edits.pasting import COPY
from bayou.server.models.kinds import with_article
from bayou.server.models.ledgers import EXPLAIN_ROW
from bayou.server.models.over_time.answering import OVER_TIME
from bayou.server.models.predictions import PREDICT
from bayou.server.models.sequence_questions import SEQUENCE_QUESTIONS
from bayou.server.operations.beliefs import BELIEFS
from bayou.server.operations.explanations import EXPLAIN
from bayou.server.operations.operation import Operation
from bayou.server.operations.pictures import PICTURES
from bayou.server.operations.questions import QUESTIONS
from bayou.server.operations.reasons import REASONS
from bayou.server.operations.separations import SEPARATION
from bayou.server.operations.tables import TABLE
from bayou.server.problems import Problem
from bayou.server.rows.answering import ANSWER_ROWS

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        BELIEFS,
        *QUESTIONS,
        EXPLAIN,
        SEPARATION,
        *REASONS,
        TABLE,
        *PICTURES,
        COPY,
        *CASE_FILES,
        TEST,
        ROW_LIST,
        PREDICT,
        EXPLAIN_ROW,
        *SEQUENCE_QUESTIONS,
        OVER_TIME,
    )
}


def by_address() -> dict[str, list[Operation]]:
    """The operations of each address: one for each form of the question.

    >>> [operation.kinds for operation in by_address()["explain"]]
    [('network',), ('classifier',)]
    """
    found: dict[str, list[Operation]] = {}
    for operation in OPERATIONS.values():
        found.setdefault(operation.asked_as, []).append(operation)
    return found


_CHOSEN = {(each.asked_as, kind): each for each in OPERATIONS.values() for kind in each.kinds}


def operation_for(address: str, kind: str) -> Operation:
    """The operation of an address for a kind of model; a problem names what this kind can be asked."""
    chosen = _CHOSEN.get((address, kind))
    if chosen is not None:
        return chosen
    asked = sorted({each.asked_as for each in (*OPERATIONS.values(), ANSWER_ROWS) if kind in each.kinds})
    raise Problem(
        422,
        "wrong-kind",
        f"This is {with_article(kind)}, which cannot be asked {address!r}. It can be asked: {listed(asked)}.",
    )
