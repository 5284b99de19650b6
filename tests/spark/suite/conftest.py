"""Warnings of Spark itself are not bayou's, and the session ends with the process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.spark.java import session


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let Spark warn of versions that it does not know, and of what it leaves open."""
    for item in items:
        for kind in (
            "FutureWarning",
            "DeprecationWarning",
            "ResourceWarning",
            "pytest.PytestUnraisableExceptionWarning",
        ):
            item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))


@pytest.fixture(scope="session", autouse=True)
def _session() -> Iterator[None]:
    yield
    session().stop()
