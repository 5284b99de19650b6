"""Chances: two dice, and the heights of men and women."""

from __future__ import annotations

from typing import Any

from bayou.examples.bundled_tables import bundled_table
from bayou.models.network import Network


def two_dice(pick_fair: float = 0.5) -> Network:
    """Pick one of two dice, one fair, one biased (towards 6, by our choice), and throw it.

    Conditional P(i | h), joint P(i, h) = P(h) P(i | h) and marginal P(i) = Σ P(i, h), each a line:

    ``pick_fair`` is the probability that the fair one is picked.

    Raises ``BadTable`` for a number that is no probability.

    >>> net = two_dice()
    >>> net.cpt("Face")["biased", 6]
    0.5
    >>> net.joint()["biased", 6]
    0.25
    >>> round(net.query("Face")[6], 12) == round(1 / 12 + 1 / 4, 12)
    True
    """
    return Network(
        "Die -> Face",
        states={"Face": [1, 2, 3, 4, 5, 6]},
        tables={
            "Die": {"fair": pick_fair, "biased": 1 - pick_fair},
            "Face": {"fair": [1 / 6] * 6, "biased": [0.1] * 5 + [0.5]},
        },
    )


def heights() -> dict[str, list[Any]]:
    """Heights in inches of 898 adult children, by sex, as Galton published them in 1886.

    The file comes from the collection pgmpy/example_datasets (folder real/galton-stature), published under
    CC0 1.0.

    >>> table = heights()
    >>> len(table["height_in"]), table["sex"].count("male"), max(table["height_in"])
    (898, 465, 79.0)
    """
    table = bundled_table("galton_heights.csv")
    return {"height_in": [float(height) for height in table["height_in"]], "sex": table["sex"]}


def heights_network() -> Network:
    """A Gaussian for each sex, learned from :func:`heights`: the mean, and the variance with divisor n.

    >>> net = heights_network()
    >>> round(net.gaussian("height_in").mean({"sex": "female"}), 2)
    64.11
    >>> round(net.query("sex", {"height_in": 70})["male"], 4)
    0.9534
    """
    return Network("sex -> height_in", continuous=["height_in"]).fit(heights(), prior=0)
