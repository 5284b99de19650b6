"""The description of the API for programs: OpenAPI 3.1, made from the forms of requests and answers."""

from __future__ import annotations

from typing import Any

import msgspec

from bayou.server.exports import FORMATS
from bayou.server.operations.operation import Operation
from bayou.server.operations.registry import OPERATIONS
from bayou.server.problems import MEDIA_TYPE
from bayou.version import __version__

_JSON = "application/json"
_MODEL = {
    "name": "model",
    "in": "path",
    "required": True,
    "description": "The name of a served model, or a revision (32 hexadecimal digits).",
    "schema": {"type": "string"},
}
_PROBLEM = {
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
_STATUS = {
    400: "The body is not JSON",
    401: "A token is needed",
    403: "Asked from another site, or not allowed",
    404: "There is no such model",
    408: "The body did not arrive in time",
    413: "The body is too large",
    415: "Another content type is needed",
    421: "Asked under a foreign name",
    422: "The question cannot be answered; the sentence says why",
    503: "Too many questions at once; Retry-After says when to come again",
    504: "The question took too long, and was stopped",
    507: "The question needed too much memory, and was stopped",
}


def description() -> dict[str, Any]:
    """The whole description as a document."""
    forms = [form for each in OPERATIONS.values() for form in (each.request, each.response)]
    schemas, parts = msgspec.json.schema_components(forms, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for place, operation in enumerate(OPERATIONS.values()):
        paths[f"/v1/models/{{model}}/{operation.name}"] = {
            "post": _described(operation, schemas[2 * place], schemas[2 * place + 1])
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "bayou",
            "version": __version__,
            "summary": "Ask Bayesian networks over HTTP",
        },
        "paths": {**_fixed_paths(), **paths},
        "components": {
            "schemas": {**parts, "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _described(operation: Operation, request: Any, response: Any) -> dict[str, Any]:
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [_MODEL],
        "requestBody": {"required": True, "content": {_JSON: {"schema": request}}},
        "responses": {
            "200": {"description": operation.summary, "content": {_JSON: {"schema": response}}},
            **_problems(400, 401, 403, 404, 408, 413, 415, 421, 422, 503, 504, 507),
        },
    }


def _problems(*statuses: int) -> dict[str, Any]:
    schema = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {str(status): {"description": _STATUS[status], "content": schema} for status in statuses}


def _fixed_paths() -> dict[str, Any]:
    """The addresses that are no questions about one model."""
    models = {"type": "object", "description": "The models by name, and the gallery."}
    revision = {"type": "object", "required": ["revision"], "properties": {"revision": {"type": "string"}}}
    network = {"type": "object", "description": "Variables with states and places, arcs with their curves."}
    lost = {"type": "object", "properties": {"losses": {"type": "array", "items": {"type": "string"}}}}
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    upload = {"required": True, "content": {"application/octet-stream": {"schema": {}}}}
    return {
        "/v1/models": {
            "get": _simple("models", "The models of this server, and the gallery", models, 401, 421),
            "post": {
                **_simple(
                    "open",
                    "Open a network from the bytes of a file",
                    revision,
                    401,
                    403,
                    408,
                    413,
                    415,
                    421,
                    422,
                    503,
                    status="201",
                ),
                "requestBody": upload,
            },
        },
        "/v1/gallery/{name}": {
            "post": {
                **_simple("exhibit", "Open one of the gallery", revision, 401, 403, 404, 421, status="201"),
                "parameters": [name],
            }
        },
        "/v1/models/{model}": {
            "get": {
                **_simple("model", "A network and its drawing", network, 401, 404, 421, 422, 503),
                "parameters": [_MODEL],
            }
        },
        "/v1/models/{model}/losses": {
            "get": {
                **_simple("losses", "What a format cannot hold", lost, 401, 404, 421, 422, 503),
                "parameters": [_MODEL, _format()],
            }
        },
        "/v1/models/{model}/file": {
            "get": {
                **_simple("file", "The network as a file", {}, 401, 404, 421, 422, 503, kind="*/*"),
                "parameters": [_MODEL, _format()],
            }
        },
    }


def _format() -> dict[str, Any]:
    return {"name": "format", "in": "query", "required": True, "schema": {"enum": list(FORMATS)}}


def _simple(
    operation: str, summary: str, schema: Any, *problems: int, status: str = "200", kind: str = _JSON
) -> dict[str, Any]:
    answer = {"description": summary, "content": {kind: {"schema": schema}}}
    return {
        "operationId": operation,
        "summary": summary,
        "responses": {status: answer, **_problems(*problems)},
    }
