"""Intervals keep their promise: coverage, width and trust over seeded trials against exact answers.

``benchmarks/calibration.py`` runs the same trials 2,000 times per engine; its figures are on the docs page.
"""

from __future__ import annotations

import pytest
from benchmarks.calibration import Tally, trial

import bayou
from bayou.inference.sampling import look_ahead

TRIALS = 40


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize("cells", [2**16, 16], ids=["exact look-ahead", "narrow look-ahead"])
@pytest.mark.parametrize("engine", ["weighting", "gibbs", "rejection"])
@pytest.mark.parametrize("name", ["asia", "alarm", "insurance"])
def test_99_percent_intervals_cover_and_are_not_wide(
    name: str, engine: str, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_ahead, "cells_allowed", lambda *_: cells)
    net, tally = getattr(bayou.examples, name)(), Tally()
    for seed in range(TRIALS):
        trial(net, engine, seed, tally)
    assert 0.98 <= tally.coverage <= 1.0
    assert tally.width_ratio <= 1.5
