"""What calls of graphs, variables, decisions and examples raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bayou

CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    ("Dag.ancestors", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").ancestors("Z"),
    ("Dag.children", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").children("Z"),
    ("Dag.descendants", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").descendants("Z"),
    ("Dag.from_arcs", "BadGraph"): lambda: bayou.Dag.from_arcs([("A", "B"), ("B", "A")]),
    ("Dag.from_parents", "BadGraph"): lambda: bayou.Dag.from_parents({"A": ["B"], "B": ["A"]}),
    ("Dag.markov_blanket", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").markov_blanket(
        "Z"
    ),
    ("Dag.only", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").only("Z"),
    ("Dag.parents", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").parents("Z"),
    ("Dag.select", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").select(["A", "Z"]),
    ("Dag.subgraph", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").subgraph(["Z"]),
    ("Dag.with_ancestors", "UnknownVariable"): lambda: bayou.Dag.from_text("A -> B; C -> B").with_ancestors(
        ["Z"]
    ),
    ("Dag.without_arcs_into", "UnknownVariable"): lambda: bayou.Dag.from_text(
        "A -> B; C -> B"
    ).without_arcs_into("Z"),
    ("Dag", "BadGraph"): lambda: bayou.Dag(["A"], {"A": ["B"]}),
    ("Deterministic.values", "BadTable"): lambda: list(
        bayou.Deterministic(3).values("c", [bayou.Variable("a", [0, 1])])
    ),
    ("DynamicNetwork", "BadGraph"): lambda: bayou.DynamicNetwork("Rain -> Rain"),
    ("DynamicNetwork", "BadTable"): lambda: bayou.DynamicNetwork(
        "Rain -> Rain'", tables={"Rain": {"no": 0.5, "yes": 0.6}}
    ),
    ("DynamicNetwork", "UnknownVariable"): lambda: bayou.DynamicNetwork(
        "Rain -> Rain'", states={"Snow": ["no", "yes"]}
    ),
    ("Interval.from_notation", "ValueError"): lambda: bayou.Interval.from_notation("30 to 50"),
    ("KalmanModel", "BadQuestion"): lambda: bayou.KalmanModel([[0.9]], [[1.0]], fixed=["magic"]),
    ("KalmanModel", "BadTable"): lambda: bayou.KalmanModel([[0.9, 1]], [[1.0]]),
    ("KalmanModel", "BadVariable"): lambda: bayou.KalmanModel([[0.9]], [[1.0]], columns=["a", "b"]),
    ("PartlyDirected.children", "UnknownVariable"): lambda: bayou.PartlyDirected(["A"]).children("Z"),
    ("PartlyDirected.neighbours", "UnknownVariable"): lambda: bayou.PartlyDirected(["A"]).neighbours("Z"),
    ("PartlyDirected.parents", "UnknownVariable"): lambda: bayou.PartlyDirected(["A"]).parents("Z"),
    ("Schema.index", "UnknownVariable"): lambda: bayou.Schema([bayou.Variable("a", [0, 1])]).index("z"),
    ("Variable.code", "UnknownState"): lambda: bayou.Variable("Rain", ["no", "yes"]).code("maybe"),
    ("decisions.BayesError.regret", "BadData"): lambda: bayou.decisions.BayesError(
        [[0.4, 0.1], [0.2, 0.3]]
    ).regret(lambda rows: [0]),
    ("decisions.BayesError.regret", "BadQuestion"): lambda: bayou.decisions.BayesError(
        [[0.4, 0.1], [0.2, 0.3]]
    ).regret(3),
    ("decisions.GaussianClasses.log_joint", "BadTable"): lambda: bayou.decisions.GaussianClasses(
        [0, 2], [1, 1]
    ).log_joint([[1, 2]]),
    ("decisions.GaussianClasses.posterior", "BadTable"): lambda: bayou.decisions.GaussianClasses(
        [0, 2], [1, 1]
    ).posterior([[1, 2]]),
    ("decisions.GaussianClasses.sample", "BadQuestion"): lambda: bayou.decisions.GaussianClasses(
        [0, 2], [1, 1]
    ).sample(-1),
    ("decisions.Isotonic.fit", "BadData"): lambda: bayou.decisions.Isotonic.fit([0, 1], [0.5]),
    ("decisions.Temperature.fit", "BadData"): lambda: bayou.decisions.Temperature.fit([0, 1], [0.5]),
    ("examples.award_ratings_network", "BadPrior"): lambda: bayou.examples.award_ratings_network(-1),
    ("examples.cancer_test_network", "BadTable"): lambda: bayou.examples.cancer_test_network(-1),
    ("examples.dogs_network", "BadPrior"): lambda: bayou.examples.dogs_network(-1),
    ("examples.genre_ratings_network", "BadPrior"): lambda: bayou.examples.genre_ratings_network(-1),
    ("examples.hair_height_country_network", "BadPrior"): lambda: bayou.examples.hair_height_country_network(
        -1
    ),
    ("examples.hidden_markov", "BadVariable"): lambda: bayou.examples.hidden_markov(0),
    ("examples.jim_and_martha_network", "BadPrior"): lambda: bayou.examples.jim_and_martha_network(-1),
    ("examples.movie_review", "BadVariable"): lambda: bayou.examples.movie_review(-1),
    ("examples.play_tennis_network", "BadPrior"): lambda: bayou.examples.play_tennis_network(-1),
    ("examples.ratings_network", "BadPrior"): lambda: bayou.examples.ratings_network(-1),
    ("examples.two_dice", "BadTable"): lambda: bayou.examples.two_dice(2),
}
