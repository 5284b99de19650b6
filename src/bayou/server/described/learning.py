"""The description of tables, jobs and many rows."""

from __future__ import annotations

from typing import Any

from bayou.server.described.parts import JSON, MODEL, body_of, in_path, problems, simple
from bayou.server.jobs.forms import Job, JobRequest
from bayou.server.jobs.job_routes import EVENTS
from bayou.server.rows.forms import RowsAnswer, RowsRequest
from bayou.server.rows.row_routes import ANSWER_TYPES, NOTES
from bayou.server.tables.forms import TableRowsAnswer, TableRowsRequest, UploadedTable
from bayou.server.tables.table_routes import TABLE_TYPES

LEARNING_FORMS = (JobRequest, Job, UploadedTable, TableRowsRequest, TableRowsAnswer, RowsRequest, RowsAnswer)
_TABLE = in_path("table", "The id of an uploaded table (32 hexadecimal digits).")
_JOB = in_path("job", "The id of a job.")
_BYTES = {"type": "string", "format": "binary"}
_LOCATION = {"Location": {"description": "The address of what is new.", "schema": {"type": "string"}}}


def learning_paths(forms: dict[Any, Any]) -> dict[str, Any]:
    """The addresses of tables, jobs and many rows; ``forms`` has the schema of each form."""
    return {**_tables(forms), **_jobs(forms), "/v1/models/{model}/rows": {"post": _rows(forms)}}


def _tables(forms: dict[Any, Any]) -> dict[str, Any]:
    table = forms[UploadedTable]
    sent = simple("send-table", "Upload a table", table, 401, 415, 422, status="201")
    sent["responses"]["201"]["headers"] = _LOCATION
    sent["requestBody"] = body_of(*((kind, _BYTES) for kind in TABLE_TYPES))
    target = {"name": "target", "in": "query", "schema": {"type": "string"}}
    rows = simple("table-rows", "Some rows of a table", forms[TableRowsAnswer], 401, 404, 415, 422)
    return {
        "/v1/tables": {"post": sent},
        "/v1/tables/{table}": {
            "get": {
                **simple("table-report", "A table and the doctor's report", table, 401, 404, 422),
                "parameters": [_TABLE, target],
            }
        },
        "/v1/tables/{table}/rows": {
            "post": {
                **rows,
                "parameters": [_TABLE],
                "requestBody": body_of((JSON, forms[TableRowsRequest])),
            }
        },
    }


def _jobs(forms: dict[Any, Any]) -> dict[str, Any]:
    begun = simple("learn", "Learn from a table", forms[Job], 401, 404, 415, 422, status="202")
    begun["responses"]["202"]["headers"] = _LOCATION
    begun["requestBody"] = body_of((JSON, forms[JobRequest]))
    cancelled = {
        "operationId": "cancel",
        "summary": "End a job, or forget one that has ended",
        "parameters": [_JOB],
        "responses": {"204": {"description": "It has ended"}, **problems(401, 404)},
    }
    news = simple("events", "The progress of a job", {"type": "string"}, 401, 404, kind=EVENTS)
    return {
        "/v1/jobs": {"post": begun},
        "/v1/jobs/{job}": {
            "get": {
                **simple("job", "A job, its result or its problem", forms[Job], 401, 404),
                "parameters": [_JOB],
            },
            "delete": cancelled,
        },
        "/v1/jobs/{job}/events": {"get": {**news, "parameters": [_JOB]}},
    }


def _rows(forms: dict[Any, Any]) -> dict[str, Any]:
    statuses = (401, 404, 406, 415, 422)
    described = simple("rows", "Posteriors of many rows", forms[RowsAnswer], *statuses)
    notes = {"description": "Notes, percent-encoded, one line each.", "schema": {"type": "string"}}
    others = {kind: {"schema": _BYTES} for kind in ANSWER_TYPES if kind != JSON}
    described["responses"]["200"]["content"] |= others
    described["responses"]["200"]["headers"] = {NOTES: notes}
    targets = {
        "name": "target",
        "in": "query",
        "description": "For a network: a variable whose posterior is asked for. Repeatable.",
        "schema": {"type": "array", "items": {"type": "string"}},
    }
    unknown = {"name": "unknown", "in": "query", "schema": {"enum": ["missing", "error"]}}
    begin = {
        "name": "notes",
        "in": "query",
        "description": "wait: the answer begins after the last row, with the notes on all rows.",
        "schema": {"enum": ["begin", "wait"]},
    }
    bodies = [(JSON, forms[RowsRequest]), *((kind, _BYTES) for kind in TABLE_TYPES)]
    return {**described, "parameters": [MODEL, targets, unknown, begin], "requestBody": body_of(*bodies)}
