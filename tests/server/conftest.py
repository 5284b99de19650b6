"""One server for the tests that only ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import bayou
from tests.server.running_server import Running, running


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of three networks: classic, with numbers, and with names that are not plain words."""
    folder = tmp_path_factory.mktemp("models")
    bayou.examples.asia().save(folder / "asia.bif")
    bayou.examples.heights_network().save(folder / "heights.bayou")
    odd = bayou.Network([(1, ("a", "b"))], states={1: [True, False], ("a", "b"): [1, 2.5, "x"]})
    odd = odd.set_cpt(1, [0.25, 0.75]).set_cpt(("a", "b"), [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    odd.save(folder / "odd.bayou")
    return [str(path) for path in sorted(folder.iterdir())]


@pytest.fixture(scope="session")
def server(models: list[str]) -> Iterator[Running]:
    with running("serve", *models, "--port", "0") as found:
        yield found


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
