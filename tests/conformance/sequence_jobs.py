"""The jobs that users have for sequences in data of any kind."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import bayou

KEYS = {"sequence": "who", "time": "day"}


def _walks(rows: int = 240, sequences: int = 8, seed: int = 4) -> dict[str, list[Any]]:
    """Sequences of a number and two symbols; rows lie in no order, and each sequence has a kind."""
    random = np.random.default_rng(seed)
    who = np.sort(random.integers(0, sequences, rows))
    level = np.cumsum(random.normal(0, 1, rows))
    order = random.permutation(rows)
    columns: dict[str, list[Any]] = {
        "who": [f"w{k}" for k in who],
        "day": list(range(rows)),
        "height": (level + random.normal(0, 0.5, rows)).tolist(),
        "mood": [("low", "high")[int(x + random.normal() > 0)] for x in level],
        "sky": [("grey", "blue")[int(np.sin(k / 5) + random.normal(0, 0.4) > 0)] for k in range(rows)],
        "kind": [("cat", "dog")[k % 2] for k in who],
    }
    return {name: [column[k] for k in order] for name, column in columns.items()}


_ALL = _walks()


def _of(*names: str) -> dict[str, list[Any]]:
    return {name: _ALL[name] for name in ("who", "day", *names)}


MOODS, HEIGHTS, SKIES, KINDS = _of("mood"), _of("height"), _of("mood", "sky"), _of("mood", "kind")
UMBRELLAS = {**_of(), "Umbrella": [("yes", "no")[sky == "blue"] for sky in _ALL["sky"]]}
_HMM = bayou.HMM(["down", "up"], {"mood": ["low", "high"]}).set_start([0.5, 0.5])
_HMM.set_transition([[0.9, 0.1], [0.2, 0.8]]).set_emission("mood", [[0.7, 0.3], [0.2, 0.8]])
_LEVEL = partial(bayou.KalmanModel, [[1.0]], [[1.0]], columns=["height"])
_SKY = "Sky -> Sky'; Sky -> sky; sky -> mood"
_SKIES = {"Sky": ["calm", "wild"], "sky": ["blue", "grey"], "mood": ["high", "low"]}


def _timed(answers: Any, what: str) -> list[Any]:
    """The times, the names and the numbers of answers about sequences."""
    found = list(answers)
    numbers = [np.asarray(getattr(one, what), dtype=float) for one in found]
    return [[list(map(int, one.times)) for one in found], [one.key for one in found], np.concatenate(numbers)]


def decoded(data: Any) -> list[Any]:
    """The most probable states."""
    return _timed(_HMM.decode(data, **KEYS), "codes")


def beliefs(data: Any) -> list[Any]:
    """Filtered and smoothed states."""
    ask = (_HMM.filter, _HMM.smooth)
    return [part for one in ask for part in _timed(one(data, **KEYS), "probabilities")]


def ahead(data: Any) -> list[Any]:
    """What comes next."""
    found = _HMM.forecast(data, 2, **KEYS)
    return [[one.times for one in found], np.concatenate([one.states for one in found])]


def rows_decoded(data: Any) -> list[Any]:
    """The state of every row."""
    found = _HMM.decode_rows(data, **KEYS)
    return [found.states, found.keys["who"], found.probability]


def level(data: Any) -> list[Any]:
    """A Kalman model learned by EM."""
    model = _LEVEL().fit(data, max_iterations=5, **KEYS)
    return [model.transition_noise, model.observation_noise, model.log_likelihood([0.0, 1.0, 0.5])]


def levels(data: Any) -> list[Any]:
    """Kalman filter and smoother, and what comes next."""
    model = _LEVEL()
    found = [one.means for ask in (model.filter, model.smooth) for one in ask(data, **KEYS)]
    return [np.concatenate([*found, *(one.means for one in model.forecast(data, 2, **KEYS))])]


def template(data: Any) -> list[Any]:
    """A dynamic network whose variables are all observed."""
    net = bayou.DynamicNetwork("sky -> sky'; sky -> mood").fit(data, **KEYS)
    return [net.log_likelihood({"sky": ["blue", "grey"], "mood": ["low", "low"]})]


def hidden_template(data: Any) -> list[Any]:
    """A dynamic network with a hidden variable."""
    net = bayou.DynamicNetwork(_SKY, states=_SKIES).fit(data, max_iterations=5, seed=1, **KEYS)
    return [net.log_likelihood({"sky": ["blue", "grey"], "mood": ["low", "low"]})]


def slices(data: Any) -> list[Any]:
    """Filtered and smoothed variables of a dynamic network, its best trajectory, and what comes next."""
    net = bayou.examples.umbrella_world()
    answers = [net.filter(data, **KEYS), net.smooth(data, **KEYS), net.forecast(data, 2, **KEYS)]
    beliefs = [one["Rain"] for found in answers for one in found]
    best = [list(one["Rain"]) for one in net.most_probable(data, **KEYS)]
    return [best, [one.times for one in beliefs], np.concatenate([one.probabilities for one in beliefs])]


def classes(data: Any) -> list[Any]:
    """A model for each class of sequences."""
    model = bayou.SequenceClassifier(2, {"mood": ["low", "high"]}).fit(data, "kind", **KEYS)
    return [model.classes_.tolist(), model.predict_proba([["low", "high", "high"], ["low"]])]


_CLASSES = bayou.SequenceClassifier(1, {"mood": ["low", "high"]}).fit(KINDS, "kind", **KEYS)


def classified(data: Any) -> list[Any]:
    """The classes of sequences."""
    return [_CLASSES.predict(data, **KEYS).tolist(), _CLASSES.predict_proba(data, **KEYS)]
