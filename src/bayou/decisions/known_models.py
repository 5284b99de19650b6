"""Known generative models: all cases with their probabilities if they are few, else sampled rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.decisions.beliefs import class_names
from bayou.decisions.gaussian_classes import GaussianClasses
from bayou.errors import BadQuestion, BadTable, UnknownVariable, listed
from bayou.frames import pandas_frame
from bayou.schema import Variable
from bayou.typing import FloatArray, Name, State

_SHOWN = "The rows of a network, which a classifier is given as a DataFrame,"


@dataclass(frozen=True)
class KnownModel:
    """What the Bayes error needs of a model.

    ``joint`` is P(case, class), cases × classes, and ``cases()`` returns the rows that a classifier reads;
    ``draw(n, seed)`` returns n sampled rows and P(class | row); ``exact_error`` is the closed form. A field
    is None where the model does not have it.
    """

    classes: tuple[State, ...]
    exact_error: float | None = None
    joint: FloatArray | None = None
    cases: Callable[[], Any] | None = None
    draw: Callable[[int, int], tuple[Any, FloatArray]] | None = None


def known_model(
    model: Any, target: Any, features: Iterable[Name] | None, classes: Iterable[State] | None
) -> KnownModel:
    """Read a joint table, Gaussian classes, or any object with ``sample`` and ``posterior``."""
    if target is not None and not hasattr(model, "variables"):
        raise BadQuestion(
            "target= names a variable of a network or of a ProbabilityTable; omit it for this model."
        )
    if isinstance(model, GaussianClasses):
        return _of_gaussians(model)
    if hasattr(model, "variables") and hasattr(model, "to_array"):
        return _of_table(model, target, features)
    if callable(getattr(model, "sample", None)) and callable(getattr(model, "posterior", None)):
        named = getattr(model, "classes", None) if classes is None else classes
        return _of_sampler(model, None if named is None else class_names(named))
    return _of_array(model, classes)


def _of_gaussians(model: GaussianClasses) -> KnownModel:
    def draw(n: int, seed: int) -> tuple[Any, FloatArray]:
        rows, _ = model.sample(n, seed)
        return rows, model.posterior(rows)

    return KnownModel(model.classes, exact_error=model.exact_error(), draw=draw)


def _of_sampler(model: Any, classes: tuple[State, ...] | None) -> KnownModel:
    def draw(n: int, seed: int) -> tuple[Any, FloatArray]:
        rows = model.sample(n, seed)
        rows = rows[0] if isinstance(rows, tuple) else rows
        posterior = np.asarray(model.posterior(rows), dtype=np.float64)
        if posterior.ndim != 2:
            raise BadTable(
                "posterior(rows) of the model must return a matrix, rows × classes; it has the shape "
                f"{posterior.shape}."
            )
        return rows, posterior

    if classes is None:
        classes = tuple(range(draw(1, 0)[1].shape[1]))
    return KnownModel(classes, draw=draw)


def _of_array(model: Any, classes: Iterable[State] | None) -> KnownModel:
    """A joint table: the last axis is the class, the others are features; rows are their codes."""
    try:
        joint = np.array(model, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadQuestion(
            "A known model is a Network with a target, a joint table (an array whose last axis is the class, "
            "or a ProbabilityTable with a target), GaussianClasses, or an object with sample(n, seed) and "
            f"posterior(rows); got a {type(model).__name__}."
        ) from None
    if joint.ndim < 1:
        raise BadTable("A joint table has at least one axis, that of the classes.")
    names = tuple(range(joint.shape[-1])) if classes is None else class_names(classes)
    if len(names) != joint.shape[-1]:
        raise BadTable(
            f"The last axis has {joint.shape[-1]} classes, and classes= names {len(names)}; name them all."
        )
    shape = joint.shape[:-1]

    def cases() -> Any:
        return np.indices(shape).reshape(len(shape), -1).T if shape else np.zeros((1, 0), dtype=np.int64)

    return KnownModel(names, joint=_checked(joint.reshape(-1, joint.shape[-1])), cases=cases)


def _checked(joint: FloatArray) -> FloatArray:
    if not np.isfinite(joint).all() or (joint < 0).any() or abs(joint.sum() - 1) > 1e-9:
        raise BadTable(
            f"A joint table must hold probabilities that sum to 1; these numbers sum to {joint.sum():.6g}."
        )
    return joint


def _of_table(table: Any, target: Any, features: Iterable[Name] | None) -> KnownModel:
    """A ProbabilityTable, summed over the variables that are neither target nor features."""
    variables: Sequence[Variable] = table.variables
    names = [variable.name for variable in variables]
    if getattr(table, "conditions", ()):
        raise BadQuestion(f"{table.title} is conditional; the Bayes error needs the joint table.")
    goal, used = target_and_features(target, features, names)
    axes = [names.index(name) for name in (*used, goal)]
    values = np.asarray(table.to_array(), dtype=np.float64)
    dropped = tuple(axis for axis in range(values.ndim) if axis not in axes)
    kept = [axis for axis in range(values.ndim) if axis not in dropped]
    joint = values.sum(axis=dropped).transpose([kept.index(axis) for axis in axes])
    by_name = {variable.name: variable for variable in variables}
    return listed_cases(joint, [by_name[name] for name in used], by_name[goal])


def listed_cases(joint: FloatArray, features: Sequence[Variable], target: Variable) -> KnownModel:
    """Return the model of a joint table whose last axis is the target; its cases are a DataFrame."""

    def cases() -> Any:
        codes = np.indices(joint.shape[:-1]).reshape(len(features), -1)
        return frame_of(dict(zip(features, codes, strict=True)))

    return KnownModel(target.states, joint=_checked(joint.reshape(-1, joint.shape[-1])), cases=cases)


def frame_of(columns: dict[Variable, Any]) -> Any:
    """Return codes and numbers as the DataFrame of states and numbers that a classifier reads."""
    ready: dict[Name, Any] = {}
    for variable, column in columns.items():
        if variable.is_continuous:
            ready[variable.name] = column
        else:
            states = np.empty(variable.cardinality, dtype=object)
            for code, state in enumerate(variable.states):
                states[code] = state
            ready[variable.name] = list(states[np.asarray(column).astype(np.intp)])
    return pandas_frame(ready, _SHOWN)


def target_and_features(
    target: Any, features: Iterable[Name] | None, names: Sequence[Name]
) -> tuple[Name, tuple[Name, ...]]:
    """Return the target and the features (by default all other variables), checked."""
    if target is None:
        raise BadQuestion(
            f"There is no target. Pass target=, the variable to predict: one of {listed(names)}."
        )
    used = [name for name in names if name != target] if features is None else list(features)
    for name in (target, *used):
        if name not in names:
            raise UnknownVariable.named(name, names)
    if not used:
        raise BadQuestion(f"There are no features to predict {target!r} from: name at least one feature.")
    if target in used:
        raise BadQuestion(f"{target!r} is the target, so it cannot be one of the features.")
    return target, tuple(used)
