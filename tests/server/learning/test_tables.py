"""Uploaded tables: every format, the doctor's report, pages of rows, and what is refused."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from typing import Any

import httpx
import pandas
import pyarrow
import pyarrow.ipc
import pytest
from tests.server.running_server import running

import bayou

CSV = b"outlook,temp,humid,play\nsunny,21.5,70,no\nrainy,,81,yes\nsunny,20.0,,no\n"
PACKED = gzip.compress(CSV, mtime=0)  # the same bytes in every process, as they name a test
FRAME = pandas.read_csv(io.BytesIO(CSV)).astype({"humid": "Int64"})


@pytest.fixture(scope="module")
def taker(models: list[str]) -> Iterator[httpx.Client]:
    with running("serve", *models, "--port", "0", "--allow", "tables") as server, server.client() as client:
        yield client


def send(client: httpx.Client, content: bytes, kind: str = "application/octet-stream") -> httpx.Response:
    return client.post("/v1/tables", content=content, headers={"Content-Type": kind})


def parquet() -> bytes:
    held = io.BytesIO()
    FRAME.to_parquet(held)
    return held.getvalue()


def arrow(as_stream: bool) -> bytes:
    table, held = pyarrow.Table.from_pandas(FRAME), io.BytesIO()
    make = pyarrow.ipc.new_stream if as_stream else pyarrow.ipc.new_file
    with make(held, table.schema) as writer:
        writer.write_table(table)
    return held.getvalue()


FORMATS: dict[str, tuple[bytes, str, str]] = {
    "csv": (CSV, "text/csv", "text"),
    "tsv": (CSV.replace(b",", b"\t"), "text/tab-separated-values", "text"),
    "gzip": (PACKED, "application/gzip", "text"),
    "json lines": (
        FRAME.to_json(orient="records", lines=True).encode(),
        "application/x-ndjson",
        "JSON lines",
    ),
    "parquet": (parquet(), "application/vnd.apache.parquet", "Parquet"),
    "arrow file": (arrow(False), "application/octet-stream", "Arrow"),
    "arrow stream": (arrow(True), "application/vnd.apache.arrow.stream", "Arrow"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read(taker: httpx.Client, name: str) -> None:
    content, kind, shown = FORMATS[name]
    answer = send(taker, content, kind)
    assert answer.status_code == 201, answer.text
    found = answer.json()
    assert answer.headers["location"] == f"/v1/tables/{found['table']}"
    assert (found["format"], found["rows"]) == (shown, 3)
    by_name = {column["name"]: column for column in found["columns"]}
    assert list(by_name) == ["outlook", "temp", "humid", "play"]
    assert [column["kind"] for column in found["columns"]] == ["states", "numbers", "whole numbers", "states"]
    assert [column["gaps"] for column in found["columns"]] == [0, 1, 1, 0]
    assert by_name["outlook"]["values"] == [{"value": "sunny", "rows": 2}, {"value": "rainy", "rows": 1}]
    assert (by_name["temp"]["least"], by_name["temp"]["greatest"]) == (20.0, 21.5)
    page = taker.post(f"/v1/tables/{found['table']}/rows", json={"first": 1, "count": 5}).json()
    assert page["rows"] == [["rainy", None, 81, "yes"], ["sunny", 20.0, None, "no"]]
    assert page["rows_in_all"] == 3


def test_the_report_is_that_of_the_library(taker: httpx.Client) -> None:
    rows = {"n": ["1", "2", "3", "4"], "unit": ["kg"] * 4, "ill": ["y", "n", "y", "n"], "sick": [1, 0, 1, 0]}
    content = pandas.DataFrame(rows).to_csv(index=False).encode()
    found = send(taker, content).json()
    table = pandas.read_csv(io.BytesIO(content))
    assert [each["sentence"] for each in found["report"]["findings"]] == list(map(str, bayou.check(table)))
    aimed = taker.get(f"/v1/tables/{found['table']}", params={"target": "ill"}).json()["report"]
    expected = bayou.check(table, "ill")
    assert aimed["heading"] == expected.heading
    assert [(each["severity"], each["fix"]) for each in aimed["findings"]] == [
        (each.severity, each.fix) for each in expected
    ]
    assert len(expected) > len(found["report"]["findings"])


def test_the_same_bytes_have_the_same_id(taker: httpx.Client) -> None:
    first, second = send(taker, CSV).json(), send(taker, CSV).json()
    assert first == second == taker.get(f"/v1/tables/{first['table']}").json()
    assert send(taker, CSV + b"rainy,1.5,3,no\n").json()["table"] != first["table"]


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [
        (b"", 422, "empty"),
        (b"\x00\x01\xff\xfe nonsense", 422, "UTF-8"),
        (b"PAR1 not a Parquet file", 422, "the table"),
        (PACKED[:-12], 422, "damaged"),
        (b"PK\x03\x04 an archive", 422, "unpack it first"),
        (None, 413, "Unpacked"),
        (b'{"a": 1}\n{"a": [1, 2]}', 422, "several types"),
    ],
)
def test_what_is_no_table_is_refused(
    taker: httpx.Client, content: bytes | None, status: int, told: str
) -> None:
    answer = send(taker, gzip.compress(b"a" * (257 * 2**20), 1) if content is None else content)
    assert answer.status_code == status
    assert told in answer.json()["detail"]
    assert "/tmp" not in answer.text
    assert "arrived" not in answer.text


@pytest.mark.parametrize(
    "content",
    [
        b"/etc/passwd",
        b"/etc/*",
        b"http://localhost/x.csv",
        b"select 1",
        b"name\n/etc/passwd\nhttp://a/b.csv\n",
    ],
)
def test_a_path_in_a_table_is_a_value(taker: httpx.Client, content: bytes) -> None:
    answer = send(taker, content)
    if answer.status_code == 201:
        head, *lines = content.decode().splitlines()
        assert [column["name"] for column in answer.json()["columns"]] == [head]
        rows = taker.post(f"/v1/tables/{answer.json()['table']}/rows", json={}).json()["rows"]
        assert rows == [[line] for line in lines]
    else:
        assert answer.status_code == 422


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "0" * 32, "%2Fetc%2Fpasswd", "a.csv"])
def test_no_table_is_found_by_a_path(taker: httpx.Client, name: str) -> None:
    assert taker.get(f"/v1/tables/{name}").status_code == 404
    assert taker.post(f"/v1/tables/{name}/rows", json={}).status_code == 404


def test_columns_are_chosen_by_name(taker: httpx.Client) -> None:
    table = send(taker, CSV).json()["table"]
    page: dict[str, Any] = taker.post(
        f"/v1/tables/{table}/rows", json={"columns": ["play", "temp"], "count": 1}
    ).json()
    assert (page["columns"], page["rows"]) == (["play", "temp"], [["no", 21.5]])
    wrong = taker.post(f"/v1/tables/{table}/rows", json={"columns": ["plays"]})
    assert wrong.status_code == 422
    assert "Did you mean 'play'?" in wrong.json()["detail"]
    assert taker.post(f"/v1/tables/{table}/rows", json={"count": 10**6}).status_code == 422
    assert taker.post(f"/v1/tables/{table}/rows", json={"first": 99}).json()["rows"] == []


def test_a_server_takes_no_tables_unless_told(client: httpx.Client) -> None:
    refused = send(client, CSV)
    assert (refused.status_code, refused.json()["type"]) == (403, "read-only")
    assert client.get(f"/v1/tables/{'0' * 32}").status_code == 403


def test_other_content_types_are_refused(taker: httpx.Client) -> None:
    assert send(taker, CSV, "text/plain").status_code == 415
