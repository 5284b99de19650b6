"""The jobs that users have for data of any kind; each is done on a table and gives results to compare."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from tests.conformance import sequence_jobs

import bayou
from bayou import Network
from bayou.errors import TooWide

Table = dict[str, list[Any]]


@dataclass(frozen=True)
class Job:
    """What is done with a table; ``run`` gets it as any kind of data and returns numbers, names or lists."""

    table: Table
    run: Callable[[Any], list[Any]]


def _patients(rows: int = 240, seed: int = 3, gaps: float = 0.0) -> Table:
    random = np.random.default_rng(seed)
    kind = random.integers(0, 3, rows)
    wet = np.where(random.random(rows) < 0.8, kind % 2, 1 - kind % 2)
    height = 2.0 * kind + random.normal(0, 1, rows)
    columns: Table = {
        "wet": [("dry", "wet")[k] for k in wet],
        "legs": (kind + random.integers(0, 4, rows)).tolist(),
        "height": height.tolist(),
        "weight": (0.5 * height + kind + random.normal(0, 0.5, rows)).tolist(),
    }
    for column in columns.values():
        for row in np.flatnonzero(random.random(rows) < gaps).tolist():
            column[row] = None
    return {**columns, "kind": [("ape", "bee", "cat")[k] for k in kind]}


def _letters(rows: int = 120, seed: int = 5) -> Table:
    random = np.random.default_rng(seed)
    words = {"spam": ["buy", "cheap", "pills", "now", "see"], "ham": ["see", "you", "at", "lunch", "now"]}
    kinds = random.choice(["spam", "ham"], rows).tolist()
    texts: list[Any] = [" ".join(random.choice(words[kind], 6).tolist()) for kind in kinds]
    texts[7] = None
    return {"text": texts, "kind": kinds}


def _visits(rows: int = 200, seed: int = 2) -> Table:
    """Sequences of very different length whose rows lie in no order."""
    random = np.random.default_rng(seed)
    who = random.choice(["anna", "bert", "carl"], rows, p=[0.1, 0.6, 0.3])
    day = random.permutation(rows)
    mood = [("low", "high")[int(np.sin(d / 9) + random.normal(0, 0.5) > 0)] for d in day]
    return {"who": who.tolist(), "day": day.tolist(), "mood": mood}


TABLE, GAPS, MORE = _patients(), _patients(gaps=0.1), _patients(90, seed=5)
NEW = {name: column for name, column in _patients(60, seed=7, gaps=0.1).items() if name != "kind"}
LETTERS, VISITS = _letters(), _visits()
DISCRETE = {name: TABLE[name] for name in ("wet", "legs", "kind")}
DISCRETE_GAPS = {name: GAPS[name] for name in ("wet", "legs", "kind")}
NUMBERS = {name: TABLE[name] for name in ("height", "weight", "kind")}
ARROWS = "kind -> wet; kind -> legs; kind -> height; height -> weight"


def _only(table: Table, names: Any) -> Table:
    return {name: table[name] for name in names if name in table}


def _classified(model: Any, columns: Table) -> list[Any]:
    names = [name for name in columns if name != "kind"]
    return [model.classes_.tolist(), model.predict_proba(_only(NEW, names))]


def _judged(net: Network) -> list[Any]:
    table = _only(TABLE, net.names)
    return [sorted(map(str, net.arcs)), np.asarray(net.log_likelihood(table, per_row=True))]


def _chain(data: Any) -> list[Any]:
    hmm = bayou.HMM(2).fit(data, sequence="who", time="day", max_iterations=5, seed=1)
    return [hmm.score(["low", "high", "high", "low"])]


def _answers(found: Any) -> Any:
    """P(kind) of each row: an array, a network's posteriors, or the last columns of a Spark DataFrame."""
    if hasattr(found, "toPandas"):
        return found.toPandas().iloc[:, -3:].to_numpy()
    return found if isinstance(found, np.ndarray) else found["kind"]


def _posteriors(data: Any) -> Any:
    """P(kind) of each row by a network; those of a large file are written to another one."""
    with suppress(TooWide):
        return _answers(_NET.posterior(data, "kind"))
    with tempfile.TemporaryDirectory() as folder:
        written = _NET.posterior(data, "kind", out=Path(folder) / "answers.parquet")
        return pl.read_parquet(written).to_numpy()[:, -3:].astype(np.float64)


