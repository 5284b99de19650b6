"""What the descriptions of all addresses have in common: problems, bodies, answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayou.server.problems import MEDIA_TYPE

JSON = "application/json"
MODEL = {
    "name": "model",
    "in": "path",
    "required": True,
    "description": "The name of a served model, or a revision (32 hexadecimal digits).",
    "schema": {"type": "string"},
}
PROBLEM = {
    "type": "object",
    "description": "What went wrong, in a sentence that names it, and what to do (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "release": {
            "type": "array",
            "description": "For impossible findings: the smallest sets of them to release, the best first.",
        },
    },
}
STATUS = {
    400: "The request is not HTTP, or its body is not JSON",
    401: "A token is needed",
    403: "Asked from another site, or not allowed",
    404: "There is no such model, table or job",
    405: "This address is asked with another method",
    406: "The answer cannot have a type that the client accepts",
    408: "The body did not arrive in time",
    409: "The file has changed on disk; overwrite it, or download a copy",
    413: "The body is too large",
    415: "Another content type is needed",
    421: "Asked under a foreign name",
    422: "The question cannot be answered; the sentence says why",
    500: "A mistake of the server; its log says where",
    503: "Too many questions at once; Retry-After says when to come again",
    504: "The question took too long, and was stopped",
    507: "The question needed too much memory, and was stopped",
}


def problems(*statuses: int) -> dict[str, Any]:
    """The answers of these statuses."""
    return {str(status): {"$ref": f"#/components/responses/{status}"} for status in statuses}


def problem_answers() -> dict[str, Any]:
    """What each status of a problem means, for all addresses."""
    schema = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {str(status): {"description": said, "content": schema} for status, said in STATUS.items()}


def simple(
    operation: str, summary: str, schema: Any, *statuses: int, status: str = "200", kind: str = JSON
) -> dict[str, Any]:
    """The description of an address with one kind of answer, and these problems."""
    answer = {"description": summary, "content": {kind: {"schema": schema}}}
    return {
        "operationId": operation,
        "summary": summary,
        "responses": {status: answer, **problems(*statuses)},
    }


def any_of(schemas: Sequence[Any]) -> Any:
    """The form that is one of these."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def body_of(*schemas: tuple[str, Any]) -> dict[str, Any]:
    """A body that must be sent, in one of these types."""
    return {"required": True, "content": {kind: {"schema": schema} for kind, schema in schemas}}


def in_path(name: str, description: str) -> dict[str, Any]:
    """A part of the path."""
    schema = {"type": "string"}
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}
