"""Do the 99 % intervals of the engines that estimate keep their promise? Coverage, width and trust.

python benchmarks/calibration.py [trials per engine, 2000 unless told]

Each trial draws a row of a network, takes up to four of its cells as findings, estimates all marginals, and
compares them with the exact ones.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

import bayou
from bayou.errors import NoEstimate
from bayou.inference.sampling import look_ahead  # inside: only for the networks that are made narrow

NETWORKS = ("asia", "alarm", "insurance")
ENGINES = ("weighting", "gibbs", "rejection")
SAMPLES = 20_000
NARROW = 16


@dataclass
class Tally:
    """What happened in the trials so far."""

    trials: int = 0
    untrusted: int = 0
    verdicts: int = 0
    cells: int = 0
    covered: int = 0
    width: float = 0.0
    independent_width: float = 0.0

    @property
    def coverage(self) -> float:
        """The share of probabilities inside their interval, of answers that are trusted."""
        return self.covered / max(self.cells, 1)

    @property
    def width_ratio(self) -> float:
        """The mean width of intervals in units of that of independent draws of the same effective size."""
        return self.width / max(self.independent_width, 1e-300)

    def __str__(self) -> str:
        untrusted, silent = self.untrusted / self.trials, self.verdicts / self.trials
        return (
            f"{self.trials:5} trials: covered {self.coverage:.2%} of {self.cells:,}, "
            f"width {self.width_ratio:.2f}, untrusted {untrusted:.1%}, no estimate {silent:.1%}"
        )


def trial(net: bayou.Network, engine: str, seed: int, tally: Tally) -> None:
    """One set of findings: estimate, and compare with the exact answer."""
    random = np.random.default_rng(seed)
    row = net.sample(1, seed=seed).to_dicts()[0]
    found = random.permutation(len(net.names))[: random.integers(0, 5)].tolist()
    given = {net.names[place]: row[net.names[place]] for place in found}
    tally.trials += 1
    try:
        estimated = net.marginals(given, engine=engine, seed=seed, samples=SAMPLES)
    except NoEstimate:
        tally.verdicts += 1
        return
    if not estimated.trusted:
        tally.untrusted += 1
        return
    exact = net.marginals(given).to_arrays()
    for name, truth in exact.items():
        one = estimated.estimates[name]
        tally.cells += truth.size
        # Impossible states are known to be so; rounding is allowed for.
        tally.covered += int(((one.lower - 1e-9 <= truth) & (truth <= one.upper + 1e-9)).sum())
        tally.width += float((one.upper - one.lower).sum())
        tally.independent_width += float(exact_widths(truth, min(one.effective_size, 1e10)).sum())


def exact_widths(share: np.ndarray, size: float) -> np.ndarray:
    """The widths of Clopper and Pearson's 99 % intervals of shares of so many independent draws."""
    hits, misses = share * size, (1 - share) * size
    low = np.where(hits > 0, beta.ppf(0.005, hits, misses + 1), 0.0)
    high = np.where(misses > 0, beta.ppf(0.995, hits + 1, misses), 1.0)
    return high - low


def main(trials: int) -> None:
    warnings.simplefilter("ignore")
    for engine in ENGINES:
        run(engine, engine, trials)
    # What weighting does in networks that are too wide to be looked through exactly.
    look_ahead.cells_allowed = lambda *_: NARROW
    run("weighting", f"inside: weighting, tables of at most {NARROW} cells", trials)


def run(engine: str, title: str, trials: int) -> None:
    """Print a line for each network."""
    print(title)
    for name in NETWORKS:
        net, tally = getattr(bayou.examples, name)(), Tally()
        for seed in range(-(-trials // len(NETWORKS))):
            trial(net, engine, seed, tally)
        print(f"  {name:10} {tally}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
