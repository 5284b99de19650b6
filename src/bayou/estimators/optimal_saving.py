"""A Bayes optimal classifier in a file: its hypotheses, each as a classifier's file has it, and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayou.errors import BadFile
from bayou.estimators.optimal import BayesOptimal
from bayou.estimators.saving import classifier_from_state, classifier_state
from bayou.estimators.stored_values import restored, stored
from bayou.estimators.target import classes_of
from bayou.formats.bundle import write_bundle
from bayou.formats.files import FilePath, path_text
from bayou.models.files import damage_named
from bayou.schema import Variable
from bayou.version import __version__

_SETTINGS = ("prior", "evidence", "prefit", "rule", "cv")
_LEARNED = ("evidence_", "log_evidence_", "weights_", "n_features_in_", "feature_names_in_")


def save_optimal(model: BayesOptimal, path: FilePath) -> None:
    """Write the hypotheses and their weights to a ``.bayou`` file."""
    if not path_text(path).lower().endswith(".bayou"):
        raise BadFile.at(path, "a classifier is saved in bayou's own format: end the name in .bayou.")
    check_is_fitted(model, "weights_")
    state = {
        "settings": {name: stored(getattr(model, name), name) for name in _SETTINGS},
        "hypotheses": [
            [stored(name, "hypotheses"), classifier_state(one)] for name, one in model.hypotheses_.items()
        ],
        "learned": {n: stored(getattr(model, n), n) for n in _LEARNED if hasattr(model, n)},
        "log_prior": np.asarray(model._log_prior, dtype=np.float64),
        "log_weights": np.asarray(model._log_weights, dtype=np.float64),
        "classes": model._classes.state(),
    }
    write_bundle(path, "hypotheses", state, __version__)


def optimal_from_state(path: FilePath, state: dict[str, Any]) -> BayesOptimal:
    """The classifier that :func:`save_optimal` wrote."""
    with damage_named(path):
        known = {restored(name): classifier_from_state(path, one) for name, one in state["hypotheses"]}
        settings = {name: restored(state["settings"][name]) for name in _SETTINGS}
        model = BayesOptimal(known, **settings)
        model.hypotheses_ = known
        for name, part in state["learned"].items():
            if name not in _LEARNED:
                raise BadFile(f"{name!r} is nothing that this classifier learns.")
            setattr(model, name, restored(part))
        model._log_prior, model._log_weights = state["log_prior"], state["log_weights"]
        if model._log_weights.shape != (len(known),):
            raise BadFile("it does not have one weight a hypothesis.")
        model._classes = Variable.from_state(state["classes"])
        model.classes_ = classes_of(model._classes)
        return model
