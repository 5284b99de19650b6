"""All operations by name."""

from __future__ import annotations

from bayou.server.operations.beliefs import BELIEFS
from bayou.server.operations.operation import Operation
from bayou.server.operations.questions import QUESTIONS
from bayou.server.operations.reasons import REASONS
from bayou.server.operations.tables import TABLE

OPERATIONS: dict[str, Operation] = {
    operation.name: operation for operation in (BELIEFS, *QUESTIONS, *REASONS, TABLE)
}
