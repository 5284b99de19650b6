"""The networks and tables of the lectures, and classic networks, such as ``bayou.examples.storm()``.

Where a lecture gives a table, the plain name is the table (a dict of columns) and ``…_network`` the network
learned from it; where it gives a network, the plain name is the network.

- ``cancer_test``, ``cancer_test_network``: Bayes' theorem: a rare disease, a good test
- ``play_tennis``, ``play_tennis_network``: naive Bayes on fourteen days
- ``dogs``, ``dogs_network``: maximum likelihood against maximum a posteriori
- ``hair_height_country``, ``…_network``: naive Bayes on three columns
- ``ratings``, ``ratings_network``: one variable: count and normalise
- ``genre_ratings``, ``genre_ratings_network``: two variables, Laplace smoothing
- ``award_ratings``, ``award_ratings_network``: a v-structure
- ``jim_and_martha``, ``jim_and_martha_network``: an inverted v, parameters shared or not
- ``movie_review(length)``: naive Bayes of a text: one p_word for all positions
- ``hidden_markov(length)``: a hidden Markov model, unrolled
- ``casino``: a hidden Markov model: fair and loaded dice
- ``umbrella_world``: a dynamic network: rain behind umbrellas
- ``storm``, ``storm_data``, ``campfire_counts``: joint, explaining away, learning a table from counts
- ``thunder_and_rain``: conditional independence in a chain
- ``cold_and_allergies``: explaining away
- ``rain_and_wet_grass``: causes, seeing against doing
- ``two_dice``: conditional, joint and marginal
- ``heights``, ``heights_network``: a continuous variable: a Gaussian for each class
- ``asia``, ``cancer``, ``earthquake``, ``survey``: classic networks of 5 to 8 variables
- ``sachs``, ``child``, ``insurance``, ``alarm``: classic networks of 11 to 37 variables

>>> import bayou
>>> bayou.examples.asia().names
('asia', 'tub', 'smoke', 'lung', 'bronc', 'either', 'xray', 'dysp')
"""

from __future__ import annotations

from bayou.examples.chances import heights, heights_network, two_dice
from bayou.examples.classics import alarm, asia, cancer, child, earthquake, insurance, sachs, survey
from bayou.examples.classifying import (
    dogs,
    dogs_network,
    hair_height_country,
    hair_height_country_network,
    play_tennis,
    play_tennis_network,
)
from bayou.examples.diagnosis import cancer_test, cancer_test_network, cold_and_allergies, rain_and_wet_grass
from bayou.examples.movies import (
    award_ratings,
    award_ratings_network,
    genre_ratings,
    genre_ratings_network,
    jim_and_martha,
    jim_and_martha_network,
    ratings,
    ratings_network,
)
from bayou.examples.sequences import casino, hidden_markov, movie_review, umbrella_world
from bayou.examples.storm import campfire_counts, storm, storm_data, thunder_and_rain

__all__ = [
    "alarm",
    "asia",
    "award_ratings",
    "award_ratings_network",
    "campfire_counts",
    "cancer",
    "cancer_test",
    "cancer_test_network",
    "casino",
    "child",
    "cold_and_allergies",
    "dogs",
    "dogs_network",
    "earthquake",
    "genre_ratings",
    "genre_ratings_network",
    "hair_height_country",
    "hair_height_country_network",
    "heights",
    "heights_network",
    "hidden_markov",
    "insurance",
    "jim_and_martha",
    "jim_and_martha_network",
    "movie_review",
    "names",
    "play_tennis",
    "play_tennis_network",
    "rain_and_wet_grass",
    "ratings",
    "ratings_network",
    "sachs",
    "storm",
    "storm_data",
    "survey",
    "thunder_and_rain",
    "two_dice",
    "umbrella_world",
]


def names() -> list[str]:
    """The names of all examples; each is a function of this module.

    >>> "storm" in names()
    True
    """
    return [name for name in __all__ if name != "names"]
