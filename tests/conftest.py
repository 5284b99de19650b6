"""Settings of the whole suite: reproducible hypothesis runs, and no silent skips where CI forbids them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "bayou",
    derandomize=True,
    deadline=None,
    max_examples=int(os.environ.get("BAYOU_EXAMPLES", "60")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("bayou")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A skip is a failure where BAYOU_NO_SKIPS is set: CI has everything that the tests need."""
    report = yield
    if report.skipped and os.environ.get("BAYOU_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and here no test may be: {report.longrepr}"
    return report
