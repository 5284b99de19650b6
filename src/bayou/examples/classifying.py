"""Small tables for classification: playing tennis, friendly dogs, hair and height by country."""

from __future__ import annotations

from typing import Any

from bayou.models.network import Network

_TENNIS = """
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
"""


def play_tennis() -> dict[str, list[Any]]:
    """The weather of fourteen days, and whether tennis was played.

    >>> table = play_tennis()
    >>> list(table), table["PlayTennis"].count("Yes")
    (['Outlook', 'Temperature', 'Humidity', 'Wind', 'PlayTennis'], 9)
    """
    names = ["Outlook", "Temperature", "Humidity", "Wind", "PlayTennis"]
    return _columns(names, [line.split() for line in _TENNIS.strip().splitlines()])


def play_tennis_network(prior: Any = 0) -> Network:
    """Naive Bayes on :func:`play_tennis`, without smoothing unless another ``prior`` is given.

    Raises ``BadPrior`` for a prior that is none.

    >>> day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    >>> net = play_tennis_network()
    >>> print(net.query("PlayTennis", day))
    P(PlayTennis | Outlook=Sunny, Temperature=Cool, Humidity=High, Wind=Strong)
    PlayTennis  P
    No          0.7954  ████████
    Yes         0.2046  ██
    """
    return Network("PlayTennis -> Outlook, Temperature, Humidity, Wind").fit(play_tennis(), prior=prior)


def dogs() -> dict[str, list[Any]]:
    """Seven dogs: their colour and their temper.

    >>> dogs()["Colour"].count("white")
    3
    """
    rows = "white friendly, brown friendly, white aggressive, black friendly, black friendly"
    return _columns(
        ["Colour", "Temper"],
        [row.split() for row in f"{rows}, brown friendly, white aggressive".split(", ")],
    )


def dogs_network(prior: Any = 0) -> Network:
    """P(friendly | white) is 1/3 with the class frequencies as prior (MAP), and 1/6 with equal priors (ML).

    Raises ``BadPrior`` for a prior that is none.

    >>> net = dogs_network()
    >>> round(net.query("Temper", {"Colour": "white"})["friendly"], 12)
    0.333333333333
    >>> equal = net.set_cpt("Temper", {"friendly": 0.5, "aggressive": 0.5})
    >>> round(equal.query("Temper", {"Colour": "white"})["friendly"], 12)
    0.166666666667
    """
    return Network("Temper -> Colour").fit(dogs(), prior=prior)


_FROM_GREENLAND = "BT DT DT DT BT BS BS DS BT DT DT DT BT BS BS DS"
_FROM_POLAND = "BT BT BT DT DT DS BS DS"


def hair_height_country() -> dict[str, list[Any]]:
    """24 people: hair (blonde, dark), height (tall, short) and country (Greenland, Poland).

    >>> hair_height_country()["Country"].count("Greenland")
    16
    """
    hair, height = {"B": "blonde", "D": "dark"}, {"T": "tall", "S": "short"}
    groups = {"Greenland": _FROM_GREENLAND, "Poland": _FROM_POLAND}
    rows = [
        [hair[code[0]], height[code[1]], country]
        for country, codes in groups.items()
        for code in codes.split()
    ]
    return _columns(["Hair", "Height", "Country"], rows)


def hair_height_country_network(prior: Any = 0) -> Network:
    """Naive Bayes on :func:`hair_height_country`: a tall blonde is from Greenland (5/24 against 5/48).

    Raises ``BadPrior`` for a prior that is none.

    >>> net = hair_height_country_network()
    >>> round(net.query("Country", {"Hair": "blonde", "Height": "tall"})["Greenland"], 12)
    0.666666666667
    """
    return Network("Country -> Hair, Height").fit(hair_height_country(), prior=prior)


def _columns(names: list[str], rows: list[list[str]]) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
