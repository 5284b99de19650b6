"""Models of sequences whose size does not depend on the length: parameters shared by all positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bayou.errors import BadVariable
from bayou.models.dynamic.dynamic_network import DynamicNetwork
from bayou.models.network import Network
from bayou.models.sequences.hidden_markov.hmm import HMM


def movie_review(length: int, words: Sequence[str] = ("fun", "great", "love", "sad", "tears")) -> Network:
    """Naive Bayes of a review: genre Y, words W1 … WL, all of which share one table p_word.

    It has 2 + 2D parameters for D words, whatever the length. The tables are uniform until it is fitted.

    ``words`` are the words of the dictionary.

    Raises ``BadVariable`` for a length below 1, or no words.

    >>> [movie_review(length).parameter_count().total for length in (1, 10, 100)]
    [12, 12, 12]
    >>> net = movie_review(2).fit({"Y": ["comedy", "drama"], "W1": ["fun", "sad"], "W2": ["love", "tears"]})
    >>> round(net.query("Y", {"W1": "love", "W2": "fun"})["comedy"], 4)  # the order of words has no effect
    0.8
    """
    positions = _numbered("W", length)
    net = Network(
        {"Y": [], **{position: ["Y"] for position in positions}},
        states={"Y": ["comedy", "drama"], **{position: list(words) for position in positions}},
        share={"p_word": positions},
    )
    net.set_cpt("Y", [0.5, 0.5])
    return net.set_cpt("W1", np.full((2, len(words)), 1 / len(words)))


def hidden_markov(length: int) -> Network:
    """An unrolled HMM: hidden H1 … Hn, observed E1 … En, with shared tables p_trans and p_emit.

    A casino sometimes swaps a fair die for a loaded one: K = 2 hidden states and D = 6 faces (the numbers are
    bayou's own). Besides the K start probabilities there are K² + KD parameters, whatever the length.

    Raises ``BadVariable`` for a length below 1.

    >>> [hidden_markov(n).parameter_count().total - 2 for n in (2, 10, 100)]
    [16, 16, 16]
    >>> rolls = {f"E{k}": 6 for k in range(1, 6)}
    >>> round(hidden_markov(5).query("H3", rolls)["loaded"], 4)
    0.9832
    """
    hidden, seen = _numbered("H", length), _numbered("E", length)
    structure: dict[str, list[str]] = {hidden[0]: []}
    structure.update({after: [before] for before, after in pairwise(hidden)})
    structure.update({face: [state] for state, face in zip(hidden, seen, strict=True)})
    share = {"p_start": hidden[:1], "p_trans": hidden[1:], "p_emit": seen}
    net = Network(
        structure,
        states={name: ["fair", "loaded"] if name in hidden else [1, 2, 3, 4, 5, 6] for name in structure},
        share={block: users for block, users in share.items() if users},
    )
    net.set_cpt("H1", {"fair": 0.5, "loaded": 0.5})
    net.set_cpt("E1", {"fair": [1 / 6] * 6, "loaded": [0.1] * 5 + [0.5]})
    if length > 1:
        net.set_cpt("H2", {"fair": {"fair": 0.95, "loaded": 0.05}, "loaded": {"fair": 0.1, "loaded": 0.9}})
    return net


def casino() -> HMM:
    """The dishonest casino: a fair die is sometimes swapped for a loaded one (Durbin et al. 1998, ch. 3).

    >>> round(casino().log_likelihood([6, 6, 1, 6]), 4)
    -5.166
    """
    model = HMM(["fair", "loaded"], {"roll": [1, 2, 3, 4, 5, 6]})
    model.set_start([0.5, 0.5]).set_transition([[0.95, 0.05], [0.1, 0.9]])
    return model.set_emission("roll", {"fair": [1 / 6] * 6, "loaded": [0.1] * 5 + [0.5]})


def umbrella_world() -> DynamicNetwork:
    """A guard who sees no sky infers rain from umbrellas (Russell and Norvig, Artificial Intelligence, ch.
    14).

    >>> beliefs = umbrella_world().filter({"Umbrella": ["yes", "yes"]})
    >>> beliefs["Rain"].probabilities[:, 1].round(3).tolist()
    [0.818, 0.883]
    """
    return DynamicNetwork(
        "Rain -> Rain'; Rain -> Umbrella",
        tables={
            "Rain": {"no": 0.5, "yes": 0.5},
            "Rain'": {"no": {"no": 0.7, "yes": 0.3}, "yes": {"no": 0.3, "yes": 0.7}},
            "Umbrella": {"no": {"no": 0.8, "yes": 0.2}, "yes": {"no": 0.1, "yes": 0.9}},
        },
    )


def _numbered(letter: str, length: int) -> list[str]:
    if length < 1:
        raise BadVariable(f"The length of a sequence must be 1 or more, not {length!r}.")
    return [f"{letter}{position}" for position in range(1, length + 1)]
