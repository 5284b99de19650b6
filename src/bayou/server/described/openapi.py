"""The description of the API for programs: OpenAPI 3.1, made from the forms of requests and answers.

``python -m bayou.server.described.openapi`` prints what ``tests/server/openapi-v1.json`` keeps, against
changes that nobody meant.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import Any

import msgspec

from bayou.server.described.learning import LEARNING_FORMS, learning_paths
from bayou.server.described.parts import JSON, MODEL, PROBLEM, any_of, problem_answers, problems, simple
from bayou.server.drawing import DRAWING, DrawingRequest
from bayou.server.edits.editing import EditsAnswer, EditsRequest
from bayou.server.files.exports import FORMATS
from bayou.server.files.saving import SaveAnswer, SaveRequest
from bayou.server.operations.operation import Operation
from bayou.server.operations.registry import OPERATIONS, by_address
from bayou.version import __version__

_NETWORK = {"type": "object", "description": "Variables with states and places, arcs with their curves."}
_EVERYWHERE = (400, 403, 405, 421, 500, 503)
_WITH_BODIES = (408, 413)
_BY_WORKERS = (504, 507)


@cache
def description_bytes(prefix: str) -> bytes:
    """The description as it is sent, of a server below a path; made once, since that takes a while."""
    return msgspec.json.encode(description(prefix))


def description(prefix: str = "") -> dict[str, Any]:
    """The whole description as a document, of a server below the path ``prefix``."""
    forms: list[Any] = [form for each in OPERATIONS.values() for form in (each.request, each.response)]
    forms += [*LEARNING_FORMS, SaveRequest, SaveAnswer, EditsRequest, EditsAnswer, DrawingRequest]
    schemas, parts = msgspec.json.schema_components(forms, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    forms_of = {
        operation.name: schemas[2 * place : 2 * place + 2]
        for place, operation in enumerate(OPERATIONS.values())
    }
    for address, operations in by_address().items():
        described = _described(operations, [forms_of[operation.name] for operation in operations])
        paths[f"/v1/models/{{model}}/{address}"] = {"post": described}
    save, saved, edits, edited, drawing = schemas[-5:]
    paths["/v1/models/{model}/save"] = {"post": _saving(save, saved)}
    paths["/v1/models/{model}/drawing"] = {"post": _described([DRAWING], [[drawing, _NETWORK]])}
    learning = learning_paths(dict(zip(LEARNING_FORMS, schemas[2 * len(OPERATIONS) :], strict=False)))
    described = {**_fixed_paths(edits), **_editing(edits, edited), **paths, **learning, **_server_paths()}
    for path, methods in described.items():
        for method, operation in methods.items():
            _complete(path, method, operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "bayou",
            "version": __version__,
            "summary": "Ask Bayesian networks and other models over HTTP",
        },
        "servers": [{"url": prefix or "/"}],
        "paths": described,
        "components": {
            "schemas": {**parts, "Problem": PROBLEM},
            "responses": problem_answers(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _described(operations: list[Operation], forms: list[Any]) -> dict[str, Any]:
    """The question of an address; models of different kinds may be asked in different forms."""
    requests, responses = zip(*forms, strict=True)
    first = operations[0]
    kinds = ", ".join(kind for operation in operations for kind in operation.kinds)
    return {
        "operationId": first.asked_as,
        "summary": first.summary,
        "description": f"For models of the kinds: {kinds}.",
        "parameters": [MODEL],
        "requestBody": {"required": True, "content": {JSON: {"schema": any_of(requests)}}},
        "responses": {
            "200": {"description": first.summary, "content": {JSON: {"schema": any_of(responses)}}},
            **problems(400, 401, 403, 404, 408, 413, 415, 421, 422, 503, 504, 507),
        },
    }


def _saving(request: Any, response: Any) -> dict[str, Any]:
    summary = "Write the network back to the one file that the server was started with"
    return {
        **simple("save", summary, response, 400, 401, 403, 404, 409, 415, 421, 422),
        "parameters": [MODEL],
        "requestBody": {"required": True, "content": {JSON: {"schema": request}}},
    }


def _editing(edits: Any, edited: Any) -> dict[str, Any]:
    statuses = (400, 401, 403, 404, 408, 413, 415, 421, 422, 503, 504, 507)
    described = simple("edits", "A new revision of a network, by edits", edited, *statuses, status="201")
    body = {"required": True, "content": {JSON: {"schema": edits}}}
    return {"/v1/models/{model}/edits": {"post": {**described, "parameters": [MODEL], "requestBody": body}}}


def _fixed_paths(edits: Any) -> dict[str, Any]:
    """The addresses that are no questions about one model."""
    models = {"type": "object", "description": "The models by name, and the gallery."}
    revision = {"type": "object", "required": ["revision"], "properties": {"revision": {"type": "string"}}}
    lost = {"type": "object", "properties": {"losses": {"type": "array", "items": {"type": "string"}}}}
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    contents = {"application/octet-stream": {"schema": {}}, JSON: {"schema": edits}}
    upload = {"required": True, "content": contents}
    return {
        "/v1/models": {
            "get": simple("models", "The models of this server, and the gallery", models, 401, 421),
            "post": {
                **simple(
                    "open",
                    "Open a model from the bytes of a file, or begin a network by edits",
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
                **simple("exhibit", "Open one of the gallery", revision, 401, 403, 404, 421, status="201"),
                "parameters": [name],
            }
        },
        "/v1/models/{model}": {
            "get": {
                **simple(
                    "model",
                    "A network and its drawing, or the parts of another model",
                    _NETWORK,
                    401,
                    404,
                    421,
                    422,
                    503,
                ),
                "parameters": [MODEL],
            }
        },
        "/v1/models/{model}/losses": {
            "get": {
                **simple("losses", "What a format cannot hold", lost, 401, 404, 421, 422, 503),
                "parameters": [MODEL, _format()],
            }
        },
        "/v1/models/{model}/file": {
            "get": {
                **simple("file", "The model as a file", {}, 401, 404, 421, 422, 503, kind="*/*"),
                "parameters": [MODEL, _format()],
            }
        },
    }


def _server_paths() -> dict[str, Any]:
    """The addresses that are about the server itself; all but the numbers are open to everybody."""
    text, document = {"type": "string"}, {"type": "object", "required": ["openapi", "info", "paths"]}
    described = {
        "/healthz": simple("alive", "Whether the server runs", text, kind="text/plain"),
        "/readyz": simple("ready", "Whether the server answers questions", text, kind="text/plain"),
        "/openapi.json": simple("description", "This description", document),
        "/docs": simple("docs", "This description as a page", text, kind="text/html"),
    }
    for operation in described.values():
        operation["security"] = []
    described["/metrics"] = simple("metrics", "Numbers for Prometheus", text, 401, kind="text/plain")
    return {path: {"get": operation} for path, operation in described.items()}


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    """Add the problems that any address may have: the gate refuses, the server is full or wrong."""
    statuses = [*_EVERYWHERE, *(() if method == "get" else _WITH_BODIES)]
    statuses += _BY_WORKERS if path.startswith(("/v1/models", "/v1/tables")) else ()
    known = {**problems(*statuses), **operation["responses"]}
    operation["responses"] = dict(sorted(known.items()))


def _format() -> dict[str, Any]:
    return {"name": "format", "in": "query", "required": True, "schema": {"enum": list(FORMATS)}}


def stored_text() -> str:
    """The description as it is stored to be compared: without the version of the package."""
    document = description()
    del document["info"]["version"]
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(stored_text())
