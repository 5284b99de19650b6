"""Calls that raise nothing of their own, and why: all others say which errors they raise."""

from __future__ import annotations

from docs.builder.reference.public_names import Public

COMPARES = "compares two things that there are"
NOTHING = "answers None where there is nothing to be found"
SHOWS = "``most`` is a number of lines, and any number will do"
KEEPS = "an appearance is about any names; ``Network.show_as`` checks them"
MADE = "bayou makes it"
REASONS = {
    "BayouClassifierModel": "Spark makes it of a fitted classifier",
    "BinaryConfusion.cost": "multiplies counts by any numbers",
    "Cuts.of_states": NOTHING,
    "Dag.same_arcs": COMPARES,
    "KalmanModel.same_as": COMPARES,
    "LearningTrace.counted": MADE,
    "NextFindings.plot": SHOWS,
    "NextFindings.to_table": SHOWS,
    "PartlyDirected.from_dag": "every directed graph is a partly directed one",
    "Posterior.close_to": COMPARES,
    "ProbabilityTable.close_to": COMPARES,
    "Tornado.plot": SHOWS,
    "Tornado.remarks": SHOWS,
    "Tornado.to_dict": SHOWS,
    "Tornado.to_table": SHOWS,
    "Tornado.told": "``percent`` is yes or no",
    "Variable.find": NOTHING,
    "Variable.place": NOTHING,
    "Variable.same_states": COMPARES,
    "Appearance.node": KEEPS,
    "Appearance.renamed": KEEPS,
    "Appearance.submodels_of": KEEPS,
    "Appearance.with_arc_note": KEEPS,
    "Appearance.with_node": KEEPS,
    "Appearance.with_state_renamed": KEEPS,
    "Appearance.without": KEEPS,
    "Appearance.without_arc": KEEPS,
    "Appearance.without_states": KEEPS,
    "Layout": MADE,
    "LayoutOptions": "settings, which ``plots.layout`` reads",
}
"""By the name without its module: why there is nothing to say about errors."""


def never_fails(call: Public) -> bool:
    """Whether there is nothing to say about the errors of a call."""
    parts = call.name.split(".")
    return ".".join(parts[-2:]) in REASONS or parts[-1] in REASONS
