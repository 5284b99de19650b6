"""Classifiers in bayou's own file: parameters, learned attributes and statistics; nothing executable.

The statistics are kept, not the model: loading estimates the model again, so predictions are the same to the
last bit and ``partial_fit`` continues where it stopped. (A model that is slow to estimate is kept,
too: ``_model_from``.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bayou.declared_types import require_declared
from bayou.errors import BadFile, BadQuestion, listed
from bayou.estimators.input.target import classes_of
from bayou.estimators.state_codec import restored, stored
from bayou.estimators.trial_row import require_working
from bayou.formats.bundle import write_bundle
from bayou.formats.file_content import FilePath, path_text
from bayou.formats.format_registry import OWN_ENDINGS
from bayou.formats.model_registry import CLASSIFIERS, SavedModel
from bayou.schema import Variable

_REMADE = ("statistics_", "classes_", "target_")
"""Learned attributes that the state holds in entries of their own."""


def save_classifier(
    model: SavedModel, path: FilePath, kind: str = "classifier", state: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted classifier, or the given state of it, to a ``.bayou`` or ``.json`` file."""
    if not path_text(path).lower().endswith(OWN_ENDINGS):
        raise BadFile.at(
            path,
            "a classifier is saved in bayou's own format: the name must end in .bayou, or in "
            ".json for a text.",
        )
    write_bundle(path, kind, model.state() if state is None else state)


def classifier_state(model: Any, statistics: Any = None) -> dict[str, Any]:
    """Return all that :func:`classifier_from_state` needs, as plain data.

    ``statistics`` are those to be kept (None: all).
    """
    check_is_fitted(model, "statistics_")
    learned = {key: value for key, value in vars(model).items() if _is_learned(key) and key not in _REMADE}
    return {
        **classifier_parameters(model),
        "learned": {key: stored(value, key) for key, value in learned.items()},
        "classes": model._class_variable.state(),
        "statistics": stored(model.statistics_ if statistics is None else statistics, "statistics_"),
    }


def classifier_parameters(model: Any) -> dict[str, Any]:
    """Return the class and the parameters of a classifier, fitted or not, as plain data."""
    name = type(model).__name__
    known: object = CLASSIFIERS.find(name) if name in CLASSIFIERS else None
    if known is not type(model):
        raise BadQuestion(
            f"A {name} cannot be saved: a file holds bayou's own classifiers ({listed(CLASSIFIERS)}) and "
            f"classes that were registered for it: class {name}(…, saved=True)."
        )
    parameters = model.get_params(deep=False)
    return {"class": name, "parameters": {key: stored(value, key) for key, value in parameters.items()}}


def classifier_from_parameters(state: Mapping[str, Any], expected: type[Any] = object) -> Any:
    """Return the classifier, not fitted yet, that :func:`classifier_parameters` described."""
    maker: Any = CLASSIFIERS.find(state["class"])
    if not issubclass(maker, expected):
        raise BadFile(f"it holds a {maker.__name__}, not a {expected.__name__}.")
    return maker(**{key: restored(part) for key, part in state["parameters"].items()})


def classifier_from_state(state: Mapping[str, Any], expected: type[Any]) -> Any:
    """Return the classifier, estimated again from its statistics; it must be an ``expected`` one."""
    model = counted_from_state(state, expected)
    model.classes_ = classes_of(model._class_variable)
    model._take_model(model._model_from(state))
    require_working(model)
    return model


def counted_from_state(state: Mapping[str, Any], expected: type[Any]) -> Any:
    """Return the classifier with its statistics, not estimated yet."""
    model = classifier_from_parameters(state, expected)
    for key, part in state["learned"].items():
        if not _is_learned(key) or key in _REMADE:
            raise BadFile(f"{key!r} is not a learned attribute of a classifier.")
        set_learned(model, key, restored(part))
    variable = Variable.from_state(state["classes"])
    model.statistics_ = restored(state["statistics"])
    model._class_variable, model.target_ = variable, variable.name
    return model


def set_learned(model: Any, name: str, value: Any) -> None:
    """Give a model an attribute from a file, if it has the type that the model's class declares for it."""
    require_declared(type(model), name, value)
    setattr(model, name, value)


def _is_learned(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_") and name.isidentifier()
