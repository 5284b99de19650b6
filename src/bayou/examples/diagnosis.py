"""Causes and symptoms: the cancer test, colds and allergies, rain and wet grass."""

from __future__ import annotations

from bayou.models.network import Network
from bayou.probability.bayes_rule import BayesResult, bayes_rule


def cancer_test() -> BayesResult:
    """A positive test for a rare disease: prevalence .008, sensitivity .98, specificity .97.

    The most probable hypothesis is 'healthy'; with equal priors (maximum likelihood) it would be 'cancer'.

    >>> result = cancer_test()
    >>> round(result.posterior["cancer"], 4), result.map
    (0.2085, 'healthy')
    """
    return bayes_rule(
        prior={"cancer": 0.008, "healthy": 0.992},
        likelihood={"cancer": {"+": 0.98, "-": 0.02}, "healthy": {"+": 0.03, "-": 0.97}},
        observed="+",
    )


def cancer_test_network(prevalence: float = 0.008) -> Network:
    """A test for a rare cancer as a network, for any prevalence; .5 gives the maximum likelihood answer.

    ``prevalence`` is the share of people who are ill.

    Raises ``BadTable`` for a number that is no probability.

    >>> round(cancer_test_network().query("Disease", {"Test": "+"})["cancer"], 4)
    0.2085
    >>> round(cancer_test_network(0.5).query("Disease", {"Test": "+"})["cancer"], 4)
    0.9703
    """
    return Network(
        "Disease -> Test",
        tables={
            "Disease": {"cancer": prevalence, "healthy": 1 - prevalence},
            "Test": {"cancer": {"+": 0.98, "-": 0.02}, "healthy": {"+": 0.03, "-": 0.97}},
        },
    )


def cold_and_allergies() -> Network:
    """A cold or allergies cause a cough, allergies cause itchy eyes: an example of explaining away.

    The lecture gives no tables; all numbers here are bayou's own. Itchy eyes raise the probability of
    allergies, which explain the cough, so a cold becomes less probable than after the cough alone.

    >>> net = cold_and_allergies()
    >>> cough = net.query("Cold", {"Cough": 1})[1]
    >>> cough_and_itch = net.query("Cold", {"Cough": 1, "ItchyEyes": 1})[1]
    >>> round(cough, 4), round(cough_and_itch, 4)
    (0.3373, 0.1392)
    """
    return Network(
        "Cold, Allergies -> Cough; Allergies -> ItchyEyes",
        states={name: [0, 1] for name in ("Cold", "Allergies", "Cough", "ItchyEyes")},
        tables={
            "Cold": {1: 0.1},
            "Allergies": {1: 0.2},
            "Cough": {(0, 0): {1: 0.05}, (0, 1): {1: 0.8}, (1, 0): {1: 0.9}, (1, 1): {1: 0.98}},
            "ItchyEyes": {0: {1: 0.05}, 1: {1: 0.9}},
        },
    )


def rain_and_wet_grass() -> Network:
    """Rain causes wet grass: a query from effect to cause. (The lecture gives no tables; these are bayou's.)

    Observing wet grass changes the probability of rain; making it wet by hand (``do``) does not.

    >>> net = rain_and_wet_grass()
    >>> round(net.query("Rain", {"WetGrass": "yes"})["yes"], 4)
    0.6923
    >>> round(net.query("Rain", do={"WetGrass": "yes"})["yes"], 4)
    0.2
    """
    return Network(
        "Rain -> WetGrass",
        tables={
            "Rain": {"no": 0.8, "yes": 0.2},
            "WetGrass": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.1, "yes": 0.9}},
        },
    )
