"""The contract of ``/v1``: what is described is there, what is there is described, and changes are noticed.

To change the API knowingly: add what you like, but take nothing away from ``/v1`` and ask for nothing more in
requests, which would break clients; that needs a ``/v2``. Then write the new description down:

    python -m bayou.server.described.openapi > tests/server/openapi-v1.json
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from starlette.routing import Route

from bayou.server.addresses.routes import Routes
from bayou.server.described.openapi import stored_text
from bayou.server.metrics import Metrics
from bayou.server.page_files import docs_routes
from bayou.server.service import Service
from bayou.server.settings import Settings

FILE = Path(__file__).with_name("openapi-v1.json")
STORED = json.loads(FILE.read_text(encoding="utf-8"))


def broken_promises(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """What clients of the old description rely on, and the new one does not give."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name, value in old.items():
            if name in ("description", "summary", "title"):
                continue
            if name not in new:
                yield f"{place}/{name} is gone"
            else:
                yield from broken_promises(value, new[name], f"{place}/{name}")
        if "properties" in old and set(new.get("required", [])) - set(old.get("required", [])):
            yield f"{place}: more members are required"
    elif isinstance(old, list) and isinstance(new, list):
        gone = [each for each in old if each not in new]
        if gone and not place.endswith("/required"):
            yield f"{place}: {gone} is gone"
    elif old != new:
        yield f"{place} was {old!r} and is {new!r}"


def test_the_description_is_the_stored_one() -> None:
    now = json.loads(stored_text())
    assert not list(broken_promises(STORED, now)), f"this breaks clients of /v1; read {__file__}"
    assert now == STORED, f"the API has more than is written down; read {__file__}"


def test_broken_promises_are_found() -> None:
    def after(change: str) -> list[str]:
        new = copy.deepcopy(STORED)
        forms, path = new["components"]["schemas"], new["paths"]["/v1/models/{model}/query"]["post"]
        if change == "address":
            del new["paths"]["/v1/models/{model}/table"]
        elif change == "member":
            del forms["QueryAnswer"]["properties"]["mean"]
        elif change == "required":
            forms["QueryRequest"]["required"].append("findings")
        elif change == "status":
            del path["responses"]["503"]
        elif change == "type":
            forms["Cell"]["properties"]["p"]["type"] = "string"
        elif change == "more":
            forms["QueryAnswer"]["properties"]["note"] = {"type": "string", "default": ""}
            new["paths"]["/v1/more"] = {"get": {}}
            forms["Cell"]["description"] = "in other words"
        return list(broken_promises(STORED, new))

    for change in ("address", "member", "required", "status", "type"):
        assert after(change), change
    assert not after("more")


def test_every_address_is_described_and_every_description_has_an_address() -> None:
    service = Service(Settings())
    routes = [*Routes(service, Metrics()).all(), *docs_routes()]
    service.revisions.close()
    there = {
        (route.path, method.lower())
        for route in routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD" and not route.path.startswith("/docs/")
    }
    described = {(path, method) for path, methods in STORED["paths"].items() for method in methods}
    assert there | {("/openapi.json", "get")} == described


def test_the_server_sends_its_description(client: httpx.Client) -> None:
    sent = client.get("/openapi.json").json()
    del sent["info"]["version"]
    assert sent == STORED


def test_a_wrong_method_is_told_all_right_ones(client: httpx.Client) -> None:
    for path, methods in STORED["paths"].items():
        address = path.replace("{model}", "asia").replace("{name}", "asia")
        answer = client.request("PATCH", address)
        allowed = {each for each in answer.headers["allow"].split(", ") if each != "HEAD"}
        assert (answer.status_code, allowed) == (405, {method.upper() for method in methods}), path
        assert answer.headers["content-type"] == "application/problem+json"
    assert client.get("/v1/models/").status_code == 404


def test_the_page_of_the_api_needs_nothing_from_elsewhere(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "VERSION" not in page.text
    for address in page.text.split('"'):
        if address.startswith("docs/"):
            assert client.get(f"/{address}").status_code == 200, address
