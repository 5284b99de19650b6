"""Ctrl-C stops a kernel in the middle of its work: single calls that would take hours end with the signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bayou
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")

START = """
import numpy as np
from bayou._native._core import (
    ExpectedCounts, FactorTables, IndependenceTester, InferencePlan, RowPlan, loopy_beliefs
)
import bayou
from bayou._native._core import (
    GibbsChains, RowSampler, filter_slices, kalman_expect, kalman_filter, smooth_slices
)

cards, scope = [2] * 20, list(range(20))
table = np.full([2] * 20, 0.5)
# Every two of 25 variables are together in a table: one clique has all of them.
lines = [[5 * x + (a * x + b) % 5 for x in range(5)] for a in range(5) for b in range(5)]
lines += [list(range(5 * x, 5 * x + 5)) for x in range(5)]
gaps = np.full(1_000_000, 255, dtype=np.uint8)
fair = np.array([0.5, 0.5])
coin = RowSampler([2], [0], [0], [[[0]]], [[fair]], [[]], [[]], [], [])
size = 200
states = np.eye(size)
system = [states, np.zeros((size, 0)), states, states, np.zeros((size, 0)), states, np.zeros(size), states]
series = [np.array([0, 20_000]), np.full((20_000, size), np.nan), np.zeros((20_000, 0))]
chain = bayou.DynamicNetwork("X -> X'", states={"X": list(range(1000))})
chain.set_cpt("X", np.full(1000, 0.001)).set_cpt("X'", np.full((1000, 1000), 0.001))
slices = chain.model._call(chain._asked({"X": [0, *[None] * 99_999]}, {})[1])[1]
machine = bayou.DynamicNetwork(
    "S -> S'; S -> x; x -> x'", states={"S": ["a", "b"]}, continuous=["x"],
    tables={
        "S": [0.5, 0.5], "S'": [[0.9, 0.1], [0.1, 0.9]], "x": {"a": (0, 1), "b": (1, 1)},
        "x'": {s: {"mean": k, "variance": 1, "coefficients": {"x": 0.5}} for k, s in enumerate("ab")},
    },
)
drift = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
functions = (lambda n, random: random.normal(size=n), lambda x, random: x, lambda x, y: -(x - y) ** 2)
"""
READY = 'print("ready", flush=True)'
CALLS = {
    "rows together": "InferencePlan(FactorTables(cards, [scope], [table]), [0], [[1]], [], [0], [], 64, "
    "False).run_rows([gaps], [2], len(gaps))",
    "one sum": "InferencePlan(FactorTables([4] * 25, lines, [np.full([4] * 5, 0.5)] * 30), list(range(30)), "
    "[], [], [], [], 1, False).run(np.zeros(0, np.uint32), [])",
    "rows one by one": "RowPlan(cards, [scope], [table], 0).run([gaps], [1], len(gaps))",
    "weighted rows": "coin.weighted_sums(1, 0, 10**13, [[0]])",
    "Gibbs chains": "GibbsChains([2], [[0]], [fair], [[0]], np.zeros((2, 1), np.uint32), 1).run(10**13, [])",
    "expected counts": "ExpectedCounts(cards, [scope]).run([table], [gaps], [1], len(gaps))",
    "Kalman filter": "kalman_filter(system, *series, False)",
    "Kalman smoother": "kalman_expect(system, system, *series, None)",
    "loopy propagation": "loopy_beliefs(cards, [scope] * 200, [table] * 200, 200, -1.0, 1_000_000)",
    "slices forwards": "filter_slices(*slices, [])",
    "slices backwards": "smooth_slices(*slices, [], None, True, 0)",
    "particles": "bayou.ParticleFilter(drift, particles=1_000_000).filter(np.zeros(20_000))",
    "particles of functions": "bayou.ParticleFilter(functions, particles=1_000_000).filter(np.zeros(20_000))",
    "paths of particles": "bayou.ParticleFilter(drift, particles=20_000).smooth(np.zeros(2000), paths=5_000)",
    "particles of slices": "machine.filter({'x': [0.5] * 100_000}, particles=100_000, engine='particles')",
    "independence": "IndependenceTester([np.arange(5000, dtype=np.uint8) % 2] * 40, [2] * 40).separate("
    "np.array([[0, 1], [2, 3]]), np.arange(41) * 40, np.tile(np.arange(40), 40), 12)",
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_stops_the_call(call: str, threads: int) -> None:
    script = f"{START}\nimport bayou\nbayou.threads({threads})\n"
    script += f"try:\n    {READY}\n    {CALLS[call]}\nexcept KeyboardInterrupt:\n    print('stopped')\n"
    assert_stops(script)


def test_a_dynamic_network_whose_fit_is_stopped_is_as_before() -> None:
    assert_stops(START + FIT)


FIT = """
chance = np.random.default_rng(0)
net = bayou.DynamicNetwork("X -> X'; X -> Y", states={"X": list(range(40)), "Y": list(range(40))})
for name in net.tables:
    net.set_cpt(name, chance.dirichlet(np.ones(40), size=40 if net.parents(name) else None))
seen = {"Y": chance.integers(0, 40, 3_000_000)}
before = {name: net.cpt(name).to_array().copy() for name in net.tables}
try:
    print("ready", flush=True)
    net.fit(seen, start="present", method="em")
except KeyboardInterrupt:
    same = all(np.array_equal(net.cpt(name).to_array(), before[name]) for name in net.tables)
    print("stopped" if same else "changed")
"""


def assert_stops(script: str) -> None:
    """Run a program that says when it is ready, and send it Ctrl-C."""
    environment = {**os.environ, "PYTHONPATH": str(Path(bayou.__file__).parents[1])}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.5)  # the call is under way
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
            assert (out, err) == (b"stopped\n", b"")
        finally:
            process.kill()
