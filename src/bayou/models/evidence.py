"""Convert the findings of a query, given by the user as names and states, to the codes of inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, UnknownState
from bayou.inference import Finding, Question
from bayou.models.set_findings import SetFinding, is_set, set_finding
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, is_missing, label, labelled
from bayou.typing import FloatArray, Name, State

Given = Mapping[Any, Any]


def question_from(
    network: FrozenNetwork,
    targets: Name | Iterable[Name],
    given: Given | None,
    likelihood: Mapping[Any, Any] | None = None,
    do: Given | None = None,
    marginal: Mapping[Any, Any] | None = None,
    sets: Mapping[Name, SetFinding] | None = None,
) -> Question:
    """Check the arguments of a query and convert them to codes; missing findings (None, NaN) are ignored.

    ``sets`` are findings that leave several states possible. Variables of ``marginal`` get the likelihood
    findings that give them these marginals.
    """
    names = network.dag.select(targets)
    weighed = _likelihood(network, likelihood)
    found, in_given = _findings(network, given)
    set_by_hand = _interventions(network, do)
    shown: dict[Name, str] = {}
    for name, finding_set in {**(sets or {}), **in_given}.items():
        if name in set_by_hand:
            raise BadQuestion(f"{name!r} is both observed and set by do; give only one of the two.")
        if finding_set.says_nothing:
            continue
        shown[name] = finding_set.text + (f", likelihood of {label(name)}" if name in weighed else "")
        weighed[name] = weighed.get(name, 1.0) * finding_set.weights
    question = Question(names, found, weighed, set_by_hand, shown)
    required = marginals_from(network, marginal)
    if not required:
        return question
    from bayou.inference.jeffrey import with_marginals

    return with_marginals(network, question, required)


def _likelihood(network: FrozenNetwork, given: Mapping[Any, Any] | None) -> dict[Name, FloatArray]:
    if given is None:
        return {}
    weights = _mapping(given, "likelihood").items()
    return {network.schema[name].name: _weights(network.schema[name], row) for name, row in weights}


def _mapping(given: Any, where: str) -> Given:
    """Return an argument as a mapping (None is an empty one), or raise; ``where`` is the argument's name."""
    given = {} if given is None else labelled(given)
    if not isinstance(given, Mapping):
        raise BadQuestion(
            f"{where}= takes a mapping of variables, such as {{'smoke': 'yes'}}; got {given!r}."
        )
    return given


def _findings(network: FrozenNetwork, given: Any) -> tuple[dict[Name, Finding], dict[Name, SetFinding]]:
    """The findings of ``given=``: those of one state or value, and those of several possible states."""
    found: dict[Name, Finding] = {}
    sets: dict[Name, SetFinding] = {}
    for name, value in _mapping(given, "given").items() if given is not None else ():
        if is_missing(value):
            continue
        variable = network.schema[name]
        if is_set(variable, value):
            sets[variable.name] = set_finding(variable, value)
        else:
            found[variable.name] = finding(variable, value)
    return found, sets


def _interventions(network: FrozenNetwork, do: Any) -> dict[Name, Finding]:
    """The values that variables are set to."""
    found: dict[Name, Finding] = {}
    for name, value in _mapping(do, "do").items() if do is not None else ():
        variable = network.schema[name]
        known = variable.name
        if is_missing(value):
            raise BadQuestion(
                f"do={{{known!r}: {value!r}}} sets {known!r} to no state: name one, or leave it out of do=. "
                "(Only an observation, given=, may be missing.)"
            )
        if is_set(variable, value):
            raise UnknownState(
                f"do={{{known!r}: {value!r}}}: an intervention sets {known!r} to one "
                f"{'value' if variable.is_continuous else 'state'}. Ask once for each state."
            )
        found[known] = finding(variable, value)
    return found


def finding(variable: Variable, value: State) -> Finding:
    """Return the code of a state, a text, or the value of a continuous variable as a float.

    What a text means (``$1,200``, ``12 %``, ``2024-02-29``) is the same here as in a table.
    """
    if not variable.is_continuous:
        return variable.code(value)
    if variable.is_text:
        if not isinstance(value, str):
            raise BadQuestion(f"{variable.name!r} holds texts: give a text in quotes, not {value!r}.")
        return value
    from bayou.schema.spelled_values import as_quantity

    try:
        number = as_quantity(value)
    except OverflowError:
        raise BadQuestion(f"{variable.name!r}: this number is too large for a float.") from None
    if number is None:
        raise BadQuestion(f"{variable.name!r} is continuous: give a number, not {value!r}.")
    if not np.isfinite(number):
        raise BadQuestion(f"{variable.name!r}: {value!r} is not a finite number.")
    return number


def _weights(variable: Variable, given: Any, where: str = "likelihood") -> FloatArray:
    """Return one weight per state from a mapping by state or a list in the order of the states."""
    if variable.is_continuous:
        raise BadQuestion(f"{where}={{{variable.name!r}: …}}: {where}= needs a discrete variable.")
    given = labelled(given)
    in_order = [None] * variable.cardinality if isinstance(given, Mapping) else given
    if isinstance(given, Mapping):
        for state, weight in given.items():
            code = variable.code(state)
            if in_order[code] is not None:
                raise BadQuestion(
                    f"{where}={{{variable.name!r}: …}} has two weights for {variable.states[code]!r}."
                )
            in_order[code] = weight
    try:
        weights = np.asarray(in_order, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadQuestion(f"{where}={{{variable.name!r}: …}}: {given!r} are not all numbers.") from None
    if weights.shape != (variable.cardinality,) or len(given) != variable.cardinality:
        raise BadQuestion(
            f"{where}={{{variable.name!r}: …}} needs a weight for each of {list(variable.states)}."
        )
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise BadQuestion(f"{where}={{{variable.name!r}: …}}: weights must be finite and not negative.")
    return weights


def marginals_from(network: FrozenNetwork, given: Mapping[Any, Any] | None) -> dict[Name, FloatArray]:
    """Read ``marginal=``: the distribution that each named variable has after the update (Jeffrey's rule)."""
    if given is not None and not isinstance(given, Mapping):
        raise BadQuestion("marginal= takes a mapping, such as {'xray': {'yes': 0.7, 'no': 0.3}}.")
    marginals: dict[Name, FloatArray] = {}
    for name, row in (given or {}).items():
        variable = network.schema[name]
        weights = _weights(variable, row, "marginal")
        total = float(weights.sum())
        if abs(total - 1) > 1e-9:
            raise BadQuestion(
                f"marginal={{{variable.name!r}: …}} sums to {total:.10g}, not to 1: give the probabilities "
                "that its states have now. (For weights that need not sum to 1 use likelihood=.)"
            )
        marginals[variable.name] = weights / total
    return marginals
