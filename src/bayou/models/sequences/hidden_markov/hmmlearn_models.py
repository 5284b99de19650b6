"""Hidden Markov models of the Python library hmmlearn, to and from :class:`bayou.HMM`.

A model of hmmlearn is read by its attributes alone; the library is imported only to make one.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.distributions import Poisson, Table
from bayou.errors import BadData, BadQuestion, MissingPackage, NotFitted, listed
from bayou.models.sequences.input.listed_sequences import column_names
from bayou.temporal.chain_structure import DIAGONAL, FULL, SHARED, SHARED_DIAGONAL, SPHERICAL
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.sequences.hidden_markov.hmm import HMM

_COVARIANCES = {"full": FULL, "diag": DIAGONAL, "spherical": SPHERICAL, "tied": SHARED}
"""hmmlearn's covariance_type and bayou's covariance=."""


def from_hmmlearn(model: Any, states: Any = None, columns: Sequence[Name] | None = None) -> HMM:
    """The same model as a :class:`bayou.HMM`; ``states`` and ``columns`` name what hmmlearn numbers."""
    from bayou.models.sequences.hidden_markov.hmm import HMM

    if not hasattr(model, "startprob_") or not hasattr(model, "transmat_"):
        raise NotFitted(
            "This model has no startprob_ and transmat_ to read: fit it with hmmlearn first, or set them."
        )
    start = np.asarray(model.startprob_, dtype=np.float64)
    hidden = len(start) if states is None else states
    if hasattr(model, "lambdas_"):
        rates = np.asarray(model.lambdas_, dtype=np.float64)
        names = column_names(columns, rates.shape[1])
        made = HMM(hidden, dict.fromkeys(names, "poisson"))
        for name, rate in zip(names, rates.T, strict=True):
            made.set_emission(name, {"rate": rate})
    elif hasattr(model, "means_") and hasattr(model, "covars_"):
        made = _gaussian(model, hidden, columns)
    elif hasattr(model, "emissionprob_") and not hasattr(model, "n_trials"):
        table = np.asarray(model.emissionprob_, dtype=np.float64)
        (name,) = column_names(columns, 1)
        made = HMM(hidden, {name: list(range(table.shape[1]))}).set_emission(name, table)
    else:
        raise BadQuestion(
            f"A {type(model).__name__} cannot be read: it must be a fitted CategoricalHMM, GaussianHMM, "
            "GMMHMM or PoissonHMM of hmmlearn."
        )
    if len(made.states) != len(start):
        raise BadData(f"states= has {len(made.states)} names, but the model has {len(start)} states.")
    return made.set_start(start).set_transition(model.transmat_)


def _gaussian(model: Any, hidden: Any, columns: Sequence[Name] | None) -> HMM:
    from bayou.models.sequences.hidden_markov.hmm import HMM

    means = np.asarray(model.means_, dtype=np.float64)
    form = str(model.covariance_type)
    mixed = means.ndim == 3
    count, d = int(np.prod(means.shape[:-1])), means.shape[-1]
    covariances = np.asarray(model.covars_, dtype=np.float64)
    if mixed and form == "tied":
        covariances = np.repeat(covariances, means.shape[1], axis=0)
        form = "full"
    names = column_names(columns, d)
    made = HMM(
        hidden,
        dict.fromkeys(names, "gaussian"),
        covariance=_COVARIANCES[form],
        components=means.shape[1] if mixed else 1,
    )
    made.set_gaussian(means, _matrices(covariances, form, count, d))
    return made.set_components(model.weights_) if mixed and means.shape[1] > 1 else made


def _matrices(given: FloatArray, form: str, count: int, d: int) -> FloatArray:
    """A covariance matrix for each group, from any shape in which hmmlearn holds them."""
    if form == "spherical":
        # hmmlearn repeats the variance once or twice for each column.
        first = given.reshape(count, -1)[:, 0]
        made: FloatArray = first[:, None, None] * np.eye(d)
        return made
    if given.size == count * d * d:
        return given.reshape(count, d, d)
    if form == "tied":
        return np.broadcast_to(given.reshape(d, d), (count, d, d)).copy()
    diagonal: FloatArray = given.reshape(count, d)[:, :, None] * np.eye(d)
    return diagonal


def to_hmmlearn(hmm: HMM) -> Any:
    """The same model as one of hmmlearn, ready to be asked; symbols become their numbers in order."""
    chain = hmm.chain
    if chain.ends:
        raise BadQuestion("hmmlearn has no end probabilities: its sequences may end anywhere (ends=False).")
    kinds = {type(hmm.emission(name)) for name in chain.columns}
    models = _models()
    if kinds == {Table} and len(chain.columns) == 1:
        made = models.CategoricalHMM(len(hmm.states))
        made.emissionprob_ = np.array(hmm.model.network.table(chain.columns[0]))
        made.n_features = made.emissionprob_.shape[1]
    elif kinds == {Poisson} and chain.component is None:
        made = models.PoissonHMM(len(hmm.states))
        rates = [hmm.emission(name).parameters_by_group["rate"].ravel() for name in chain.columns]
        made.lambdas_ = np.column_stack(rates)
        made.n_features = len(chain.columns)
    elif len(chain.gaussians) == len(chain.columns):
        made = _gaussian_model(hmm, models)
    else:
        titles = [f"{name!r} ({hmm.emission(name).title})" for name in chain.columns]
        raise BadQuestion(
            "hmmlearn has models of one column of symbols, of Gaussian columns and of Poisson columns; this "
            f"one emits {listed(titles)}."
        )
    made.startprob_, made.transmat_ = hmm.start, hmm.transition
    return made


def _gaussian_model(hmm: HMM, models: Any) -> Any:
    chain, means, covariances = hmm.chain, hmm.means, hmm.covariances
    count, d = means.shape
    theirs = {ours: name for name, ours in _COVARIANCES.items()} | {SHARED_DIAGONAL: "tied"}
    form = theirs[chain.covariance]
    if chain.component is None:
        made = models.GaussianHMM(count, covariance_type=form)
    else:
        components = chain.component.cardinality
        form = "full" if form == "tied" else form  # "tied" there means: by the components of one state
        made = models.GMMHMM(chain.states, components, covariance_type=form)
        made.weights_ = np.array(hmm.model.network.table(chain.component.name))
        means = means.reshape(chain.states, components, d)
    made.n_features, made.means_ = d, means
    groups = means.shape[:-1]
    if form == "tied":
        made.covars_ = covariances[0]
    elif form == "full":
        made.covars_ = covariances.reshape(*groups, d, d)
    else:
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        made.covars_ = variances.reshape(*groups, d) if form == "diag" else variances[:, 0].reshape(groups)
    return made


def _models() -> Any:
    try:
        return importlib.import_module("hmmlearn.hmm")
    except ImportError:
        raise MissingPackage.needed("hmmlearn", "A model of hmmlearn") from None
