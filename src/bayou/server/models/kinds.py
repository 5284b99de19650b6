"""The kinds of models: how they are called, and how a loaded model is told from others."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadFile
from bayou.models.network import Network

NETWORK = "network"
CLASSIFIER = "classifier"
HMM = "hidden Markov model"
DYNAMIC = "dynamic network"
KALMAN = "linear Gaussian series"
SEQUENCES = (HMM, DYNAMIC, KALMAN)
KINDS = (NETWORK, CLASSIFIER, *SEQUENCES)


def kind_of(model: Any) -> str:
    """The kind of a loaded model; others are refused.

    >>> import bayou
    >>> kind_of(bayou.examples.asia()), kind_of(bayou.examples.casino())
    ('network', 'hidden Markov model')
    """
    if isinstance(model, Network):
        return NETWORK
    for kind, sign in ((CLASSIFIER, "classes_"), (HMM, "decode_rows"), (DYNAMIC, "template")):
        if hasattr(model, sign):
            return kind
    if hasattr(model, "start_covariance"):
        return KALMAN
    raise BadFile(f"The file holds a {type(model).__name__}, which cannot be served.")


def with_article(kind: str) -> str:
    """A kind in a sentence: 'a network'."""
    return f"a {kind}"
