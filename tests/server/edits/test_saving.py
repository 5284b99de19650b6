"""A network is written back to the one file that the explorer was started with, and to no other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.server.running_server import running

import bayou

OTHER = bayou.examples.asia().rename_node("asia", "travel")


@contextmanager
def exploring(path: Path, *options: str) -> Iterator[httpx.Client]:
    with running("explore", str(path), "--no-browser", *options) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with server.client(headers=headers) as client:
            yield client


def entry(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/v1/models").json()["models"][0]
    return found


def uploaded(client: httpx.Client, net: bayou.Network, folder: Path) -> str:
    net.save(folder / "sent.bayou")
    content = (folder / "sent.bayou").read_bytes()
    answer = client.post("/v1/models", content=content, headers={"Content-Type": "application/octet-stream"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["revision"])


def save(client: httpx.Client, model: str, **body: Any) -> httpx.Response:
    return client.post(f"/v1/models/{model}/save", json=body)


@pytest.mark.parametrize("ending", ["bif", "bif.gz", "xdsl", "bayou"])
def test_a_revision_is_written_in_the_format_of_the_file(folder: Path, ending: str) -> None:
    path = folder / f"asia.{ending}"
    bayou.examples.asia().save(path)
    path.chmod(0o640)
    expected = folder / f"expected.{ending}"
    OTHER.save(expected)
    with exploring(path) as client:
        first = entry(client)
        assert (first["can_save"], first["path_name"]) == (True, path.name)
        new = uploaded(client, OTHER, folder)
        answer = save(client, new, revision_on_disk=first["revision"])
        assert (answer.status_code, answer.json()["revision"]) == (200, new)
        assert entry(client)["revision"] == new
        assert save(client, new, revision_on_disk=new).status_code == 200
    assert bayou.load(path).names == OTHER.names
    assert ending == "bayou" or path.read_bytes() == expected.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(folder)) == sorted([path.name, expected.name, "sent.bayou"])


def test_a_file_that_others_changed_is_overwritten_only_if_told(folder: Path) -> None:
    path = folder / "asia.bif"
    bayou.examples.asia().save(path)
    with exploring(path) as client:
        first = entry(client)["revision"]
        theirs = path.read_bytes() + b"\n"
        path.write_bytes(theirs)
        refused = save(client, first, revision_on_disk=first)
        assert refused.status_code == 409
        assert refused.headers["content-type"] == "application/problem+json"
        problem = refused.json()
        assert problem["type"] == "changed-on-disk"
        assert "asia.bif" in problem["detail"]
        assert str(folder) not in problem["detail"]
        assert "Overwrite" in problem["detail"]
        assert "download" in problem["detail"]
        assert path.read_bytes() == theirs
        assert save(client, first, revision_on_disk=first, overwrite=True).status_code == 200
        assert path.read_bytes() != theirs
        assert save(client, first, revision_on_disk=first).status_code == 200
        path.unlink()
        assert save(client, first).status_code == 409
        assert save(client, first, overwrite=True).status_code == 200
        assert bayou.load(path).names == bayou.examples.asia().names


def test_a_tab_does_not_overwrite_what_another_has_saved(folder: Path) -> None:
    path = folder / "asia.bif"
    bayou.examples.asia().save(path)
    with exploring(path) as client:
        first = entry(client)["revision"]
        new = uploaded(client, OTHER, folder)
        assert save(client, new, revision_on_disk=first).status_code == 200
        assert save(client, first, revision_on_disk=first).status_code == 409
        assert bayou.load(path).names == OTHER.names


def test_what_the_format_cannot_hold_is_told(folder: Path) -> None:
    path = folder / "asia.bif"
    bayou.examples.asia().save(path)
    told = bayou.examples.asia().describe("asia", description="A visit")
    with exploring(path) as client:
        answer = save(client, uploaded(client, told, folder))
        assert answer.json()["losses"] == told.losses("asia.bif") != []


def test_read_only(folder: Path) -> None:
    path = folder / "asia.bif"
    bayou.examples.asia().save(path)
    before = path.read_bytes()
    with exploring(path, "--read-only") as client:
        assert entry(client)["can_save"] is False
        refused = save(client, uploaded(client, OTHER, folder), overwrite=True)
        assert (refused.status_code, refused.json()["type"]) == (403, "read-only")
    assert path.read_bytes() == before


def test_serve_never_saves(client: httpx.Client, models: list[str]) -> None:
    before = [Path(path).read_bytes() for path in models]
    assert not any(each["can_save"] for each in client.get("/v1/models").json()["models"])
    assert save(client, "asia", overwrite=True).status_code == 403
    assert [Path(path).read_bytes() for path in models] == before


def test_no_path_of_a_request_is_used(folder: Path) -> None:
    path = folder / "asia.bif"
    bayou.examples.asia().save(path)
    with exploring(path) as client:
        first = entry(client)["revision"]
        assert save(client, first, path=str(folder / "other.bif")).status_code == 422
        assert save(client, "..%2Fother.bif").status_code == 404
        assert client.post(f"/v1/models/{first}/save", content=b"{}").status_code == 415
    assert os.listdir(folder) == ["asia.bif"]


def test_a_link_stays_a_link(folder: Path) -> None:
    target, link = folder / "target.bif", folder / "link.bif"
    bayou.examples.asia().save(target)
    link.symlink_to(target)
    with exploring(link) as client:
        assert entry(client)["path_name"] == "link.bif"
        assert save(client, uploaded(client, OTHER, folder)).status_code == 200
    assert link.is_symlink()
    assert bayou.load(target).names == OTHER.names


def test_an_ending_that_is_only_read_cannot_be_saved(folder: Path) -> None:
    path = folder / "network.txt"
    bayou.examples.asia().save(folder / "asia.bif")
    (folder / "asia.bif").rename(path)
    with exploring(path) as client:
        assert entry(client)["can_save"] is False
