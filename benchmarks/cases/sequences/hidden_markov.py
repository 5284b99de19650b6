"""Hidden Markov models: learning, scoring and decoding 1,000,000 steps, many states, one short sequence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from case import Case, Work

STATES, SYMBOLS, DIMENSIONS = 8, 64, 4
SEQUENCES, STEPS = 1_000, 1_000


def parameters(states: int = STATES, symbols: int = SYMBOLS) -> dict[str, np.ndarray]:
    """Start, transition, emissions of symbols, and Gaussians of a random model."""
    chance = np.random.default_rng(0)
    spread = chance.normal(size=(states, DIMENSIONS, DIMENSIONS))
    return {
        "start": np.full(states, 1 / states),
        "transition": chance.dirichlet(np.full(states, 2.0), states),
        "emission": chance.dirichlet(np.full(symbols, 0.5), states),
        "means": chance.normal(0, 2, (states, DIMENSIONS)),
        "covariances": np.eye(DIMENSIONS) + 0.1 * spread @ spread.transpose(0, 2, 1),
    }


def symbols_of(scale: float, count: int = SEQUENCES, steps: int = STEPS) -> tuple[np.ndarray, list[int]]:
    """Random symbols, one column, and the lengths of the sequences."""
    count = max(int(count * scale), 1)
    chance = np.random.default_rng(1)
    return chance.integers(0, SYMBOLS, (count * steps, 1)), [steps] * count


def numbers_of(scale: float) -> tuple[np.ndarray, list[int]]:
    """Random rows of four numbers, and the lengths of the sequences."""
    count = max(int(SEQUENCES * scale), 1)
    return np.random.default_rng(2).normal(0, 2, (count * STEPS, DIMENSIONS)), [STEPS] * count


def _bayou(kind: str, states: int = STATES) -> Any:
    import bayou

    own = parameters(states)
    columns = {"x": list(range(SYMBOLS))} if kind == "symbols" else {f"x{k}": "gaussian" for k in range(4)}
    model = bayou.HMM(states, columns).set_start(own["start"]).set_transition(own["transition"])
    if kind == "symbols":
        return model.set_emission("x", own["emission"])
    return model.set_gaussian(own["means"], own["covariances"])


def _hmmlearn(kind: str, states: int = STATES, **options: Any) -> Any:
    from hmmlearn import hmm

    own = parameters(states)
    options["implementation"] = "scaling"  # the faster one of its two
    if kind == "symbols":
        model = hmm.CategoricalHMM(states, init_params="", tol=-np.inf, **options)
        model.n_features, model.emissionprob_ = SYMBOLS, own["emission"]
    else:
        model = hmm.GaussianHMM(states, "full", init_params="", tol=-np.inf, **options)
        model.n_features, model.means_, model.covars_ = DIMENSIONS, own["means"], own["covariances"]
        model.covars_prior, model.covars_weight, model.min_covar = 0.0, 0.0, 0.0
    model.startprob_, model.transmat_ = own["start"], own["transition"]
    return model


def _pomegranate(**options: Any) -> Any:
    import torch
    from pomegranate.distributions import Normal
    from pomegranate.hmm import DenseHMM

    own = {name: torch.tensor(value, dtype=torch.float32) for name, value in parameters().items()}
    parts = [Normal(mean, cov) for mean, cov in zip(own["means"], own["covariances"], strict=True)]
    return DenseHMM(parts, edges=own["transition"], starts=own["start"], **options)


def _tensor(rows: np.ndarray, lengths: list[int]) -> Any:
    import torch

    return torch.tensor(rows.reshape(len(lengths), -1, rows.shape[1]), dtype=torch.float32)


def _data(kind: str, scale: float) -> tuple[np.ndarray, list[int]]:
    return symbols_of(scale) if kind == "symbols" else numbers_of(scale)


def bayou_learn(kind: str, scale: float, iterations: int = 10) -> Work:
    """So many steps of Baum and Welch by ``HMM.fit``."""
    rows, lengths = _data(kind, scale)

    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _bayou(kind).fit(
                rows,
                lengths=lengths,
                method="baum-welch",
                start="present",
                tolerance=0,
                max_iterations=iterations,
            )

    return Work(run, lambda found: found.log_likelihood(rows, lengths=lengths))


def hmmlearn_learn(kind: str, scale: float, iterations: int = 10) -> Work:
    """So many steps by ``fit``."""
    rows, lengths = _data(kind, scale)
    return Work(
        lambda: _hmmlearn(kind, n_iter=iterations).fit(rows, lengths),
        lambda found: float(found.score(rows, lengths)),
    )


def pomegranate_learn(scale: float) -> Work:
    """Ten steps by ``DenseHMM.fit`` (float32)."""
    rows, lengths = numbers_of(scale)
    given = _tensor(rows, lengths)

    def run() -> Any:
        model = _pomegranate(max_iter=10)
        model.tol = -np.inf  # in sums of float32 a step may seem to gain nothing: all ten are wanted
        return model.fit(given)

    return Work(run, lambda found: float(found.log_probability(given).double().sum()))


def bayou_score(kind: str, scale: float) -> Work:
    """``HMM.score``."""
    rows, lengths = _data(kind, scale)
    model = _bayou(kind)
    return Work(lambda: model.score(rows, lengths=lengths), float)


def hmmlearn_score(kind: str, scale: float) -> Work:
    """``score``."""
    rows, lengths = _data(kind, scale)
    model = _hmmlearn(kind)
    return Work(lambda: model.score(rows, lengths), float)


def pomegranate_score(scale: float) -> Work:
    """``log_probability`` (float32)."""
    model, given = _pomegranate(), _tensor(*numbers_of(scale))
    return Work(lambda: model.log_probability(given), lambda found: float(found.double().sum()))


def bayou_decode(kind: str, scale: float) -> Work:
    """``HMM.decode``."""
    rows, lengths = _data(kind, scale)
    model = _bayou(kind)
    return Work(
        lambda: model.decode(rows, lengths=lengths),
        lambda found: float(sum(path.log_probability for path in found)),
    )


def hmmlearn_decode(kind: str, scale: float) -> Work:
    """``decode``."""
    rows, lengths = _data(kind, scale)
    model = _hmmlearn(kind)
    return Work(lambda: model.decode(rows, lengths), lambda found: float(found[0]))


def pomegranate_decode(scale: float) -> Work:
    """``DenseHMM.viterbi`` (float32), which returns the paths only."""
    rows, lengths = numbers_of(scale)
    model, given = _pomegranate(), _tensor(rows, lengths)
    return Work(lambda: model.viterbi(given), lambda found: _log_of_paths(rows, found.numpy()))


def _log_of_paths(rows: np.ndarray, paths: np.ndarray) -> float:
    """log P(paths, rows) of the Gaussian model."""
    own = parameters()
    away = rows - own["means"][paths.ravel()]
    solved = np.einsum("nij,nj->ni", np.linalg.inv(own["covariances"])[paths.ravel()], away)
    bases = -0.5 * np.linalg.slogdet(2 * np.pi * own["covariances"])[1]
    moves = np.log(own["transition"])[paths[:, :-1], paths[:, 1:]].sum()
    emitted = bases[paths].sum() - 0.5 * (away * solved).sum()
    return float(np.log(own["start"])[paths[:, 0]].sum() + moves + emitted)


def matrix_products(work: str, scale: float) -> Work:
    """numpy's products of large matrices (dgemm) with as many operations as 200 states need: a yardstick.

    A step multiplies a row with a matrix of 200 × 200 numbers. Learning does so forwards, backwards and for
    the counts, and ``HMM.fit`` once more after the step, for the likelihood that it reports (hmmlearn does
    not). It has no answer: its check is that of bayou.
    """
    side, products = 1_000, 1 if work == "score" else 6
    operations = products * 2 * 200**2 * len(symbols_of(scale, 100)[0])
    times = range(max(round(operations / (2 * side**3)), 1))
    matrix = np.random.default_rng(3).random((side, side))
    bayou = many_states("bayou", work, scale)
    return Work(lambda: [matrix @ matrix for _ in times][-1], lambda _: bayou.check(bayou.run()))


def many_states(system: str, work: str, scale: float) -> Work:
    """200 states, 100 sequences of 1,000 steps: a score, or one step of Baum and Welch."""
    rows, lengths = symbols_of(scale, 100)
    if system == "matrix products":
        return matrix_products(work, scale)
    if system == "hmmlearn":
        if work == "score":
            model = _hmmlearn("symbols", 200)
            return Work(lambda: model.score(rows, lengths), float)
        return Work(
            lambda: _hmmlearn("symbols", 200, n_iter=1).fit(rows, lengths),
            lambda found: float(found.score(rows, lengths)),
        )
    if work == "score":
        model = _bayou("symbols", 200)
        return Work(lambda: model.score(rows, lengths=lengths), float)

    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _bayou("symbols", 200).fit(
                rows, lengths=lengths, method="baum-welch", start="present", tolerance=0, max_iterations=1
            )

    return Work(run, lambda found: found.log_likelihood(rows, lengths=lengths))


def one_sequence(system: str, steps: int, work: str = "score") -> Work:
    """The score or the best path of one sequence; of a short one a hundred times."""
    rows, _ = symbols_of(1, 1, steps)
    times = range(100 if steps < 1000 else 1)
    model = _hmmlearn("symbols") if system == "hmmlearn" else _bayou("symbols")
    if work == "score":
        return Work(lambda: [model.score(rows) for _ in times][-1], float)
    return Work(
        lambda: [model.decode(rows) for _ in times][-1],
        lambda found: float(found[0] if system == "hmmlearn" else found.log_probability),
    )


def _cases(kind: str, title: str, targets: dict[str, tuple[str, float]]) -> list[Case]:
    """Learning, scoring and decoding of one kind of emission."""
    ours = {"learn": bayou_learn, "score": bayou_score, "decode": bayou_decode}
    theirs = {"learn": hmmlearn_learn, "score": hmmlearn_score, "decode": hmmlearn_decode}
    others: dict[str, Any] = {}
    if kind == "gaussian":
        others = {"learn": pomegranate_learn, "score": pomegranate_score, "decode": pomegranate_decode}
    titles = {"learn": "10 steps of Baum–Welch", "score": "log-likelihood", "decode": "Viterbi paths"}
    found = []
    for work, name in titles.items():
        systems = {
            "bayou": lambda scale, work=work: ours[work](kind, scale),
            "hmmlearn": lambda scale, work=work: theirs[work](kind, scale),
        }
        if work in others:
            systems["pomegranate"] = others[work]
        peer, ratio = targets[work]
        tolerance = 1e-3 if work in others else 1e-6  # pomegranate computes in float32
        found.append(
            Case(f"hmm-{kind}-{work}", f"{title}: {name}", systems, {peer: ratio}, tolerance=tolerance)
        )
    return found


CASES = [
    *_cases(
        "symbols",
        "HMM of 8 states and 64 symbols, 1,000 × 1,000 steps",
        {"learn": ("hmmlearn", 20), "score": ("hmmlearn", 12), "decode": ("hmmlearn", 10)},
    ),
    *_cases(
        "gaussian",
        "HMM of 8 states, 4 Gaussian columns with full covariance, 1,000 × 1,000 steps",
        {"learn": ("pomegranate", 15), "score": ("pomegranate", 6), "decode": ("pomegranate", 8)},
    ),
    *(
        Case(
            f"hmm-200-states-{work}",
            f"HMM of 200 states, 64 symbols, 100 × 1,000 steps: {name}",
            {
                system: lambda scale, system=system, work=work: many_states(system, work, scale)
                for system in ("bayou", "hmmlearn", "matrix products")
            },
            {"hmmlearn": 10, "matrix products": 0.5},
            tolerance=1e-6,
        )
        for work, name in (("score", "log-likelihood"), ("learn", "one step of Baum–Welch"))
    ),
    *(
        Case(
            f"hmm-one-{steps}{'' if work == 'score' else '-' + work}",
            title,
            {
                system: lambda scale, system=system, steps=steps, work=work: one_sequence(system, steps, work)
                for system in ("bayou", "hmmlearn")
            },
            {"hmmlearn": ratio},
            tolerance=1e-9 if steps < 1000 else 1e-8,
        )
        for steps, work, title, ratio in (
            (
                50,
                "score",
                "HMM of 8 states and 64 symbols, one sequence of 50 steps: log-likelihood, a hundred times",
                5,
            ),
            (
                50,
                "decode",
                "HMM of 8 states and 64 symbols, one sequence of 50 steps: Viterbi path, a hundred times",
                5,
            ),
            (
                1_000_000,
                "score",
                "HMM of 8 states and 64 symbols, one sequence of 1,000,000 steps: log-likelihood",
                10,
            ),
        )
    ),
]
