"""Guaranteed bounds on the shared networks: is the exact answer always inside, and how wide are they?

python benchmarks/bounds.py [queries, 2000 unless told] writes bounds.json and prints a table of Markdown.

A query observes cells of a row that was drawn from the network: eight of its leaves (half of them where there
are fewer), so that much of the network is relevant, and asks for one other variable. The engine may sum out
exactly only what has a width of at most 8; the exact answer comes from the ordinary engine. Each query is
asked with one time after the other until its answer is exact. Networks that are wide are asked more often.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import bayou
from bayou.inference import EngineOptions, Question, relevant
from bayou.inference.bounds.bounds_engine import BoundsEngine  # inside: its limits are no option
from bayou.inference.bounds.mini_buckets import BucketLimits

NETWORKS = Path(__file__).parents[2] / "shared" / "data" / "networks"
WIDE = ("andes", "barley", "diabetes", "link", "munin1", "pigs", "water", "win95pts")
TIMES = (0.03, 0.1, 0.3, 1.0, 3.0)
LIMITS = {"width 8": BucketLimits(2**16, width=8, whole=2**24), "width 3": BucketLimits(2**8, width=3)}
"""The second is far below what the networks need: it shows what bounds are worth where nothing is narrow."""
FINDINGS = 8
ROUNDING = 1e-11
"""What the exact engine may be wrong by."""
WHERE = Path(__file__).parent / "bounds.json"


def questions(net: bayou.Network, count: int, seed: int) -> Iterator[Question]:
    """Seeded questions about a network."""
    schema, random = net.frozen.schema, np.random.default_rng(seed)
    rows = net.sample(count, seed=seed)
    leaves = [name for name in net.names if not list(net.frozen.dag.children(name))]
    for row in range(count):
        chosen = random.permutation(len(leaves))[: min(FINDINGS, (len(leaves) + 1) // 2)].tolist()
        given = {leaves[at]: schema[leaves[at]].code(rows[leaves[at]][row]) for at in chosen}
        free = [name for name in net.names if name not in given]
        yield Question((free[random.integers(len(free))],), given)


def asked(net: bayou.Network, question: Question, limits: BucketLimits) -> dict[str, Any]:
    """The widest bounds of the answer after each time, and whether the exact answer was always inside."""
    network = net.frozen
    exact = bayou.inference.ask(network, question).table
    assert exact is not None
    widths: list[float] = []
    inside, spent, explored = True, 0.0, 0
    for time in TIMES:
        if widths and widths[-1] <= 1e-9:
            widths.append(widths[-1])
            continue
        began = process_time()
        engine = BoundsEngine(EngineOptions.from_arguments(time=time), limits)
        found = engine.answer(network, relevant(network, question), question).estimate
        assert found is not None
        spent, explored = process_time() - began, found.draws
        widths.append(float((found.upper - found.lower).max()))
        inside &= bool(((found.lower <= exact + ROUNDING) & (exact <= found.upper + ROUNDING)).all())
    return {"widths": widths, "inside": inside, "seconds": spent, "explored": explored}


def measured(queries: int, limits: BucketLimits) -> dict[str, list[dict[str, Any]]]:
    """The queries of all networks; those of wide ones are three times as many."""
    names = sorted(path.name.removesuffix(".bif.gz") for path in NETWORKS.glob("*.bif.gz"))
    parts = sum(3 if name in WIDE else 1 for name in names)
    found = {}
    for at, name in enumerate(names):
        net = bayou.load(NETWORKS / f"{name}.bif.gz")
        count = -(-queries * (3 if name in WIDE else 1) // parts)
        found[name] = [asked(net, question, limits) for question in questions(net, count, at)]
        print(row(name, summary(found[name])), flush=True)
    return found


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """By time: the median width of the bounds, the share of exact answers and of those that say nothing."""
    widths = np.array([one["widths"] for one in found])
    return {
        "queries": len(found),
        "inside": float(np.mean([one["inside"] for one in found])),
        "median": np.median(widths, axis=0).tolist(),
        "exact": np.mean(widths <= 1e-9, axis=0).tolist(),
        "nothing": np.mean(widths > 1 - 1e-9, axis=0).tolist(),
    }


def row(name: str, found: dict[str, Any]) -> str:
    """A line of the table: queries, share inside; by time median width, share of exact and of [0, 1]."""
    by_time = zip(found["median"], found["exact"], found["nothing"], strict=True)
    cells = [f"{median:.2g} ({exact:.0%}, {nothing:.0%})" for median, exact, nothing in by_time]
    return f"| {name} | {found['queries']} | {found['inside']:.0%} | {' | '.join(cells)} |"


def main(queries: int) -> None:
    """Run all queries under both limits."""
    everything = {}
    for title, limits in LIMITS.items():
        print(title, "times", TIMES)
        found = measured(queries if title == "width 8" else queries // 10, limits)
        every = summary([one for ones in found.values() for one in ones])
        print(row("all", every), flush=True)
        everything[title] = {**{name: summary(ones) for name, ones in found.items()}, "all": every}
        WHERE.write_text(json.dumps({"times": TIMES, "limits": everything}, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
