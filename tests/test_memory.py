"""Sizes are known before anything is allocated, against the limits of the process itself."""

from __future__ import annotations

import subprocess
import sys
from platform import libc_ver

import numpy as np
import pytest

import bayou
from bayou.errors import TooWide
from bayou.inference.sampling import forward_sampling
from bayou.memory import available_memory, release_memory, require_memory, resident_memory

LIMITED = """
import resource, sys
import numpy as np
import bayou
bayou.Network, bayou.GaussianBayes, bayou.learn_structure
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
wide = np.zeros((20, 100_000), dtype=np.int8)
jobs = {
    "states": lambda: bayou.Network("a", states={"a": range(10**9)}),
    "random network": lambda: bayou.random_network(10**9),
    "random tables": lambda: bayou.random_network(5, states=10**6, arcs=4, seed=1),
    "sample": lambda: bayou.examples.rain_and_wet_grass().sample(10**10),
    "covariances": lambda: bayou.GaussianBayes("full").fit(np.zeros((20, 20_000)), [0, 1] * 10),
    "structure": lambda: bayou.learn_structure(wide, columns=[f"x{k}" for k in range(100_000)]),
}
for name, job in jobs.items():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        job()
    except bayou.errors.TooWide as error:
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"{name}|{grown}|{error}")
"""


def test_hopeless_sizes_are_refused_before_memory_is_taken() -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True)
    told = {line.split("|")[0]: line.split("|")[1:] for line in done.stdout.splitlines()}
    assert list(told) == ["states", "random network", "random tables", "sample", "covariances", "structure"]
    for name, (grown, message) in told.items():
        assert int(grown) < 100_000, name  # kilobytes
        assert "of memory" in message
        assert "are left for this process" in message
    assert "A variable of 1,000,000,000 states ('a')" in told["states"][1]
    assert "Use covariance='diagonal'" in told["covariances"][1]


def test_the_limit_of_the_process_counts() -> None:
    script = (
        "import resource; from bayou.memory import available_memory;"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); print(available_memory())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 1 << 30


def test_what_fits_is_not_refused() -> None:
    assert available_memory() > 0
    require_memory(1, "A byte", "")
    with pytest.raises(TooWide, match=r"^Everything needs 1 TiB of memory; .* Give up\.$"):
        require_memory(2**40, "Everything", "Give up.")


def test_rows_drawn_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    net = bayou.random_network(6, states=(2, 4), continuous=2, seed=2)
    whole = net.sample(1000, seed=5)
    monkeypatch.setattr(forward_sampling, "_BLOCK", 64)
    parts = net.sample(1000, seed=5)
    for name in net.names:
        np.testing.assert_array_equal(whole[name], parts[name])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory of a process is read from /proc")
def test_memory_between_blocks_in_use_is_given_back() -> None:
    blocks = [np.ones(8_000) for _ in range(2_000)]  # 128 MB, in blocks that malloc takes from its heap
    kept = blocks[::20]
    full = resident_memory()
    del blocks
    release_memory()
    assert len(kept) == 100
    if libc_ver()[0] == "glibc":
        assert resident_memory() < full - 80e6
