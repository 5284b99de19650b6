"""A classifier as a linear threshold unit: a bias, and one weight per state of every feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bayou.errors import BadQuestion
from bayou.schema import Variable, is_missing, label
from bayou.text.tables import PrintedLines, TextTable
from bayou.typing import Name, State


@dataclass(frozen=True)
class LinearWeights(PrintedLines):
    """log-odds of ``of`` against ``against`` = bias + Σ weight of each feature's state (+ slope · number).

    If the sum is positive, the decision is ``of``. A feature missing in a row adds nothing (but Gaussians
    with a common covariance matrix are linear only for rows without gaps).

    >>> wind = Variable("wind", ["weak", "strong"])
    >>> unit = LinearWeights("no", "yes", -0.5, {wind.name: (wind, (-0.25, 0.75))})
    >>> unit.log_odds({"wind": "strong"}), unit.vector(), unit.vector_bias()
    (0.25, {'wind': 1.0}, -0.75)
    """

    of: State
    against: State
    bias: float
    states: Mapping[Name, tuple[Variable, tuple[float, ...]]]
    slopes: Mapping[Name, float] = field(default_factory=dict)
    """The slope of each numeric feature."""
    offsets: Mapping[Name, float] = field(default_factory=dict)
    """The constant that each numeric feature adds if it is observed."""
    unseen: Mapping[Name, float] = field(default_factory=dict)
    """The weight of a value that was never seen in training; 0 for features not listed."""

    @property
    def weights(self) -> dict[Name, dict[State, float]]:
        """The weight α of each feature and state."""
        return {
            name: dict(zip(variable.states, own, strict=True))
            for name, (variable, own) in self.states.items()
        }

    def log_odds(self, row: Mapping[Name, State]) -> float:
        """The value of the linear form for one row."""
        total = self.bias
        for name, value in row.items():
            if is_missing(value):
                continue
            if name in self.states:
                variable, own = self.states[name]
                code = variable.find(value)
                total += self.unseen.get(name, 0.0) if code is None else own[code]
            elif name in self.slopes:
                total += self.offsets[name] + self.slopes[name] * float(value)  # type: ignore[arg-type]  # a number
        return total

    def decide(self, row: Mapping[Name, State]) -> State:
        """The class chosen by the sign of the linear form."""
        return self.of if self.log_odds(row) > 0 else self.against

    def vector(self) -> dict[Name, float]:
        """α_j1 − α_j0 of each feature: weights for features coded 0 and 1 (first and second state)."""
        self._require_binary()
        return {name: own[1] - own[0] for name, (_, own) in self.states.items()} | dict(self.slopes)

    def vector_bias(self) -> float:
        """The bias that belongs to :meth:`vector`: the log-odds of the row of zeros."""
        self._require_binary()
        return self.bias + sum(own[0] for _, own in self.states.values()) + sum(self.offsets.values())

    def _require_binary(self) -> None:
        for name, (variable, _) in self.states.items():
            if variable.cardinality != 2:
                raise BadQuestion(
                    f"{name!r} has {variable.cardinality} states, but a weight vector needs features with "
                    "two. Use .weights for the weights of all states."
                )

    def __str__(self) -> str:
        rows = [["bias", "", f"{self.bias:+.4f}"]]
        for name, own in self.weights.items():
            rows += [[label(name), label(state), f"{weight:+.4f}"] for state, weight in own.items()]
        for name, slope in self.slopes.items():
            rows += [
                [label(name), "per unit", f"{slope:+.4f}"],
                [label(name), "always", f"{self.offsets[name]:+.4f}"],
            ]
        title = f"{label(self.of)} against {label(self.against)}: weights of the log-odds"
        return str(TextTable(["feature", "state", "weight"], rows, title=title, most_rows=10**6))

    def to_dict(self) -> dict[str, Any]:
        """The bias and the weights as plain data."""
        return {
            "of": self.of,
            "against": self.against,
            "bias": self.bias,
            "weights": self.weights,
            "slopes": dict(self.slopes),
            "offsets": dict(self.offsets),
        }
