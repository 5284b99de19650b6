"""Reading ``features=``: one word for all columns, or words and kinds by column name or type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.distributions import Distribution, DistributionKind, KernelFeature, PoissonFeature
from bayou.errors import BadQuestion, UnknownVariable, listed
from bayou.estimators.naive_bayes.feature_kinds import GaussianFeature, TableFeature, WordsFeature
from bayou.estimators.naive_bayes.number_kinds import BernoulliFeature, DiscretisedFeature
from bayou.typing import Name

AUTO = "auto"
KINDS: dict[str, DistributionKind] = {
    kind.word: kind
    for kind in (
        TableFeature(),
        GaussianFeature(),
        KernelFeature(),
        DiscretisedFeature(),
        BernoulliFeature(),
        PoissonFeature(),
        WordsFeature(),
    )
}
TYPES = ("text", "bool", "int", "float", "states")


def kind_from(given: Any, where: str) -> DistributionKind | None:
    """Return the kind for a word or a kind; None means that it is chosen automatically."""
    if given is None or (isinstance(given, str) and given == AUTO):
        return None
    if isinstance(given, str):
        if given in KINDS:
            return KINDS[given]
        raise BadQuestion(f"{where}: there is no feature kind {given!r}; use {AUTO!r} or {listed(KINDS)}.")
    is_kind = hasattr(given, "needs") and hasattr(given, "estimate")
    if is_kind and (not isinstance(given, type) or issubclass(given, Distribution)):
        kind: DistributionKind = given
        return kind
    raise BadQuestion(f"{where}: {given!r} is not a feature kind; use {AUTO!r}, {listed(KINDS)}.")


def feature_kinds_from(
    given: Any, names: tuple[Name, ...], types: Mapping[Name, str]
) -> dict[Name, DistributionKind]:
    """Read ``features=``: one word for all, or a mapping by column name or by type (one of ``TYPES``).

    A name takes precedence over a type. Features whose kind is to be chosen automatically are not in the
    result.
    """
    if not isinstance(given, Mapping):
        kind = kind_from(given, "features")
        return {} if kind is None else dict.fromkeys(names, kind)
    chosen: dict[Name, DistributionKind] = {}
    for key in given:
        if key not in names and key not in TYPES:
            raise UnknownVariable.named(key, (*names, *TYPES), "among the features")
    for name in names:
        entry = given[name] if name in given else given.get(types[name])
        kind = kind_from(entry, f"features[{name!r}]")
        if kind is not None:
            chosen[name] = kind
    return chosen
