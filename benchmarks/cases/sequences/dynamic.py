"""Ten binary chains coupled in a ring, each with an observed child: filtered and smoothed. And a hidden state
that switches a hidden number, filtered by Rao-Blackwellised particles.

Each chain's next state depends on itself and on both neighbours, so that the hidden states of a step have
1,024 combinations. The check is the sum of P(chain = 1 | everything observed) over all chains and steps; of
the particles it is the estimated log-likelihood.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work

CHAINS, STEPS = 10, 1000
SHORT = 20
"""The steps that pyAgrum is given: 100 take it more than three minutes."""


def tables() -> dict[str, np.ndarray]:
    """P(X), P(X' | left, own, right) and P(Y | X) of every chain."""
    chance = np.random.default_rng(0)
    found = {}
    for k in range(CHAINS):
        found[f"X{k}"] = chance.dirichlet([2, 2])
        found[f"X{k}'"] = chance.dirichlet([2, 2], size=(2, 2, 2))
        found[f"Y{k}"] = chance.dirichlet([2, 2], size=2)
    return found


def neighbours(k: int) -> list[int]:
    """The chains that the next state of chain k depends on."""
    return [(k - 1) % CHAINS, k, (k + 1) % CHAINS]


def network() -> Any:
    """The template in bayou."""
    import bayou

    arcs = [(f"X{j}", f"X{k}'") for k in range(CHAINS) for j in neighbours(k)]
    arcs += [(f"X{k}", f"Y{k}") for k in range(CHAINS)]
    states = {f"{letter}{k}": [0, 1] for letter in "XY" for k in range(CHAINS)}
    made = bayou.DynamicNetwork(arcs, states=states)
    for name, table in tables().items():
        made.set_cpt(name, table)
    return made


def observed(steps: int) -> dict[str, list[int]]:
    """What the children of a drawn sequence show."""
    drawn = network().sample(steps, seed=1)
    return {name: cells for name, cells in drawn.items() if name.startswith("Y")}


def bayou_slices(steps: int) -> Any:
    """``filter`` and ``smooth`` of the public interface."""

    def prepare(scale: float) -> Work:
        made, rows = network(), observed(steps)
        made.filter(rows)  # compiles the programs of the slices, once for a template
        made.smooth(rows)

        def run() -> Any:
            return made.filter(rows), made.smooth(rows)

        return Work(
            run, lambda found: float(sum(found[1][f"X{k}"].probabilities[:, 1].sum() for k in range(CHAINS)))
        )

    return prepare


def unrolled(steps: int) -> Any:
    """pyAgrum on the unrolled network, by its junction tree: the smoothed posteriors only."""

    def prepare(scale: float) -> Work:
        import pyagrum

        net, own = pyagrum.BayesNet(), tables()
        for t in range(steps):
            for k in range(CHAINS):
                net.add(pyagrum.LabelizedVariable(f"X{k}_{t}", "", 2))
                net.add(pyagrum.LabelizedVariable(f"Y{k}_{t}", "", 2))
        for t in range(steps):
            for k in range(CHAINS):
                if t:
                    for j in neighbours(k):
                        net.addArc(f"X{j}_{t - 1}", f"X{k}_{t}")
                net.addArc(f"X{k}_{t}", f"Y{k}_{t}")
                fill(net.cpt(f"X{k}_{t}"), own[f"X{k}'" if t else f"X{k}"])
                fill(net.cpt(f"Y{k}_{t}"), own[f"Y{k}"])
        rows = observed(steps)
        evidence = {f"{name}_{t}": cell for name, cells in rows.items() for t, cell in enumerate(cells)}

        def run() -> Any:
            engine = pyagrum.LazyPropagation(net)
            engine.setEvidence(evidence)
            for t in range(steps):
                for k in range(CHAINS):
                    engine.addTarget(f"X{k}_{t}")
            engine.makeInference()
            return sum(engine.posterior(f"X{k}_{t}")[1] for t in range(steps) for k in range(CHAINS))

        return Work(run, float)

    return prepare


def fill(cpt: Any, table: np.ndarray) -> None:
    """Write a table whose axes are the parents as added, then the variable."""
    import pyagrum

    names = [cpt.variable(k).name() for k in range(cpt.nbrDim())]
    order = [names[0], *names[1:]]
    at = pyagrum.Instantiation(cpt)
    at.setFirst()
    while not at.end():
        parents = tuple(at.val(cpt.variable(k)) for k in range(1, len(order)))
        cpt.set(at, float(table[(*parents, at.val(cpt.variable(0)))]))
        at.inc()


PARTICLES = 1000
MODES = ((4.0, 0.8, 0.25), (2.0, 1.0, 0.25))
"""The next heat is intercept + slope · heat + noise of this variance, by mode."""
FIRST, STAYS, METER = (0.95, 0.05), ((0.97, 0.03), (0.1, 0.9)), 4.0


def machine() -> Any:
    """A cooler that may be stuck, and a poor thermometer, in bayou."""
    import bayou

    names = ("ok", "stuck")
    lines = {
        name: {"mean": mean, "variance": variance, "coefficients": {"heat": slope}}
        for name, (mean, slope, variance) in zip(names, MODES, strict=True)
    }
    return bayou.DynamicNetwork(
        "mode -> mode'; mode -> heat; heat -> heat'; heat -> meter",
        states={"mode": list(names)},
        continuous=["heat", "meter"],
        tables={
            "mode": list(FIRST),
            "mode'": [list(row) for row in STAYS],
            "heat": dict.fromkeys(names, (20, 4)),
            "heat'": lines,
            "meter": {"mean": 0, "variance": METER, "coefficients": {"heat": 1}},
        },
    )


def bayou_particles(scale: float) -> Work:
    """``filter`` of the public interface: probabilities, means, deviations and their standard errors."""
    net = machine()
    data = {"meter": net.sample(int(STEPS * scale), seed=1)["meter"]}
    return Work(lambda: net.filter(data, particles=PARTICLES), lambda found: float(found.log_likelihood))


def numpy_particles(any_matrices: bool) -> Any:
    """The same filter on whole arrays of particles: every mode is weighed before one is drawn."""
    ahead = matrices_ahead if any_matrices else numbers_ahead

    def prepare(scale: float) -> Work:
        meters = np.array(machine().sample(int(STEPS * scale), seed=1)["meter"])
        return Work(lambda: plain_particles(meters, PARTICLES, 0, ahead), float)

    return prepare


Ahead = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""By mode and particle: the density of the value, and mean, variance and (in matrices) gain given it."""


def numbers_ahead(mean: np.ndarray, variance: np.ndarray, value: float, first: bool) -> Ahead:
    """For one hidden number."""
    intercept, slope, noise = (np.array(part)[:, None] for part in zip(*MODES, strict=True))
    ahead = np.full((2, len(mean)), 20.0) if first else intercept + slope * mean
    spread = np.full((2, len(mean)), 4.0) if first else slope**2 * variance + noise
    seen = spread + METER
    density = np.exp(-0.5 * (value - ahead) ** 2 / seen) / np.sqrt(2 * np.pi * seen)
    gain = spread / seen
    return density, ahead + gain * (value - ahead), (1 - gain) * spread, gain


def matrices_ahead(mean: np.ndarray, variance: np.ndarray, value: float, first: bool) -> Ahead:
    """For any number of hidden and observed numbers: matrices [mode, particle, …], here of one row."""
    count = len(mean)
    move = np.array([[[slope]] for _, slope, _ in MODES])[:, None]
    drift = np.array([[intercept] for intercept, _, _ in MODES])[:, None]
    noise = np.array([[[spread]] for _, _, spread in MODES])[:, None]
    shows, error = np.ones((1, 1)), np.full((1, 1), METER)
    if first:
        ahead, spread = np.full((2, count, 1), 20.0), np.full((2, count, 1, 1), 4.0)
    else:
        ahead = (move @ mean[None, :, None, None])[..., 0] + drift
        spread = move @ variance[None, :, None, None] @ np.swapaxes(move, -1, -2) + noise
    seen = shows @ spread @ shows.T + error
    apart = value - ahead @ shows.T
    whitened = np.linalg.solve(seen, apart[..., None])
    squares = (apart[..., None] * whitened).sum(axis=(-1, -2))
    density = np.exp(-0.5 * squares) / np.sqrt(np.linalg.det(2 * np.pi * seen))
    gain = spread @ shows.T @ np.linalg.inv(seen)
    after = ahead + (gain @ apart[..., None])[..., 0]
    left = spread - gain @ shows @ spread
    return density, after[..., 0], left[..., 0, 0], gain[..., 0, 0]


def plain_particles(meters: np.ndarray, count: int, seed: int, ahead: Callable[..., Ahead]) -> float:
    """The estimated log-likelihood; what is known of mode and heat at each step is found on the way."""
    chance = np.random.default_rng(seed)
    stays, every = np.array(STAYS).T, np.arange(count)
    mode = np.zeros(count, dtype=int)
    mean, variance = np.zeros(count), np.zeros(count)
    shares, total = np.full(count, 1 / count), 0.0
    beliefs = np.zeros((len(meters), 3))
    for t, value in enumerate(meters):
        density, means, variances, _ = ahead(mean, variance, value, t == 0)
        weights = density * (stays[:, mode] if t else np.array(FIRST)[:, None])
        sums = weights.sum(axis=0)
        mode = (chance.random(count) * sums >= weights[0]).astype(int)
        mean, variance = means[mode, every], variances[mode, every]
        shares = shares * sums
        step = shares.sum()
        total += float(np.log(step))
        shares = shares / step
        centre = float(shares @ mean)
        beliefs[t] = shares @ mode, centre, shares @ (variance + (mean - centre) ** 2)
        if 1 / (shares**2).sum() < count / 2:
            places = (chance.random() + every) / count
            chosen = np.minimum(np.searchsorted(np.cumsum(shares), places), count - 1)
            mode, mean, variance = mode[chosen], mean[chosen], variance[chosen]
            shares = np.full(count, 1 / count)
    return total


CASES = (
    Case(
        "dynamic-ring",
        f"dynamic network of ten binary chains coupled in a ring, {STEPS:,} steps: filter and smooth",
        {"bayou": bayou_slices(STEPS)},
        below_ms=150,
        note="No peer ends: pgmpy's DBNInference needs more than 200 s for 3 steps, pyAgrum for 100.",
    ),
    Case(
        "dynamic-ring-short",
        f"dynamic network of ten binary chains coupled in a ring, {SHORT} steps: filter and smooth",
        {"bayou": bayou_slices(SHORT), "pyAgrum": unrolled(SHORT)},
        targets={"pyAgrum": 50},
        tolerance=1e-6,
        note="pyAgrum works on the unrolled network and gives the smoothed posteriors only.",
    ),
    Case(
        "dynamic-switching",
        f"dynamic network whose hidden state switches a hidden number, {STEPS:,} steps: filter with "
        f"{PARTICLES:,} particles",
        {
            "bayou": bayou_particles,
            "numpy": numpy_particles(any_matrices=True),
            "numpy for one number": numpy_particles(any_matrices=False),
        },
        targets={"numpy": 2},
        tolerance=2e-3,
        note="The estimates differ by their random numbers. bayou and the first filter take matrices of any "
        "size; the other one is written for one hidden number, and faster than both.",
    ),
)
