"""No text of a request is taken for a path, an address, a pattern or SQL, and none of it is logged.

The server and its workers are watched by Python (audit events), the folder of the bait by the system, and the
bait's address by a server of its own. Every question of openapi.json is tried.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

import bayou
from tests.patience import PATIENCE
from tests.server.filled_forms import FilledForms
from tests.server.opened_files import opened_below
from tests.server.refusals.test_gate import cookie_thief
from tests.server.running_server import Running, running

MARK = "c4nary"
DESCRIPTION = json.loads(Path(__file__).with_name("openapi-v1.json").read_text(encoding="utf-8"))
JSON = {"Content-Type": "application/json"}
BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and a network that the library would read gladly."""
    folder = tmp_path_factory.mktemp("bait")
    (folder / f"{MARK}.csv").write_text("asia,lung\nyes,no\nno,no\n")
    bayou.examples.asia().save(folder / f"{MARK}.bif")
    return folder


@contextmanager
def watched(folder: Path) -> Iterator[tuple[Running, Path]]:
    """An explorer (it may do most), watched; and the file of what it did with the mark."""
    asia, log = folder / "asia.bif", folder / "watched.log"
    bayou.examples.asia().save(asia)
    before = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join([str(Path(__file__).with_name("watching")), *([before] if before else [])])
    with running(
        "explore",
        str(asia),
        "--no-browser",
        PYTHONPATH=path,
        BAYOU_WATCHED=MARK,
        BAYOU_WATCH_LOG=str(log),
    ) as server:
        yield server, log


def texts(bait: Path, address: str) -> list[str]:
    file = f"{bait}/{MARK}.csv"
    return [
        file,
        f"{bait}/{MARK}.bif",
        f"file://{file}",
        f"{address}/{MARK}.csv",
        f"{bait}/{MARK[:2]}*.csv {MARK}",
        f"SELECT * FROM read_csv('{file}')",
        f"'; ATTACH '{bait}/{MARK}.db'; --",
        f"duckdb:///{bait}/{MARK}.db",
        f"../../../../../..{file}",
    ]


def network_of(text: str) -> bytes:
    """A network file whose every text is the given one."""
    name = text.replace('"', "'")
    return (
        f'network "{name}" {{ property "{name}"; }}\nvariable "{name}" {{ type discrete [2] {{ "{name}", '
        f'"no" }}; property "{name}"; }}\nprobability ("{name}") {{ table 0.5, 0.5; }}\n'
    ).encode()


def ask_everything(client: httpx.Client, text: str) -> Iterator[httpx.Response]:
    """Every question with the text in every place of its form, as the name of models, and as files."""
    for name in (None, "lung"):
        for method, path, body in FilledForms(DESCRIPTION, text, name).requests():
            yield client.request(method, path.replace("{model}", "asia.bif"), json=body)
    for path, methods in DESCRIPTION["paths"].items():
        for method in methods:
            address = path.replace("{model}", quote(text, safe="")).replace("{name}", quote(text, safe=""))
            yield client.request(method, address, params={"format": text, "name": text})
            address = path.replace("{model}", "asia.bif").replace("{name}", "asia")
            yield client.request(method, address, params={"format": text, "name": text})
    finding = {"variable": "smoke", "state": {"type": "tuple", "value": [text]}}
    yield client.post("/v1/models/asia.bif/beliefs", json={"findings": [finding]})
    yield client.post("/v1/models/asia.bif/beliefs", content=f'{{"findings": ["{text}'.encode(), headers=JSON)
    for content in (text.encode(), network_of(text)):
        answer = client.post(
            "/v1/models", content=content, headers={"Content-Type": "application/octet-stream"}
        )
        yield answer
        if answer.status_code == 201:
            yield from ask_about(client, answer.json()["revision"], text)


def ask_about_tables(client: httpx.Client, text: str) -> Iterator[httpx.Response]:
    """Tables whose names and cells are the text, asked for rows, learned from and answered."""
    cell = '"' + text.replace('"', '""') + '"'
    csv = {"Content-Type": "text/csv"}
    for content in (text, f"{cell},lung\n{cell},yes\nx,no\n", "asia,lung\nyes,no\nno,no\n"):
        answer = client.post("/v1/tables", content=content.encode(), headers=csv)
        yield answer
        yield client.post(
            "/v1/models/asia.bif/rows", params={"target": text}, content=content.encode(), headers=csv
        )
        if answer.status_code != 201:
            continue
        table = answer.json()["table"]
        yield client.get(f"/v1/tables/{table}", params={"target": text})
        yield client.post(f"/v1/tables/{table}/rows", json={"columns": [text]})
        for more in (
            {"learn": "parameters", "arcs": text},
            {"learn": "parameters", "arcs_of": text},
            {"learn": "chow-liu", "compare_with": text},
            {"learn": "naive-bayes", "target": text, "options": {"ignore": [text], "weights": text}},
        ):
            begun = client.post("/v1/jobs", json={"table": table, **more})
            yield begun
            if begun.status_code == 202:
                with client.stream("GET", f"{begun.headers['location']}/events", timeout=PATIENCE) as stream:
                    stream.read()
                    yield stream


def ask_about(client: httpx.Client, revision: str, text: str) -> Iterator[httpx.Response]:
    """Questions about a network whose every name is the text, and its files."""
    finding: dict[str, Any] = {"variable": text, "state": text}
    for operation, body in (
        ("beliefs", {"findings": [finding]}),
        ("query", {"targets": [text], "findings": []}),
        ("explain", {"target": text, "findings": [finding]}),
        ("table", {"variable": text}),
    ):
        yield client.post(f"/v1/models/{revision}/{operation}", json=body)
    yield client.get(f"/v1/models/{revision}")
    for kind in ("bif", "svg", "html", "net"):
        yield client.get(f"/v1/models/{revision}/file", params={"format": kind})


def test_the_watch_sees(tmp_path: Path, bait: Path) -> None:
    """Otherwise the test below would find nothing in any case."""
    with opened_below(bait) as opened:
        bayou.load(bait / f"{MARK}.bif")
    assert f"{MARK}.bif" in opened
    (tmp_path / f"{MARK}.txt").write_text("x")
    with watched(tmp_path) as (_, log):
        pass
    assert not log.read_text()
    with running(
        "explore",
        str(bait / f"{MARK}.bif"),
        "--no-browser",
        PYTHONPATH=f"{Path(__file__).with_name('watching')}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        BAYOU_WATCHED=MARK,
        BAYOU_WATCH_LOG=str(log),
    ):
        pass
    assert "open " in log.read_text()


def test_texts_of_requests_open_nothing_and_are_not_logged(tmp_path: Path, bait: Path) -> None:
    with (
        cookie_thief() as (address, visits),
        opened_below(bait) as opened,
        watched(tmp_path) as (server, log),
    ):
        asked, statuses = 0, set()
        with server.client(headers={"Authorization": f"Bearer {server.token}"}) as client:
            for text in texts(bait, address):
                for answer in chain(ask_everything(client, text), ask_about_tables(client, text)):
                    assert answer.status_code != 500, (answer.request.url, answer.text)
                    statuses.add(answer.status_code)
                    asked += 1
            numbers = client.get("/metrics").text
    assert asked > 300
    assert {200, 201, 404, 422} <= statuses
    assert not visits
    assert not opened
    assert not log.read_text()
    assert MARK not in numbers
    assert MARK not in "".join(server.log)
