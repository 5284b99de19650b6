"""Small models that the calls ask something which they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bayou

TABLE = {"a": [0, 1, 0, 1] * 9, "b": [1, 1, 0, 0] * 9}
DAYS = bayou.examples.play_tennis()
NUMBERS = {"x": [1.0, 2.0, 1.5, 4.0, 5.0, 6.0], "y": [1.0, 1.0, 2.0, 4.0, 6.0, 5.0], "kind": [*"aaabbb"]}
POINTS = [[0.1], [0.2], [5.1], [4.9], [0.0], [5.0]]
RAINS = {"Rain": ["no", "no", "yes", "yes"], "Umbrella": ["no", "no", "yes", "yes"]}

# Networks


def asia() -> Any:
    return bayou.examples.asia()


def rain() -> Any:
    return bayou.examples.rain_and_wet_grass()


def bare() -> Any:
    """A network without states and tables."""
    return bayou.Network("a -> b")


def learned() -> Any:
    return bayou.Network("a -> b").fit(TABLE)


def height() -> Any:
    """A network with a continuous variable."""
    return bayou.examples.heights_network()


# Classifiers


def tennis() -> Any:
    return bayou.NaiveBayes().fit(DAYS, "PlayTennis")


def gauss() -> Any:
    return bayou.GaussianBayes().fit(NUMBERS, "kind")


def spam() -> Any:
    return bayou.TextNaiveBayes().fit(["cheap pills", "meet at noon"], ["spam", "ham"])


def walks() -> Any:
    return bayou.SequenceClassifier(1).fit([[1, 1, 2], [2, 2, 1], [1, 1, 1], [2, 2, 2]], [*"abab"])


def vote() -> Any:
    return bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(TABLE, "b")


def hidden() -> Any:
    return bayou.HiddenMarkov(2).fit(POINTS)


# Sequences


def casino() -> Any:
    return bayou.examples.casino()


def never() -> Any:
    """A hidden Markov model that never emits a 2."""
    dice = bayou.HMM(["fair", "loaded"], {"roll": [1, 2]}).set_start([1, 0])
    return dice.set_transition([[1, 0], [0, 1]]).set_emission("roll", [[1, 0], [0.5, 0.5]])


def counted() -> Any:
    """A hidden Markov model of labelled steps."""
    return bayou.HMM(["a", "b"]).fit([0, 0, 1], states=["a", "a", "b"])


def level() -> Any:
    return bayou.KalmanModel.local_level(0.1, 0.1)


def tank() -> Any:
    """A model that needs inputs."""
    return bayou.KalmanModel([[0.9]], [[1.0]], control=[[1.0]], inputs=["inflow"])


def world() -> Any:
    return bayou.examples.umbrella_world()


def blank() -> Any:
    """A dynamic network without states and tables."""
    return bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella")


def rained() -> Any:
    return blank().fit(RAINS)


def still() -> Any:
    """A dynamic network that stays what it was."""
    tables = {"a": {"x": 1, "y": 0}, "a'": {"x": {"x": 1, "y": 0}, "y": {"x": 0, "y": 1}}}
    return bayou.DynamicNetwork("a -> a'", tables=tables)


def particles() -> Any:
    series = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)
    return bayou.ParticleFilter(series, 100)


def dicing() -> Any:
    """A particle filter of states."""
    return bayou.ParticleFilter(bayou.examples.casino(), 100)


# Results


def two() -> Any:
    return bayou.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[0.4, 0.1], [0.2, 0.3]])


def tall() -> Any:
    """The posterior of a continuous variable."""
    return bayou.Network("x").fit({"x": [1.0, 3.0, 2.0]}).query("x")


def both() -> Any:
    """The joint posterior of two continuous variables."""
    net = bayou.Network("x -> y").fit({"x": [1.0, 3.0, 2.0], "y": [1.0, 2.5, 2.0]})
    return net.query(["x", "y"])


def unkept() -> Any:
    """An evaluation of so many rows that their predictions were not kept."""
    found = evaluated()
    return replace(found, models=[replace(model, kept=None) for model in found.models])


def evaluated() -> Any:
    return bayou.evaluate("nb", {"x": [0, 0, 1, 1] * 9, "y": [*"nnyy"] * 9}, "y", folds=3)
