"""Settings of the whole suite: reproducible hypothesis runs, and no silent skips where CI forbids them."""

from __future__ import annotations

import os
import signal
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
# A shell starts background jobs deaf to Ctrl-C, which the tests and their processes must hear.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Twice as many workers as processors: many tests wait for processes, browsers and databases."""
    return 2 * (os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The suites of Spark take minutes each: they begin first, so that nothing waits for them at the end."""
    items.sort(key=lambda item: item.path.parent.name != "spark")


@pytest.fixture
def few_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden Markov models begin at the best of 6 random starts, not of 48.

    For tests that compare two fits or hold at any maximum; which one is found is asked elsewhere.
    """
    from bayou.temporal import chain_starts

    monkeypatch.setattr(chain_starts, "FEW_ROWS", ((6, 10), (3, 20), (1, 40)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A skip is a failure where BAYOU_NO_SKIPS is set: CI has everything that the tests need."""
    report = yield
    if report.skipped and os.environ.get("BAYOU_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and here no test may be: {report.longrepr}"
    return report