_NAIVE = bayou.NaiveBayes().fit(TABLE, "kind")
_NET = Network(ARROWS).fit(TABLE)
_CUTS = Network(ARROWS, states={"height": bayou.Cuts([0, 2, 4])})

JOBS: dict[str, Job] = {
    "naive Bayes": Job(TABLE, lambda data: _classified(bayou.NaiveBayes().fit(data, "kind"), TABLE)),
    "Gaussian classes": Job(
        NUMBERS, lambda data: _classified(bayou.GaussianBayes("full").fit(data, "kind"), NUMBERS)
    ),
    "TAN": Job(TABLE, lambda data: _classified(bayou.TAN().fit(data, "kind"), TABLE)),
    "AODE": Job(TABLE, lambda data: _classified(bayou.AODE().fit(data, "kind"), TABLE)),
    "text": Job(
        LETTERS,
        lambda data: [
            bayou.TextNaiveBayes().fit(data, "kind").predict_proba({"text": ["buy now", "see you at lunch"]})
        ],
    ),
    "learning in parts": Job(
        TABLE, lambda data: _classified(bayou.NaiveBayes().fit(GAPS, "kind").partial_fit(data, "kind"), TABLE)
    ),
    "network": Job(TABLE, lambda data: _judged(Network(ARROWS).fit(data))),
    "network, in parts": Job(TABLE, lambda data: _judged(Network(ARROWS).fit(GAPS).partial_fit(data))),
    "network, forgetting": Job(
        TABLE, lambda data: _judged(Network(ARROWS).fit(MORE).partial_fit(TABLE).forget(data))
    ),
    "network with cuts": Job(TABLE, lambda data: _judged(_CUTS.copy().fit(data))),
    "EM": Job(
        DISCRETE_GAPS,
        lambda data: _judged(Network("kind -> wet; kind -> legs").fit(data, max_iterations=20)),
    ),
    "EM, hidden variable": Job(
        DISCRETE,
        lambda data: _judged(
            Network("h -> wet; h -> legs; h -> kind", states={"h": ["a", "b"]}).fit(data, max_iterations=20)
        ),
    ),
    "structure": Job(DISCRETE, lambda data: _judged(bayou.learn_structure(data))),
    "structure, Chow–Liu": Job(
        DISCRETE, lambda data: _judged(bayou.learn_structure(data, method="chow-liu"))
    ),
    "structure of numbers": Job(
        {name: TABLE[name] for name in ("height", "weight")},
        lambda data: _judged(bayou.learn_structure(data)),
    ),
    "HMM": Job(VISITS, _chain),
    "HMM, decode": Job(sequence_jobs.MOODS, sequence_jobs.decoded),
    "HMM, states of rows": Job(sequence_jobs.MOODS, sequence_jobs.rows_decoded),
    "HMM, filter and smooth": Job(sequence_jobs.MOODS, sequence_jobs.beliefs),
    "HMM, forecast": Job(sequence_jobs.MOODS, sequence_jobs.ahead),
    "sequence classifier": Job(sequence_jobs.KINDS, sequence_jobs.classes),
    "sequence classifier, predict": Job(sequence_jobs.MOODS, sequence_jobs.classified),
    "Kalman model": Job(sequence_jobs.HEIGHTS, sequence_jobs.level),
    "Kalman model, questions": Job(sequence_jobs.HEIGHTS, sequence_jobs.levels),
    "dynamic network": Job(sequence_jobs.SKIES, sequence_jobs.template),
    "dynamic network, EM": Job(sequence_jobs.SKIES, sequence_jobs.hidden_template),
    "dynamic network, questions": Job(sequence_jobs.UMBRELLAS, sequence_jobs.slices),
    "evaluate": Job(
        NUMBERS, lambda data: [bayou.evaluate(["nb"], data, "kind", folds=3)["nb"].probabilities]
    ),
    "cross_validate": Job(
        TABLE, lambda data: [bayou.cross_validate(Network(ARROWS), data, folds=3).row_losses]
    ),
    "predict": Job(NEW, lambda data: [_answers(_NAIVE.predict_proba(data))]),
    "posteriors": Job(NEW, lambda data: [_posteriors(data)]),
    "log-likelihood": Job(GAPS, lambda data: [_NET.log_likelihood(data)]),
    "check": Job(GAPS, lambda data: [str(bayou.check(data))]),
}
"""What is done with data, by the names that the table of the docs shows."""
