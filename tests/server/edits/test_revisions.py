"""Revisions: bounded in number and bytes, read by workers, in the server's memory only if small."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import bayou
from bayou.server import revisions as revisions_file
from bayou.server.edits.editing import edited
from bayou.server.files.saving import SavedFile
from bayou.server.files.uploads import revision_of_upload
from bayou.server.problems import Problem
from bayou.server.revisions import Revision, Revisions
from bayou.server.service import Service
from bayou.server.settings import Settings
from bayou.server.stored_models import SMALL_VARIABLES
from bayou.server.workers.pool import WorkerPool

SET_ROW = {"edit": "set_row", "variable": "v0", "given": [], "row": [0.25, 0.75]}


def numbered(number: int) -> bayou.Network:
    """A small network, each number another one."""
    net = bayou.Network("A -> B", states={"A": ["a", "b"], "B": ["c", "d"]})
    return net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.5, 0.5], [0.25, 0.75]]).describe(title=str(number))


def chain(length: int) -> bayou.Network:
    names = [f"v{place}" for place in range(length)]
    tables = {name: [[0.3, 0.7], [0.6, 0.4]] for name in names} | {"v0": [0.5, 0.5]}
    states = {name: ["a", "b"] for name in names}
    return bayou.Network([*pairwise(names)], states=states, tables=tables)  # type: ignore[arg-type]


@pytest.fixture
def large(tmp_path: Path) -> bytes:
    """The bytes of a network that is too large to be answered by the server itself."""
    chain(SMALL_VARIABLES + 1).save(tmp_path / "large.bif")
    return (tmp_path / "large.bif").read_bytes()


@pytest.fixture
def service() -> Iterator[Service]:
    found = Service(Settings(workers=1))
    yield found
    found.revisions.close()
    found.tables.close()


def has(known: Revisions, revision: Revision) -> bool:
    try:
        return known.find(revision.name) is revision
    except Problem:
        return False


def test_the_one_not_used_for_longest_is_dropped() -> None:
    known = Revisions(most=3)
    first, second, third = (known.add(numbered(place)) for place in range(3))
    known.find(first.name)
    fourth = known.add(numbered(3))
    assert [has(known, each) for each in (first, second, third, fourth)] == [True, False, True, True]
    assert len(known) == 3
    assert not second.file.exists()
    assert first.file.exists()
    known.close()
    assert not first.file.exists()


def test_bytes_are_bounded_and_so_are_their_documents() -> None:
    one = Revisions()
    size = one.add(numbered(0)).bytes
    one.close()
    known = Revisions(most_bytes=3 * size + size // 2)
    first, second, third = (known.add(numbered(place)) for place in range(3))
    assert len(known) == 3
    third.documents["drawing {}"] = bytes(size)
    fourth = known.add(numbered(3))
    assert [has(known, each) for each in (first, second, third, fourth)] == [False, False, True, True]
    known.close()


def test_the_newest_stays_also_if_it_is_too_large_alone() -> None:
    known = Revisions(most_bytes=1)
    for place in range(3):
        revision = known.add(numbered(place))
        assert has(known, revision)
        assert len(known) == 1
    known.close()


def test_named_ones_stay(service: Service) -> None:
    service.revisions._most = 2
    before = service.publish("it", numbered(0))
    for place in range(1, 5):
        service.revisions.add(numbered(place))
    assert has(service.revisions, before)
    now = service.publish("it", numbered(5))
    for place in range(6, 9):
        service.revisions.add(numbered(place))
    assert (has(service.revisions, before), has(service.revisions, now)) == (False, True)


def test_a_content_is_kept_once() -> None:
    known = Revisions()
    assert known.add(numbered(1)) is known.add(numbered(1))
    assert len(known) == 1
    assert asyncio.run(known.add_soon(numbered(1))) is known.add(numbered(1))
    known.close()


def test_what_is_in_memory_counts_by_variables() -> None:
    """Python's objects take more than the tables."""
    known = Revisions()
    small, large = known.add(chain(10)), known.add(chain(SMALL_VARIABLES))
    more = (SMALL_VARIABLES - 10) * revisions_file.VARIABLE_BYTES
    assert large.bytes - small.bytes >= more
    assert known.add(chain(SMALL_VARIABLES + 1)).bytes < more
    known.close()


def test_large_models_are_never_read_here(
    service: Service, large: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading and writing them would hold up all others, also in a thread: uploads, edits, saving."""

    def refuse(*_: object) -> Any:
        raise AssertionError("the server reads or writes a model itself")

    monkeypatch.setattr(revisions_file, "load", refuse)
    monkeypatch.setattr(revisions_file, "stored", refuse)
    (tmp_path / "saved.bif").write_bytes(b"")
    file = service.file = SavedFile(tmp_path / "saved.bif")
    body = json.dumps({"edits": [SET_ROW]}).encode()

    async def work() -> None:
        pool, known = service.pool, service.revisions
        first, remarks = await revision_of_upload(pool, known, large)
        assert remarks == []
        assert (first.kind, first.model, first.is_small) == ("network", None, False)
        assert first.about == {"variables": SMALL_VARIABLES + 1, "arcs": SMALL_VARIABLES}
        second = await edited(pool, known, first, body)
        assert second.model is None
        service.name(file.name, first)
        assert (await service.save(second, b"{}")).revision == second.name
        await service.pool.close()

    asyncio.run(work())
    saved: Any = bayou.load(tmp_path / "saved.bif")
    assert saved.frozen.table("v0").tolist() == [0.25, 0.75]


def test_small_models_are_read_here_once(tmp_path: Path) -> None:
    numbered(0).save(tmp_path / "small.bif")

    async def work() -> list[Revision]:
        async with WorkerPool(size=1) as pool:
            content = (tmp_path / "small.bif").read_bytes()
            return [(await revision_of_upload(pool, known, content))[0] for _ in range(2)]

    known = Revisions()
    first, second = asyncio.run(work())
    assert first is second
    assert first.is_small
    assert first.model.query("B").to_dict() == numbered(0).query("B").to_dict()
    known.close()


def test_an_edit_that_is_refused_is_told_with_its_place(service: Service) -> None:
    before = service.publish("it", chain(3))
    bad = json.dumps({"edits": [SET_ROW, {**SET_ROW, "row": [0.5, 0.75]}]}).encode()

    async def work() -> None:
        for body, kind in ((bad, "bad-question"), (b"{", "bad-json"), (b'{"edits": [{}]}', "bad-request")):
            with pytest.raises(Problem) as problem:
                await edited(service.pool, service.revisions, before, body)
            assert problem.value.kind == kind
            assert problem.value.more.get("edit") == (1 if body is bad else None)
        await service.pool.close()

    asyncio.run(work())
    assert len(service.revisions) == 1
