"""How far loopy propagation is off on classic networks, and how long it takes.

``python benchmarks/loopy.py [network …]`` reads the networks in ``../shared/data/networks`` beside the
repository, draws findings from each network itself, and compares all marginals with the exact ones. It prints
a table of Markdown, which docs/understand/loopy-propagation.md holds.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np

import bayou
from bayou.errors import BayouError, BayouWarning

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = REPOSITORY.parent / "shared" / "data"
if not SHARED.is_dir():
    # A git worktree lies one folder deeper.
    SHARED = REPOSITORY.parents[1] / "shared" / "data"
CASES = 20
FINDINGS = 4
HEADER = (
    "| network | variables | findings | converged | mean error | largest error | sweeps | loopy | exact |"
)


def measured(net: bayou.Network, findings: int) -> str:
    """One line of the table: the same number of findings, drawn again for each case."""
    errors, largest, sweeps, converged = [], [], [], 0
    seconds: dict[str, list[float]] = {"loopy": [], "compiled": []}
    for case in range(CASES if findings else 1):
        drawn = net.sample(1, seed=case).to_dicts()[0]
        chosen = np.random.default_rng(case).permutation(len(net.names))[:findings]
        given = {net.names[k]: drawn[net.names[k]] for k in chosen}
        answers = {}
        for engine in seconds:
            started = time.perf_counter()
            answers[engine] = net.marginals(given, engine=engine)
            seconds[engine].append(time.perf_counter() - started)
        found, exact = (answers[engine].to_arrays() for engine in ("loopy", "compiled"))
        gaps = np.concatenate([np.abs(found[name] - exact[name]) for name in exact])
        converged += bool(answers["loopy"].converged)
        errors.append(gaps.mean())
        largest.append(gaps.max())
        sweeps.append(answers["loopy"].iterations)
    cases = CASES if findings else 1
    spent = " | ".join(duration(float(np.median(seconds[engine]))) for engine in seconds)
    return (
        f"{findings} | {converged} of {cases} | {np.mean(errors):.1g} | {np.max(largest):.2g} | "
        f"{np.median(sweeps):.0f} | {spent} |"
    )


def duration(seconds: float) -> str:
    """A time with two digits and its unit."""
    digits = 1 - int(np.floor(np.log10(1e3 * seconds)))
    return f"{round(1e3 * seconds, digits):,g} ms"


def main() -> None:
    """Print the table for the networks named on the command line, or for all."""
    warnings.simplefilter("ignore", BayouWarning)
    bayou.examples.storm().marginals(engine="loopy")  # what the first call loads is not measured
    paths = sorted((SHARED / "networks").glob("*.bif.gz"))
    wanted = sys.argv[1:]
    print(HEADER)
    print("|---" * HEADER.count("| ") + "|")
    for path in paths:
        name = path.name.partition(".")[0]
        if wanted and name not in wanted:
            continue
        net = bayou.load(path)
        for findings in (0, FINDINGS):
            try:
                print(f"| {name} | {len(net.names)} | {measured(net, findings)}", flush=True)
            except BayouError as error:
                print(f"| {name} | {len(net.names)} | {findings} | {type(error).__name__}", flush=True)


if __name__ == "__main__":
    main()
