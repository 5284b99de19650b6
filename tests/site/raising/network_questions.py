"""What calls of networks raise: questions, rows, pictures, pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bayou
from tests.site.raising.models import asia, bare, height, rain

CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    ("Network.arc_information", "ImpossibleEvidence"): lambda: asia().arc_information(
        {"either": "no", "lung": "yes"}
    ),
    ("Network.arc_information", "NotFitted"): lambda: bare().arc_information(),
    ("Network.arc_information", "UnknownState"): lambda: rain().arc_information({"Rain": "maybe"}),
    ("Network.arc_information", "UnknownVariable"): lambda: rain().arc_information({"Snow": "yes"}),
    ("Network.conflict", "BadQuestion"): lambda: rain().conflict(),
    ("Network.conflict", "NotFitted"): lambda: bare().conflict({"a": 1, "b": 1}),
    ("Network.conflict", "UnknownState"): lambda: rain().conflict({"Rain": "maybe"}),
    ("Network.conflict", "UnknownVariable"): lambda: rain().conflict({"Snow": "yes"}),
    ("Network.explain", "BadQuestion"): lambda: rain().explain("Rain", {"Rain": "no"}),
    ("Network.explain", "ImpossibleEvidence"): lambda: asia().explain(
        "smoke", {"either": "no", "lung": "yes"}
    ),
    ("Network.explain", "NotFitted"): lambda: bare().explain("a", {"b": 1}),
    ("Network.explain", "UnknownState"): lambda: rain().explain("Rain", {"WetGrass": "maybe"}),
    ("Network.explain", "UnknownVariable"): lambda: rain().explain("Snow", {"Rain": "yes"}),
    ("Network.export", "BadQuestion"): lambda: rain().export("Rain", ["Rain"]),
    ("Network.export", "NotFitted"): lambda: bare().export("a"),
    ("Network.export", "UnknownVariable"): lambda: rain().export("Snow"),
    ("Network.finding_strength", "BadQuestion"): lambda: rain().finding_strength("Rain"),
    ("Network.finding_strength", "ImpossibleEvidence"): lambda: asia().finding_strength(
        "smoke", {"either": "no", "lung": "yes"}
    ),
    ("Network.finding_strength", "NotFitted"): lambda: bare().finding_strength("a", {"b": 1}),
    ("Network.finding_strength", "UnknownState"): lambda: rain().finding_strength(
        "Rain", {"WetGrass": "maybe"}
    ),
    ("Network.finding_strength", "UnknownVariable"): lambda: rain().finding_strength("Snow", {"Rain": "yes"}),
    ("Network.impute", "BadData"): lambda: rain().impute(3),
    ("Network.impute", "BadQuestion"): lambda: rain().impute({"Rain": [None]}, "magic"),
    ("Network.impute", "ImpossibleEvidence"): lambda: asia().impute(
        {"either": ["no"], "lung": ["yes"], "smoke": [None]}
    ),
    ("Network.impute", "NotFitted"): lambda: bare().impute({"a": [0]}),
    ("Network.impute", "UnknownState"): lambda: rain().impute({"WetGrass": ["maybe"]}, unknown="error"),
    ("Network.joint", "BadQuestion"): lambda: height().joint(),
    ("Network.joint", "NotFitted"): lambda: bare().joint(),
    ("Network.joint", "TooWide"): lambda: bayou.examples.alarm().joint(),
    ("Network.log_evidence", "ImpossibleEvidence"): lambda: asia().log_evidence(
        {"either": "no", "lung": "yes"}
    ),
    ("Network.log_evidence", "NotFitted"): lambda: bare().log_evidence({"a": 1}),
    ("Network.log_evidence", "UnknownState"): lambda: asia().log_evidence({"xray": "maybe"}),
    ("Network.log_evidence", "UnknownVariable"): lambda: asia().log_evidence({"xrays": "yes"}),
    ("Network.log_likelihood", "BadData"): lambda: rain().log_likelihood(3),
    ("Network.log_likelihood", "BadQuestion"): lambda: rain().log_likelihood({"Rain": ["no"]}, by="row"),
    ("Network.log_likelihood", "NotFitted"): lambda: bare().log_likelihood({"a": [0]}),
    ("Network.log_likelihood", "UnknownState"): lambda: rain().log_likelihood(
        {"WetGrass": ["maybe"]}, unknown="error"
    ),
    ("Network.log_probability", "BadData"): lambda: rain().log_probability(3),
    ("Network.log_probability", "BadQuestion"): lambda: rain().log_probability(
        {"Rain": "yes"}, unknown="magic"
    ),
    ("Network.log_probability", "NotFitted"): lambda: bare().log_probability({"a": 0}),
    ("Network.log_probability", "UnknownState"): lambda: rain().log_probability(
        {"Rain": ["maybe"]}, unknown="error"
    ),
    ("Network.log_probability", "UnknownVariable"): lambda: rain().log_probability({"Snow": "yes"}),
    ("Network.marginals", "BadQuestion"): lambda: asia().marginals(engine="magic"),
    ("Network.marginals", "ImpossibleEvidence"): lambda: asia().marginals({"either": "no", "lung": "yes"}),
    ("Network.marginals", "NotFitted"): lambda: bare().marginals(),
    ("Network.marginals", "UnknownState"): lambda: asia().marginals({"xray": "maybe"}),
    ("Network.marginals", "UnknownVariable"): lambda: asia().marginals({"xrays": "yes"}),
    ("Network.most_probable", "BadQuestion"): lambda: rain().most_probable(k=0),
    ("Network.most_probable", "ImpossibleEvidence"): lambda: asia().most_probable(
        {"either": "no", "lung": "yes"}
    ),
    ("Network.most_probable", "NotFitted"): lambda: bare().most_probable(),
    ("Network.most_probable", "UnknownState"): lambda: rain().most_probable({"Rain": "maybe"}),
    ("Network.most_probable", "UnknownVariable"): lambda: rain().most_probable({"Snow": "yes"}),
    ("Network.nearest_findings", "BadQuestion"): lambda: rain().nearest_findings(),
    ("Network.nearest_findings", "NotFitted"): lambda: bare().nearest_findings({"a": 1, "b": 1}),
    ("Network.nearest_findings", "UnknownState"): lambda: rain().nearest_findings({"Rain": "maybe"}),
    ("Network.nearest_findings", "UnknownVariable"): lambda: rain().nearest_findings({"Snow": "yes"}),
    ("Network.plot", "BadGraph"): lambda: rain().plot(strengths={("WetGrass", "Rain"): 1}),
    ("Network.plot", "BadQuestion"): lambda: rain().plot({"Rain": "no"}, beliefs=False),
    ("Network.plot", "ImpossibleEvidence"): lambda: asia().plot({"either": "no", "lung": "yes"}),
    ("Network.plot", "NotFitted"): lambda: bare().plot(beliefs=True),
    ("Network.plot", "UnknownState"): lambda: rain().plot({"Rain": "maybe"}),
    ("Network.plot", "UnknownVariable"): lambda: rain().plot({"Snow": "yes"}),
    ("Network.posterior", "BadData"): lambda: rain().posterior(3, "Rain"),
    ("Network.posterior", "BadQuestion"): lambda: rain().posterior(
        {"WetGrass": ["no"]}, "Rain", out="answers.csv"
    ),
    ("Network.posterior", "NotFitted"): lambda: rain().posterior({"WetGrass": ["no"]}, "Rain", interval=0.9),
    ("Network.posterior", "UnknownState"): lambda: rain().posterior(
        {"WetGrass": ["maybe"]}, "Rain", unknown="error"
    ),
    ("Network.posterior", "UnknownVariable"): lambda: rain().posterior({"Rain": ["no"]}, "Snow"),
    ("Network.predict", "BadData"): lambda: rain().predict(3, "Rain"),
    ("Network.predict", "BadQuestion"): lambda: rain().predict(
        {"WetGrass": ["no"]}, "Rain", out="answers.csv"
    ),
    ("Network.predict", "NotFitted"): lambda: bare().predict({"a": [0]}, "b"),
    ("Network.predict", "UnknownState"): lambda: rain().predict(
        {"WetGrass": ["maybe"]}, "Rain", unknown="error"
    ),
    ("Network.predict", "UnknownVariable"): lambda: rain().predict({"Rain": ["no"]}, "Snow"),
    ("Network.report", "BadFile"): lambda: rain().report("rain.txt"),
    ("Network.report", "ImpossibleEvidence"): lambda: asia().report(given={"either": "no", "lung": "yes"}),
    ("Network.report", "NotFitted"): lambda: bare().report(),
    ("Network.report", "UnknownState"): lambda: rain().report(given={"Rain": "maybe"}),
    ("Network.report", "UnknownVariable"): lambda: rain().report(given={"Snow": "yes"}),
    ("Network.sample", "BadQuestion"): lambda: rain().sample(-1),
    ("Network.sample", "ImpossibleEvidence"): lambda: asia().sample(2, given={"either": "no", "lung": "yes"}),
    ("Network.sample", "NotFitted"): lambda: bare().sample(2),
    ("Network.sample", "UnknownState"): lambda: rain().sample(2, given={"Rain": "maybe"}),
    ("Network.sample", "UnknownVariable"): lambda: rain().sample(2, given={"Snow": "yes"}),
    ("Network.sensitivity", "BadQuestion"): lambda: rain().sensitivity(
        "Rain", "yes", {"Rain": "no"}, table="Rain"
    ),
    ("Network.sensitivity", "ImpossibleEvidence"): lambda: asia().sensitivity(
        "smoke", "yes", {"either": "no", "lung": "yes"}, table="smoke"
    ),
    ("Network.sensitivity", "NotFitted"): lambda: bare().sensitivity("a", 1, table="a"),
    ("Network.sensitivity", "UnknownState"): lambda: rain().sensitivity("Rain", "maybe", table="Rain"),
    ("Network.sensitivity", "UnknownVariable"): lambda: rain().sensitivity("Snow", "yes", table="Rain"),
    ("Network.to_html", "BadFile"): lambda: rain().to_html("rain.txt"),
    ("Network.to_html", "BadQuestion"): lambda: (
        bayou.Network("x -> y", continuous=["x", "y"])
        .set_gaussian("x", (0, 1))
        .set_gaussian("y", {"mean": 0, "variance": 1, "coefficients": {"x": 1}})
        .to_html()
    ),
    ("Network.to_html", "NotFitted"): lambda: bare().to_html(),
    ("Network.to_svg", "BadFile"): lambda: rain().to_svg("rain.png"),
    ("Network.tornado", "BadQuestion"): lambda: rain().tornado("Rain", "yes", {"Rain": "no"}),
    ("Network.tornado", "BadTable"): lambda: rain().tornado("Rain", "yes", utilities=3),
    ("Network.tornado", "ImpossibleEvidence"): lambda: asia().tornado(
        "smoke", "yes", {"either": "no", "lung": "yes"}
    ),
    ("Network.tornado", "NotFitted"): lambda: bare().tornado("a", 1),
    ("Network.tornado", "UnknownState"): lambda: rain().tornado("Rain", "maybe"),
    ("Network.tornado", "UnknownVariable"): lambda: rain().tornado("Snow", "yes"),
    ("Network.what_to_ask", "BadQuestion"): lambda: rain().what_to_ask("Rain", {"Rain": "no"}),
    ("Network.what_to_ask", "ImpossibleEvidence"): lambda: asia().what_to_ask(
        "smoke", {"either": "no", "lung": "yes"}
    ),
    ("Network.what_to_ask", "NotFitted"): lambda: bare().what_to_ask("a"),
    ("Network.what_to_ask", "UnknownState"): lambda: rain().what_to_ask("Rain", {"WetGrass": "maybe"}),
    ("Network.what_to_ask", "UnknownVariable"): lambda: rain().what_to_ask("Snow"),
    ("Network.working", "BadQuestion"): lambda: rain().working("Rain", {"Rain": "yes"}),
    ("Network.working", "ImpossibleEvidence"): lambda: asia().working(
        "smoke", {"either": "no", "lung": "yes"}
    ),
    ("Network.working", "NotFitted"): lambda: bare().working("a"),
    ("Network.working", "UnknownState"): lambda: rain().working("Rain", {"WetGrass": "maybe"}),
    ("Network.working", "UnknownVariable"): lambda: rain().working("Snow"),
}
