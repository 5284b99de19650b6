"""Models that are no networks as documents: what ``GET /v1/models/{model}`` answers for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bayou.documents.model_documents import classifier_document
from bayou.documents.sequence_documents import dynamic_document, hmm_document, kalman_document
from bayou.server.messages import Message, encoded, plain
from bayou.server.models.kinds import CLASSIFIER, DYNAMIC, HMM, KALMAN, kind_of
from bayou.server.models.over_time.strip_parts import strip_parts
from bayou.server.operations.operation import Operation


class DescriptionRequest(Message):
    """Nothing: a description depends on the model alone."""


class Description(Message):
    """The document of a model."""

    document: dict[str, Any]


def describe(model: Any, request: DescriptionRequest) -> Description:
    """The parts of a model; names and states are listed, never keys."""
    kind = kind_of(model)
    if kind == CLASSIFIER:
        found = classifier_document(model)
        features = [{"name": name, "modelled": how} for name, how in found["features"].items()]
        document = {
            "class": found["kind"],
            "target": encoded(found["target"]),
            "classes": [encoded(state) for state in found["classes"]],
            "features": features,
        }
        return Description(document)
    listed: dict[str, Any] = plain(_with_lists(_DOCUMENTS[kind](model)))
    listed.pop("kind", None)
    listed["strip"] = strip_parts(model)
    return Description(listed)


_DOCUMENTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    HMM: hmm_document,
    DYNAMIC: dynamic_document,
    KALMAN: kalman_document,
}


def _with_lists(value: Any) -> Any:
    """The same nested data with lists instead of tuples."""
    if isinstance(value, dict):
        return {name: _with_lists(each) for name, each in value.items()}
    return [_with_lists(each) for each in value] if isinstance(value, list | tuple) else value


DESCRIPTION = Operation("description", "A model's parts", DescriptionRequest, Description, describe)
"""An operation for worker processes only: ``GET /v1/models/{model}`` is its address."""
