"""The weights by which a table is averaged over a parent: P(parent | the other parents of the child).

With these weights the child keeps its probabilities together with its other parents:
Σ_x P(x | others) · P(child | x, others) = P(child | others).
"""

from __future__ import annotations

import numpy as np

from bayou.errors import NotFitted, TooWide
from bayou.inference.query import ask
from bayou.inference.question import Question
from bayou.models.editing.network_content import NetworkContent
from bayou.typing import FloatArray, Name


def weights_given_others(content: NetworkContent, child: Name, parent: Name) -> FloatArray:
    """Return P(parent | the child's other parents with states), axes (others in their order …, parent).

    Where the other parents' states cannot occur together, the marginal of the parent is taken. All states
    weigh alike if the network has no probabilities for them yet.
    """
    variables = content.variables
    others = [p for p in content.dag.parents(child) if p != parent and not variables[p].is_continuous]
    joint = joint_probabilities(content, child, (*others, parent))
    size = variables[parent].cardinality
    if joint is None:
        return np.full((*(variables[other].cardinality for other in others), size), 1 / size)
    total = joint.sum(axis=-1, keepdims=True)
    alone = joint.sum(axis=tuple(range(len(others))))
    weights: FloatArray = np.where(total > 0, joint / np.where(total > 0, total, 1.0), alone / alone.sum())
    return weights


def weights_alone(content: NetworkContent, child: Name, parent: Name) -> FloatArray:
    """Return P(parent), by which the causes of noisy nodes are averaged; even weights if it is not known."""
    found = joint_probabilities(content, child, (parent,))
    size = content.variables[parent].cardinality
    return np.full(size, 1 / size) if found is None else found / found.sum()


def joint_probabilities(content: NetworkContent, child: Name, names: tuple[Name, ...]) -> FloatArray | None:
    """Return P(names) as a table; None if a table that it depends on is missing."""
    network = content.ancestors_of(names)
    if network is None:
        return None
    try:
        return ask(network, Question(names)).table
    except TooWide as error:
        raise TooWide(
            f"The rows of {child!r} are averaged by the probabilities of its parents, which cannot be "
            f"computed: {error} Or drop its parameters first: net.clear_table({child!r})."
        ) from None


def mean_and_variance(content: NetworkContent, child: Name, parent: Name) -> tuple[float, float]:
    """Return the mean and the variance of a real-valued parent."""
    network = content.ancestors_of((parent,))
    mixture = None if network is None else ask(network, Question((parent,))).mixture
    if mixture is None:
        raise NotFitted(
            f"{parent!r} (or one of its ancestors) has no distribution yet, so its mean, which {child!r} "
            "takes in its place, is not known. Set it (net.set_gaussian), or drop the parameters of "
            f"{child!r} first: net.clear_table({child!r})."
        )
    return mixture.mean, mixture.variance
