"""Models and posteriors as documents: dicts and lists that can be written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from bayou.errors import without_warnings

if TYPE_CHECKING:
    from bayou.models.answers.posterior import AnyPosterior
    from bayou.models.network import Network
    from bayou.typing import Name


def network_document(net: Network, names: Sequence[Name] | None = None) -> dict[str, Any]:
    """A network as a document, with all its variables or those named."""
    count = net.parameter_count()
    return {
        "variables": [_variable_document(net, name) for name in (names or net.names)],
        "arcs": net.arcs,
        "sharing": net.sharing,
        "parameters": {
            "total": count.total,
            "free": count.free,
            "joint_total": count.joint_total,
            "joint_free": count.joint_free,
        },
    }


def _variable_document(net: Network, name: Name) -> dict[str, Any]:
    """A variable with its states, parents and parameters; ``table`` is None if there are none yet."""
    variable = net.variables[name]
    document: dict[str, Any] = {
        "name": name,
        "kind": "text" if variable.is_text else "continuous" if variable.is_continuous else "discrete",
        "states": variable.states,
        "parents": net.parents(name),
    }
    if net.frozen.slots[name] not in net.frozen.blocks:
        return {**document, "table": None}
    if not variable.is_continuous:
        return {**document, "table": net.frozen.table(name).tolist()}
    gaussian = net.frozen.distribution(name).gaussian
    if gaussian is None:
        return {**document, "distribution": _without_arrays(net.frozen.distribution(name).state())}
    return {
        **document,
        "intercept": gaussian.intercept.tolist(),
        "coefficients": gaussian.coefficients.tolist(),
        "variance": gaussian.variance.tolist(),
    }


def _without_arrays(value: Any) -> Any:
    """The same nested data with lists instead of arrays."""
    if isinstance(value, dict):
        return {key: _without_arrays(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_arrays(inner) for inner in value]
    return value.tolist() if hasattr(value, "tolist") else value


def posterior_document(posterior: AnyPosterior) -> dict[str, Any]:
    """A posterior as a document: one row per combination of states, or moments of continuous variables."""
    from bayou.inference import Bounds
    from bayou.models.answers.continuous_posterior import ContinuousPosterior
    from bayou.models.answers.joint_continuous import JointContinuousPosterior

    if isinstance(posterior, JointContinuousPosterior):
        moments = {"mean": list(posterior.mean.values()), "covariance": posterior.covariance.tolist()}
        return {"targets": list(posterior.names), **moments, "log_evidence": posterior.log_evidence}
    if isinstance(posterior, ContinuousPosterior):
        low, high = posterior.interval()
        moments = {"mean": posterior.mean, "std": posterior.std, "interval_95": [low, high]}
        return {"targets": [posterior.name], **moments, "log_evidence": posterior.log_evidence}
    cells = ((key if len(posterior.targets) > 1 else (key,), p) for key, p in posterior)
    rows: list[dict[str, Any]] = [{"states": states, "p": p} for states, p in cells]
    document = {"targets": posterior.targets, "probabilities": rows, "log_evidence": posterior.log_evidence}
    trust = {"trusted": posterior.trusted, "reasons": list(posterior.reasons)}
    if posterior.convergence:
        return document | {"loopy": asdict(posterior.convergence) | trust}
    found = posterior.estimate
    if found is None:
        return document
    if isinstance(found, Bounds):
        for row, low, high in zip(rows, found.lower.ravel(), found.upper.ravel(), strict=True):
            row.update(bounds=[float(low), float(high)])
        return {**document, "bounds": {"explored": found.explored, "exact": found.is_exact} | trust}
    for row, error, low, high in zip(
        rows, found.standard_error.ravel(), found.lower.ravel(), found.upper.ravel(), strict=True
    ):
        row.update(standard_error=float(error), interval_99=[float(low), float(high)])
    estimate = {"engine": found.engine, "seed": found.seed, "draws": found.draws}
    size = found.effective_size if isfinite(found.effective_size) else None  # nothing needed to be drawn
    estimate |= {"effective_size": size, "r_hat": found.r_hat}
    return {**document, "estimate": estimate | trust}


def classifier_document(model: Any) -> dict[str, Any]:
    """A classifier as a document: target, classes, features, how each is modelled, how it was chosen."""
    choice = getattr(model, "choice", None)
    return {
        "kind": type(model).__name__,
        "target": model.target_,
        "classes": model.classes_.tolist(),
        "features": feature_notes(model),
        **({} if choice is None else {"choice": choice.to_dict()}),
    }


def feature_notes(model: Any) -> dict[str, str]:
    """Return for each feature how it is modelled, in a word or two (empty if there is nothing to say)."""
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    kinds = getattr(model, "feature_kinds_", None)
    if kinds is not None:
        from bayou.distributions.distribution_kind import kind_word

        chosen = getattr(model, "choices_", {})
        return {str(n): chosen[n].kind if n in chosen else kind_word(kind) for n, kind in kinds.items()}
    with without_warnings():  # which tables the network has does not matter here
        network = getattr(model, "network_", None)
    if network is None:
        return dict.fromkeys(names, "")
    return {
        str(name): "given " + ", ".join(map(str, network.parents(name))) if network.parents(name) else "alone"
        for name in network.names
        if name != model.target_
    }
