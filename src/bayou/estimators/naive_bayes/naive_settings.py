"""What naive Bayes makes of its settings: priors by feature, the default model of a column, the rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bayou.distributions import (
    DEFAULT_PRIOR,
    DistributionKind,
    prior_from,
)
from bayou.errors import BadPrior, BadQuestion, listed, warn_user
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.naive_bayes.feature_kinds import (
    TableFeature,
    WordsFeature,
)
from bayou.typing import Name


def warn_of_identifiers(rows: LabelledSource, states: Sequence[Name]) -> None:
    """Warn of columns that identify rows; ``states`` are the columns of states, others may be numbers."""
    texts = [name for name in rows.identifiers() if name in states] if states else []
    numbers = rows.row_numbers()
    found = [name for name in rows.features if name in numbers or name in texts]
    if found:
        warn_user(
            f"Nearly every row has a different value of {listed(found)}: if it is an id, it tells nothing "
            "about new rows; drop it. If it holds numbers or dates that are written in another way, convert "
            "them (bayou.check shows how)."
        )


def kind_by_type(type_of_column: str) -> DistributionKind:
    """Return the default model of a column type: texts as words, numbers chosen by data, others as tables."""
    if type_of_column in ("int", "float"):
        from bayou.estimators.naive_bayes.auto_feature import AutoFeature

        return AutoFeature(whole=type_of_column == "int")
    return WordsFeature() if type_of_column == "text" else TableFeature()


def priors_of(given: Any, names: tuple[Name, ...]) -> Any:
    """Return a function name → prior, from one prior for all features or a mapping by name."""
    if not isinstance(given, Mapping):
        prior = prior_from(given)
        return lambda name: prior
    for name in given:
        if name not in names:
            raise BadPrior(
                f"prior= names {name!r}, which is not a feature; the features are {listed(names)}."
            )
    chosen = {name: prior_from(prior) for name, prior in given.items()}
    return lambda name: chosen.get(name, DEFAULT_PRIOR)


def check_rule(rule: str) -> None:
    """Check ``rule=``: 'map' uses the class prior, 'ml' does not."""
    if rule not in ("map", "ml"):
        raise BadQuestion(f"rule={rule!r}: use 'map' (with the class prior) or 'ml' (without).")
