"""What calls of networks raise: graph, tables, learning, files, plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bayou
from tests.site.raising.models import TABLE, asia, bare, height, learned, rain

CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    ("Network.children", "UnknownVariable"): lambda: rain().children("Snow"),
    ("Network.compare", "BadGraph"): lambda: rain().compare("Rain -> Snow"),
    ("Network.cpt_intervals", "BadQuestion"): lambda: learned().cpt_intervals("a", 2),
    ("Network.cpt_intervals", "NotFitted"): lambda: rain().cpt_intervals("Rain"),
    ("Network.cpt_intervals", "UnknownVariable"): lambda: learned().cpt_intervals("c"),
    ("Network.cpt", "BadTable"): lambda: height().cpt("height_in"),
    ("Network.cpt", "NotFitted"): lambda: bare().cpt("a"),
    ("Network.cpt", "UnknownVariable"): lambda: rain().cpt("Snow"),
    ("Network.d_separated", "BadQuestion"): lambda: rain().d_separated("Rain", "Rain"),
    ("Network.d_separated", "UnknownVariable"): lambda: rain().d_separated("Rain", "Snow"),
    ("Network.drop_plans", "NotFitted"): lambda: bare().drop_plans(),
    ("Network.entropy", "NotFitted"): lambda: bare().entropy(),
    ("Network.fit_statistics", "BadPrior"): lambda: bare().fit_statistics(learned().statistics, prior=-1),
    ("Network.fit_statistics", "BadStatistics"): lambda: bare().fit_statistics(
        bayou.Network("a").fit(TABLE).statistics
    ),
    ("Network.forget", "BadData"): lambda: learned().forget(3),
    ("Network.forget", "BadStatistics"): lambda: learned().forget({"a": [1], "b": [5]}),
    ("Network.forget", "NotFitted"): lambda: rain().forget({"Rain": ["yes"], "WetGrass": ["yes"]}),
    ("Network.forget", "UnknownVariable"): lambda: learned().forget({"a": [0]}),
    ("Network.gaussian", "BadTable"): lambda: rain().gaussian("Rain"),
    ("Network.gaussian", "NotFitted"): lambda: bare().gaussian("a"),
    ("Network.gaussian", "UnknownVariable"): lambda: rain().gaussian("Snow"),
    ("Network.junction_tree", "NotFitted"): lambda: bare().junction_tree(),
    ("Network.junction_tree", "UnknownState"): lambda: rain().junction_tree({"Rain": "maybe"}),
    ("Network.junction_tree", "UnknownVariable"): lambda: rain().junction_tree({"Snow": "yes"}),
    ("Network.kl_divergence", "BadQuestion"): lambda: rain().kl_divergence(3),
    ("Network.kl_divergence", "NotFitted"): lambda: rain().kl_divergence(bare()),
    ("Network.losses", "BadFile"): lambda: rain().losses("rain.txt"),
    ("Network.losses", "NotFitted"): lambda: bare().losses("a.bif"),
    ("Network.markov_blanket", "UnknownVariable"): lambda: rain().markov_blanket("Snow"),
    ("Network.messages", "BadQuestion"): lambda: (
        bayou.Network("a -> b -> c; a -> c").fit({**TABLE, "c": TABLE["a"]}).messages("a", {"c": 0})
    ),
    ("Network.messages", "ImpossibleEvidence"): lambda: asia().messages(
        "smoke", {"either": "no", "lung": "yes"}
    ),
    ("Network.messages", "NotFitted"): lambda: bare().messages("a"),
    ("Network.messages", "UnknownState"): lambda: rain().messages("Rain", {"WetGrass": "maybe"}),
    ("Network.messages", "UnknownVariable"): lambda: rain().messages("Snow"),
    ("Network.node", "NotFitted"): lambda: bare().node("a"),
    ("Network.node", "UnknownVariable"): lambda: rain().node("Snow"),
    ("Network.parameter_count", "NotFitted"): lambda: bare().parameter_count(),
    ("Network.parents", "UnknownVariable"): lambda: rain().parents("Snow"),
    ("Network.partial_fit", "BadData"): lambda: learned().partial_fit(3),
    ("Network.partial_fit", "BadPrior"): lambda: learned().partial_fit(TABLE, prior=-1),
    ("Network.partial_fit", "BadQuestion"): lambda: learned().partial_fit(TABLE, weight=10),
    ("Network.partial_fit", "NotFitted"): lambda: rain().partial_fit({"Rain": ["yes"], "WetGrass": ["yes"]}),
    ("Network.plan", "BadQuestion"): lambda: rain().plan([]),
    ("Network.plan", "NotFitted"): lambda: bare().plan("a"),
    ("Network.plan", "UnknownState"): lambda: rain().plan("Rain", {"WetGrass": "maybe"}),
    ("Network.plan", "UnknownVariable"): lambda: rain().plan("Snow"),
    ("Network.same_as", "NotFitted"): lambda: bare().same_as(rain()),
    ("Network.save", "BadFile"): lambda: rain().save("rain.txt"),
    ("Network.save", "NotFitted"): lambda: bayou.Network("a", states={"a": [0, 1]}).save("net.bif"),
    ("Network.score", "BadData"): lambda: bare().score(3),
    ("Network.score", "BadPrior"): lambda: bare().score(TABLE, "magic"),
    ("Network.score", "UnknownVariable"): lambda: bare().score({"a": [0]}),
    ("Network.set_cpt", "BadTable"): lambda: rain().set_cpt("Rain", {"no": 0.5, "yes": 0.6}),
    ("Network.set_cpt", "BadVariable"): lambda: bare().set_cpt("b", [[0.5, 0.5]]),
    ("Network.set_cpt", "UnknownState"): lambda: rain().set_cpt("Rain", {"no": 0.5, "maybe": 0.5}),
    ("Network.set_cpt", "UnknownVariable"): lambda: rain().set_cpt("Snow", [0.5, 0.5]),
    ("Network.set_gaussian", "BadTable"): lambda: rain().set_gaussian("Rain", (0, 1)),
    ("Network.set_gaussian", "BadVariable"): lambda: bare().set_gaussian("a", (0, 1)),
    ("Network.set_gaussian", "UnknownVariable"): lambda: rain().set_gaussian("Snow", (0, 1)),
    ("Network.states", "NotFitted"): lambda: bare().states("a"),
    ("Network.states", "UnknownVariable"): lambda: rain().states("Snow"),
}
