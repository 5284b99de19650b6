"""What a list of models tells of each: its size, what it predicts."""

from __future__ import annotations

from typing import Any

from bayou.server.messages import encoded
from bayou.server.models.kinds import CLASSIFIER, HMM, NETWORK, kind_of


def about(model: Any) -> dict[str, Any]:
    """The facts of a model by which it is known in a list.

    >>> import bayou
    >>> about(bayou.examples.asia()), about(bayou.examples.casino())
    ({'variables': 8, 'arcs': 8}, {'states': 2, 'columns': 1})
    """
    kind = kind_of(model)
    if kind == NETWORK:
        return {"variables": len(model.names), "arcs": len(model.arcs)}
    if kind == CLASSIFIER:
        facts = {"class": type(model).__name__, "target": encoded(getattr(model, "target_", "class"))}
        return {**facts, "classes": len(model.classes_), "features": int(model.n_features_in_)}
    if kind == HMM:
        return {"states": len(model.states), "columns": len(model.chain.columns)}
    if hasattr(model, "names"):
        return {"variables": len(model.names), "arcs": len(model.arcs)}
    return {"states": len(model.states), "columns": len(model.columns)}
