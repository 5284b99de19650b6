"""What calls of dynamic networks, linear Gaussian models and particle filters raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bayou
from tests.site.raising.models import RAINS, blank, level, never, particles, rained, still, world

CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    ("DynamicNetwork.answers_exactly", "BadQuestion"): lambda: bayou.DynamicNetwork(
        "s -> x; x -> x'", continuous=["x"], states={"s": [0, 1]}
    ).answers_exactly(3),
    ("DynamicNetwork.blank", "BadVariable"): lambda: world().blank({"Rain": ["no", "no"]}),
    ("DynamicNetwork.blank", "UnknownVariable"): lambda: world().blank({"Snow": ["no", "yes"]}),
    ("DynamicNetwork.cpt", "NotFitted"): lambda: blank().cpt("Rain"),
    ("DynamicNetwork.cpt", "UnknownVariable"): lambda: world().cpt("Snow"),
    ("DynamicNetwork.filter", "BadQuestion"): lambda: world().filter(3),
    ("DynamicNetwork.filter", "ImpossibleEvidence"): lambda: still().filter({"a": ["x", "y"]}),
    ("DynamicNetwork.filter", "NotFitted"): lambda: blank().filter(RAINS),
    ("DynamicNetwork.filter", "UnknownVariable"): lambda: world().filter(RAINS, "Snow"),
    ("DynamicNetwork.forecast", "BadQuestion"): lambda: world().forecast(3),
    ("DynamicNetwork.forecast", "ImpossibleEvidence"): lambda: still().forecast({"a": ["x", "y"]}),
    ("DynamicNetwork.forecast", "NotFitted"): lambda: blank().forecast(RAINS),
    ("DynamicNetwork.forecast", "UnknownVariable"): lambda: world().forecast(RAINS, 1, "Snow"),
    ("DynamicNetwork.forget", "BadQuestion"): lambda: rained().forget(3),
    ("DynamicNetwork.forget", "BadStatistics"): lambda: rained().forget(
        {"Rain": [None, "no"], "Umbrella": ["no", "no"]}
    ),
    ("DynamicNetwork.forget", "NotFitted"): lambda: world().forget(RAINS),
    ("DynamicNetwork.from_tables", "BadTable"): lambda: bayou.DynamicNetwork.from_tables(
        world().template, {n: bayou.Variable(n, ["no", "yes"]) for n in world().names}, {}
    ),
    ("DynamicNetwork.gaussian", "BadTable"): lambda: world().gaussian("Rain"),
    ("DynamicNetwork.gaussian", "NotFitted"): lambda: blank().gaussian("Rain"),
    ("DynamicNetwork.gaussian", "UnknownVariable"): lambda: world().gaussian("Snow"),
    ("DynamicNetwork.log_likelihoods", "BadQuestion"): lambda: world().log_likelihoods(3),
    ("DynamicNetwork.log_likelihoods", "NotFitted"): lambda: blank().log_likelihoods(RAINS),
    ("DynamicNetwork.log_likelihood", "BadQuestion"): lambda: world().log_likelihood(3),
    ("DynamicNetwork.log_likelihood", "NotFitted"): lambda: blank().log_likelihood(RAINS),
    ("DynamicNetwork.most_probable", "BadQuestion"): lambda: world().most_probable(3),
    ("DynamicNetwork.most_probable", "ImpossibleEvidence"): lambda: still().most_probable({"a": ["x", "y"]}),
    ("DynamicNetwork.most_probable", "NotFitted"): lambda: blank().most_probable(RAINS),
    ("DynamicNetwork.network", "BadQuestion"): lambda: world().network(0),
    ("DynamicNetwork.network", "NotFitted"): lambda: blank().network(2),
    ("DynamicNetwork.parents", "UnknownVariable"): lambda: world().parents("Snow"),
    ("DynamicNetwork.partial_fit", "BadQuestion"): lambda: rained().partial_fit(3),
    ("DynamicNetwork.partial_fit", "BadStatistics"): lambda: rained().partial_fit(
        {"Rain": [None, "no"], "Umbrella": ["no", "no"]}
    ),
    ("DynamicNetwork.partial_fit", "NotFitted"): lambda: world().partial_fit(RAINS),
    ("DynamicNetwork.same_as", "NotFitted"): lambda: blank().same_as(blank()),
    ("DynamicNetwork.sample", "BadQuestion"): lambda: world().sample(0),
    ("DynamicNetwork.sample", "ImpossibleEvidence"): lambda: still().sample(1, given={"a": ["x", "y"]}),
    ("DynamicNetwork.sample", "NotFitted"): lambda: blank().sample(3),
    ("DynamicNetwork.sample", "UnknownState"): lambda: world().sample(3, do={"Rain": "maybe"}),
    ("DynamicNetwork.sample", "UnknownVariable"): lambda: world().sample(3, do={"Snow": "yes"}),
    ("DynamicNetwork.save", "BadFile"): lambda: world().save("world.txt"),
    ("DynamicNetwork.save", "NotFitted"): lambda: blank().save("world.bayou"),
    ("DynamicNetwork.score_steps", "BadQuestion"): lambda: world().score_steps(3),
    ("DynamicNetwork.score_steps", "NotFitted"): lambda: blank().score_steps(RAINS),
    ("DynamicNetwork.set_cpt", "BadTable"): lambda: world().set_cpt("Rain", {"no": 0.5, "yes": 0.6}),
    ("DynamicNetwork.set_cpt", "NotFitted"): lambda: blank().set_cpt("Rain", {"no": 0.5, "yes": 0.5}),
    ("DynamicNetwork.set_cpt", "UnknownState"): lambda: world().set_cpt("Rain", {"no": 0.5, "maybe": 0.5}),
    ("DynamicNetwork.set_cpt", "UnknownVariable"): lambda: world().set_cpt("Snow", [0.5, 0.5]),
    ("DynamicNetwork.set_gaussian", "BadTable"): lambda: bayou.DynamicNetwork(
        "x -> x'", continuous=["x"]
    ).set_gaussian("x", (0, -1)),
    ("DynamicNetwork.set_gaussian", "UnknownVariable"): lambda: world().set_gaussian("Snow", (0, 1)),
    ("DynamicNetwork.smooth", "BadQuestion"): lambda: world().smooth(3),
    ("DynamicNetwork.smooth", "ImpossibleEvidence"): lambda: still().smooth({"a": ["x", "y"]}),
    ("DynamicNetwork.smooth", "NotFitted"): lambda: blank().smooth(RAINS),
    ("DynamicNetwork.smooth", "UnknownVariable"): lambda: world().smooth(RAINS, "Snow"),
    ("KalmanModel.aic", "BadData"): lambda: level().aic(3),
    ("KalmanModel.autoregression", "BadQuestion"): lambda: bayou.KalmanModel.autoregression([0.5], -1),
    ("KalmanModel.bic", "BadData"): lambda: level().bic(3),
    ("KalmanModel.constant_velocity", "BadQuestion"): lambda: bayou.KalmanModel.constant_velocity(0),
    ("KalmanModel.decode", "BadData"): lambda: level().decode(3),
    ("KalmanModel.filter", "BadData"): lambda: level().filter(3),
    ("KalmanModel.forecast", "BadData"): lambda: level().forecast(3),
    ("KalmanModel.forecast", "BadQuestion"): lambda: level().forecast([1.0], steps=0),
    ("KalmanModel.local_level", "BadQuestion"): lambda: bayou.KalmanModel.local_level(-1),
    ("KalmanModel.local_trend", "BadQuestion"): lambda: bayou.KalmanModel.local_trend(-1),
    ("KalmanModel.log_likelihoods", "BadData"): lambda: level().log_likelihoods(3),
    ("KalmanModel.log_likelihood", "BadData"): lambda: level().log_likelihood(3),
    ("KalmanModel.network", "BadQuestion"): lambda: level().network(0),
    ("KalmanModel.partial_fit", "BadData"): lambda: level().partial_fit(3),
    ("KalmanModel.partial_fit", "BadQuestion"): lambda: (
        level().fit([1.0, 2.0, 3.0, 1.0]).partial_fit([1.0, 2.0], restarts=3)
    ),
    ("KalmanModel.plot", "BadData"): lambda: level().plot(3),
    ("KalmanModel.plot", "BadQuestion"): lambda: level().plot([[1.0], [2.0, 3.0]]),
    ("KalmanModel.sample", "BadQuestion"): lambda: level().sample(0),
    ("KalmanModel.save", "BadFile"): lambda: level().save("level.txt"),
    ("KalmanModel.score_steps", "BadData"): lambda: level().score_steps(3),
    ("KalmanModel.smooth", "BadData"): lambda: level().smooth(3),
    ("ParticleFilter.filter", "BadData"): lambda: particles().filter([]),
    ("ParticleFilter.filter", "BadQuestion"): lambda: particles().filter([1.0], quantiles=[2]),
    ("ParticleFilter.filter", "ImpossibleEvidence"): lambda: bayou.ParticleFilter(never(), 100).filter([2]),
    ("ParticleFilter.log_likelihoods", "BadData"): lambda: particles().log_likelihoods([]),
    ("ParticleFilter.log_likelihoods", "BadQuestion"): lambda: particles().log_likelihoods([1.0], runs=0),
    ("ParticleFilter.log_likelihoods", "ImpossibleEvidence"): lambda: bayou.ParticleFilter(
        never(), 100
    ).log_likelihoods([2]),
    ("ParticleFilter.log_likelihood", "BadData"): lambda: particles().log_likelihood([]),
    ("ParticleFilter.log_likelihood", "BadQuestion"): lambda: particles().log_likelihood([1.0], seed=-1),
    ("ParticleFilter.log_likelihood", "ImpossibleEvidence"): lambda: bayou.ParticleFilter(
        never(), 100
    ).log_likelihood([2]),
    ("ParticleFilter.smooth", "BadData"): lambda: particles().smooth([]),
    ("ParticleFilter.smooth", "BadQuestion"): lambda: particles().smooth([1.0], paths=0),
    ("ParticleFilter.smooth", "ImpossibleEvidence"): lambda: bayou.ParticleFilter(never(), 100).smooth([2]),
}
