"""P(class): estimated from the data, uniform, or given by the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.distributions import Family, Laplace, Prior, Table
from bayou.errors import BadPrior, listed
from bayou.schema import Variable, state_key
from bayou.statistics import Counts
from bayou.typing import FloatArray, State


def log_class_prior(given: Any, counts: Counts, prior: Prior) -> FloatArray:
    """Return log P(class). ``given`` is None (the counts, smoothed by ``prior``), or as below.

    "empirical" is the shares of the classes among the rows; "uniform", a mapping or an array are read by
    :func:`class_shares`.
    """
    classes = counts.axes[0]
    if given is None or (isinstance(given, str) and given == "empirical"):
        used = prior if given is None else Laplace(0.0)
        shares = Table.estimate(counts, Family(counts.axes[-1]), used).values
    else:
        shares = class_shares(given, classes)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(shares)
    return logs


def class_shares(given: Any, classes: Variable) -> FloatArray:
    """Read class probabilities: "uniform", a mapping class → probability, or numbers in the classes' order.

    >>> class_shares({"spam": 0.2, "ham": 0.8}, Variable("mail", ["ham", "spam"])).tolist()
    [0.8, 0.2]
    """
    if isinstance(given, str):
        if given != "uniform":
            raise BadPrior(f"class_prior={given!r}: use 'empirical', 'uniform', a mapping or an array.")
        return np.full(classes.cardinality, 1 / classes.cardinality)
    if isinstance(given, Mapping):
        shares = np.full(classes.cardinality, np.nan)
        for state, share in given.items():
            shares[classes.code(state)] = share
        if np.isnan(shares).any():
            missing = [classes.states[k] for k in np.flatnonzero(np.isnan(shares))]
            raise BadPrior(f"class_prior has no number for {listed(missing)}; give one for each class.")
    else:
        shares = np.asarray(given, dtype=np.float64)
    if shares.shape != (classes.cardinality,):
        raise BadPrior(
            f"class_prior has shape {shares.shape}; expected one number per class: {listed(classes.states)}."
        )
    if not np.all(np.isfinite(shares)) or np.any(shares < 0) or abs(shares.sum() - 1) > 1e-8:
        raise BadPrior(f"class_prior must be probabilities that sum to 1; they are {shares.tolist()}.")
    normalised: FloatArray = shares / shares.sum()
    return normalised


@dataclass(frozen=True, eq=False)
class PriorShifted:
    """A model under other class priors: log P(class, row) + log new − log old."""

    model: Any
    old: FloatArray
    shares: FloatArray

    @property
    def log_prior(self) -> FloatArray:
        """The logarithms of the new class probabilities."""
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.shares)
        return logs

    def joint_log(self, rows: Any) -> FloatArray:
        """log P(class, row) of the model, plus log new − log old."""
        joint: FloatArray = self.model.joint_log(rows) + log_ratio(self.log_prior, self.old)
        return joint


def log_ratio(new: FloatArray, old: FloatArray) -> FloatArray:
    """log new − log old of class probabilities; a class whose new or old one is 0 is (or stays) impossible.

    >>> log_ratio(np.log([0.5, 0.5]), np.array([0.0, -np.inf])).round(2).tolist()
    [-0.69, -inf]
    """
    possible = np.isfinite(new) & np.isfinite(old)
    ratio: FloatArray = np.subtract(new, old, out=np.full(len(new), -np.inf), where=possible)
    return ratio


def with_shares(model: Any, old: FloatArray, shares: FloatArray) -> Any:
    """Return a model under other class priors: one of its own kind where P(class) is a part of its own."""
    shifted = PriorShifted(model, old, shares)
    if not hasattr(model, "with_log_prior"):
        return shifted
    return model.with_log_prior(shifted.log_prior)


GivenPrior = tuple[tuple[State, float], ...]
"""Classes and the probabilities that they were given after learning."""


def given_prior(shares: FloatArray, classes: Variable) -> GivenPrior:
    """Return class probabilities together with the classes that they belong to."""
    return tuple(zip(classes.states, shares.tolist(), strict=True))


def shares_given(given: GivenPrior, classes: Variable) -> FloatArray | None:
    """Return given probabilities in the order of the classes; None if these are no longer the same.

    >>> shares_given((("spam", 0.2), ("ham", 0.8)), Variable("mail", ["ham", "spam"])).tolist()
    [0.8, 0.2]
    """
    shares = {state_key(state): share for state, share in given}
    keys = [state_key(state) for state in classes.states]
    if shares.keys() != set(keys):
        return None
    found = np.array([shares[key] for key in keys])
    class_shares(found, classes)
    return found
