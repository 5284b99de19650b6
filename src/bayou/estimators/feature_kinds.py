"""How a feature is modelled: small frozen objects, chosen by a word, by the column's type, or by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from bayou.distributions import Laplace, Prior
from bayou.errors import BadQuestion, UnknownVariable, listed
from bayou.estimators.densities import Density, GaussianDensity, PoissonDensity, TableDensity, WordsDensity
from bayou.schema import Variable
from bayou.statistics import CountTable, Moments, Request, Statistics, WordCounts
from bayou.typing import Name


@dataclass(frozen=True)
class Estimation:
    """What the estimation of one feature may use."""

    statistics: Statistics
    classes: Variable
    prior: Prior
    unknown: str
    floor: float
    choices: dict[Name, Any] | None = None
    """Where automatic choices are written down, if anywhere."""
    var_smoothing: float = 1e-9

    @property
    def strength(self) -> float:
        """How many virtual records smooth what is no table: the λ of add-λ, 1 with other priors."""
        return self.prior.strength if isinstance(self.prior, Laplace) else 1.0


class FeatureKind(Protocol):
    """A way of modelling P(feature | class)."""

    word: ClassVar[str]

    def needs(self, feature: Name, target: Name) -> Request:
        """What it has to know of the data."""

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """The density behind the statistics."""


@dataclass(frozen=True)
class TableFeature:
    """A table of states, smoothed by the prior: for text, truth values, codes and small whole numbers."""

    word: ClassVar[str] = "table"

    def needs(self, feature: Name, target: Name) -> Request:
        """Counts by class."""
        return CountTable((target, feature))

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """Count and smooth."""
        counts = known.statistics[CountTable((known.classes.name, feature))]
        return TableDensity.estimate(
            counts.aligned([known.classes, counts.axes[1]]), known.prior, known.unknown
        )


@dataclass(frozen=True)
class GaussianFeature:
    """A normal distribution for each class; ``ddof=1`` divides by n − 1."""

    word: ClassVar[str] = "gaussian"
    ddof: int = 0

    def needs(self, feature: Name, target: Name) -> Request:
        """Moments by class."""
        return Moments((feature,), given=(target,))

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """Mean and variance."""
        moments = known.statistics[Moments((feature,), given=(known.classes.name,))]
        return GaussianDensity.estimate(moments.aligned([known.classes]), feature, self.ddof, known.floor)


@dataclass(frozen=True)
class PoissonFeature:
    """Counts of events, a rate for each class."""

    word: ClassVar[str] = "poisson"

    def needs(self, feature: Name, target: Name) -> Request:
        """Moments by class (of which it uses the means)."""
        return Moments((feature,), given=(target,))

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """The mean, pulled a little to that of all classes."""
        moments = known.statistics[Moments((feature,), given=(known.classes.name,))]
        return PoissonDensity.estimate(moments.aligned([known.classes]), feature, known.strength)


@dataclass(frozen=True)
class WordsFeature:
    """A column of texts: the words in them, unknown words skipped."""

    word: ClassVar[str] = "words"

    def needs(self, feature: Name, target: Name) -> Request:
        """Words by class."""
        return WordCounts(feature, (target,))

    def estimate(self, feature: Name, known: Estimation) -> Density:
        """Count and smooth."""
        counts = known.statistics[WordCounts(feature, (known.classes.name,))].aligned([known.classes])
        return WordsDensity(Variable(feature), counts, known.strength)


AUTO = "auto"
WORDS = ("table", "gaussian", "kernel", "discretised", "bernoulli", "poisson", "words")


def kind_of_word(word: str) -> FeatureKind:
    """The kind behind a word."""
    from bayou.estimators import number_kinds

    kinds: dict[str, FeatureKind] = {
        "table": TableFeature(),
        "gaussian": GaussianFeature(),
        "poisson": PoissonFeature(),
        "words": WordsFeature(),
        "kernel": number_kinds.KernelFeature(),
        "discretised": number_kinds.DiscretisedFeature(),
        "bernoulli": number_kinds.BernoulliFeature(),
    }
    return kinds[word]


def kind_from(given: Any, where: str) -> FeatureKind | None:
    """Turn what users type into a kind; None is 'choose yourself'."""
    if given is None or given == AUTO:
        return None
    if isinstance(given, str):
        if given in WORDS:
            return kind_of_word(given)
        raise BadQuestion(f"{where}: there is no feature kind {given!r}; use {AUTO!r} or {listed(WORDS)}.")
    if hasattr(given, "needs") and hasattr(given, "estimate") and not isinstance(given, type):
        kind: FeatureKind = given
        return kind
    raise BadQuestion(f"{where}: {given!r} is no feature kind; use {AUTO!r}, {listed(WORDS)}.")


def kinds_from(given: Any, names: tuple[Name, ...], types: Mapping[Name, str]) -> dict[Name, FeatureKind]:
    """``features=``: one word for all, or a mapping by column name or by type (one of ``TYPES``).

    A name wins over a type; features that are not mentioned are chosen automatically (absent here).
    """
    if not isinstance(given, Mapping):
        kind = kind_from(given, "features")
        return {} if kind is None else dict.fromkeys(names, kind)
    chosen: dict[Name, FeatureKind] = {}
    for key in given:
        if key not in names and key not in TYPES:
            raise UnknownVariable.named(key, (*names, *TYPES), "among the features")
    for name in names:
        stated = given[name] if name in given else given.get(types[name])
        kind = kind_from(stated, f"features[{name!r}]")
        if kind is not None:
            chosen[name] = kind
    return chosen


TYPES = ("text", "bool", "int", "float", "states")
