"""Movie ratings: learning by counting, from one variable to shared parameters.

G is the genre (d drama, c comedy), A whether the movie won an award, R a rating from 1 to 5, R1 and R2 the
ratings of Jim and Martha. Each ``…_network`` function returns a network that is already fitted; ``prior=0``
means relative frequencies, ``prior=1`` Laplace smoothing.
"""

from __future__ import annotations

from typing import Any

from bayou.models.network import Network

_RATINGS = [1, 2, 3, 4, 5]
_GENRES = ["d", "c"]


def ratings() -> dict[str, list[Any]]:
    """Ten ratings.

    >>> ratings()
    {'R': [1, 3, 4, 4, 4, 4, 4, 5, 5, 5]}
    """
    return {"R": [1, 3, 4, 4, 4, 4, 4, 5, 5, 5]}


def ratings_network(prior: Any = 0) -> Network:
    """One variable: count and normalise.

    Raises ``BadPrior`` for a prior that is none.

    >>> ratings_network().cpt("R").to_dict()
    {1: 0.1, 2: 0.0, 3: 0.1, 4: 0.5, 5: 0.3}
    """
    return Network("R", states={"R": _RATINGS}).fit(ratings(), prior=prior)


def genre_ratings() -> dict[str, list[Any]]:
    """Five movies: genre and rating.

    >>> genre_ratings()["R"]
    [4, 4, 5, 1, 5]
    """
    return {"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}


def genre_ratings_network(prior: Any = 0) -> Network:
    """Two variables, G -> R: 12 parameters, 9 of them free; λ = 1 leaves no rating impossible.

    Raises ``BadPrior`` for a prior that is none.

    >>> net = genre_ratings_network()
    >>> print(net.parameter_count())
    12 parameters, 9 free (the full joint table: 10, 9 free)
    >>> net.cpt("R")["d", 4] == 2 / 3, net.cpt("R")["c", 2]
    (True, 0.0)
    >>> smoothed = genre_ratings_network(prior=1)
    >>> smoothed.cpt("G")["d"] == 4 / 7, smoothed.cpt("R")["c", 2] == 1 / 7
    (True, True)
    """
    net = Network("G -> R", states={"G": _GENRES, "R": _RATINGS})
    return net.fit(genre_ratings(), prior=prior)


def award_ratings() -> dict[str, list[Any]]:
    """Five movies: genre, award (0 or 1) and rating.

    >>> award_ratings()["R"]
    [3, 5, 1, 5, 4]
    """
    return {"G": ["d", "d", "d", "c", "c"], "A": [0, 1, 0, 0, 1], "R": [3, 5, 1, 5, 4]}


def award_ratings_network(prior: Any = 0) -> Network:
    """A v-structure, G -> R <- A: learned like any other network, with 24 parameters (18 free).

    Raises ``BadPrior`` for a prior that is none.

    >>> net = award_ratings_network()
    >>> net.parameter_count().total, net.parameter_count().free
    (24, 18)
    >>> net.cpt("R")["d", 0, 3], net.cpt("R")["c", 1, 4]
    (0.5, 1.0)
    """
    net = Network("G -> R <- A", states={"G": _GENRES, "A": [0, 1], "R": _RATINGS})
    return net.fit(award_ratings(), prior=prior)


def jim_and_martha() -> dict[str, list[Any]]:
    """Five movies: genre, Jim's rating R1 and Martha's R2.

    >>> jim_and_martha()["R2"]
    [5, 4, 3, 2, 4]
    """
    return {"G": ["d", "d", "d", "c", "c"], "R1": [4, 4, 5, 1, 5], "R2": [5, 4, 3, 2, 4]}


def jim_and_martha_network(prior: Any = 0, *, shared: bool = True) -> Network:
    """An inverted v, R1 <- G -> R2: one block of parameters for both tastes, or one each.

    ``shared`` says whether both have one taste.

    Raises ``BadPrior`` for a prior that is none.

    >>> net = jim_and_martha_network()
    >>> net.sharing
    {'p_R': ('R1', 'R2')}
    >>> net.cpt("R1")["d", 4] == net.cpt("R2")["d", 4] == 3 / 6
    True
    >>> apart = jim_and_martha_network(shared=False)
    >>> apart.cpt("R1")["d", 4] == 2 / 3, apart.cpt("R2")["d", 4] == 1 / 3
    (True, True)
    """
    share = {"p_R": ["R1", "R2"]} if shared else {}
    states = {"G": _GENRES, "R1": _RATINGS, "R2": _RATINGS}
    return Network("R1 <- G -> R2", states=states, share=share).fit(jim_and_martha(), prior=prior)
