"""The expected utility of each action under a posterior, the best action, the value of information."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayou.decisions.beliefs import Beliefs, beliefs_from
from bayou.decisions.utility_table import UtilityTable, utility_table
from bayou.errors import BadQuestion, counted
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import BoolArray, FloatArray, IntArray, State

if TYPE_CHECKING:
    import pandas

EQUAL = 1e-12
"""Expected utilities that differ by at most this, times the largest absolute utility, are a tie."""


class Decision(PrintedTable):
    """The expected utility of every action for one posterior; printing it shows the table.

    >>> choice = decide({"cancer": 0.2085, "healthy": 0.7915},
    ...                 {"treat": {"cancer": 90, "healthy": 40}, "wait": {"cancer": 0, "healthy": 100}})
    >>> choice.best, round(choice.margin, 3)
    ('wait', 28.725)
    """

    def __init__(self, beliefs: Beliefs, table: UtilityTable) -> None:
        self._many = Decisions(beliefs, table)
        self.actions = table.actions
        self.states = beliefs.states
        self.probabilities: FloatArray = beliefs.rows[0]
        self.as_costs = table.as_costs

    @property
    def expected(self) -> dict[Any, float]:
        """The expected utility of each action (the negative of its expected cost)."""
        return dict(zip(self.actions, self._many.expected[0].tolist(), strict=True))

    @property
    def best(self) -> State:
        """The action with the largest expected utility; of ties the one that was given first."""
        return self.actions[int(self._many.chosen[0])]

    @property
    def ties(self) -> tuple[State, ...]:
        """All actions that are as good as the best one, which is the first of them."""
        return tuple(action for action, tied in zip(self.actions, self._many.tied[0], strict=True) if tied)

    @property
    def expected_utility(self) -> float:
        """The expected utility of the best action."""
        return float(self._many.expected_utility[0])

    @property
    def margin(self) -> float:
        """The lead of the best action over the next best; 0 in a tie, infinite for a single action."""
        return float(self._many.margin[0])

    @property
    def value_of_perfect_information(self) -> float:
        """The gain in expected utility from knowing the state before acting: E[max U] - max E[U]."""
        return float(self._many.value_of_perfect_information[0])

    def to_table(self) -> TextTable:
        """One row per action, best first.

        >>> import bayou
        >>> costs = {"umbrella": 1, "none": {"rain": 10, "dry": 0}}
        >>> choice = bayou.decide({"rain": 0.3, "dry": 0.7}, costs=costs)
        >>> print(choice.to_table())
           action    expected cost  if rain (0.3)  if dry (0.7)
        →  umbrella  1              1              1
           none      3              10             0
        """
        sign = -1 if self.as_costs else 1
        order = np.argsort(-self._many.expected[0], kind="stable")
        rows: list[list[Cell]] = [
            [
                "→" if self._many.tied[0, k] else "",
                label(self.actions[k]),
                _number(sign * self._many.expected[0, k]),
                *(_number(sign * value) for value in self._many.table.values[k]),
            ]
            for k in order
        ]
        kind = "cost" if self.as_costs else "utility"
        states = [f"if {label(s)} ({p:.4g})" for s, p in zip(self.states, self.probabilities, strict=True)]
        return TextTable(["", "action", f"expected {kind}", *states], rows)

    def _remarks(self) -> list[str]:
        return [self._verdict()]

    def _verdict(self) -> str:
        if len(self.actions) == 1:
            best = f"There is one action only: {label(self.best)}."
        elif len(self.ties) > 1:
            best = f"A tie of {', '.join(map(label, self.ties))}; the first is taken."
        else:
            best = f"Best: {label(self.best)}, ahead by {_number(self.margin)}."
        return f"{best} Knowing the state first would be worth {_number(self.value_of_perfect_information)}."

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data.

        >>> import bayou
        >>> costs = {"umbrella": 1, "none": {"rain": 10, "dry": 0}}
        >>> choice = bayou.decide({"rain": 0.3, "dry": 0.7}, costs=costs)
        >>> choice.to_dict()["best"]
        'umbrella'
        """
        return {
            "best": self.best,
            "ties": self.ties,
            "expected": self.expected,
            "margin": self.margin,
            "value_of_perfect_information": self.value_of_perfect_information,
        }

    def to_frame(self) -> pandas.DataFrame:
        """One row per action: its expected utility and its utility in each state (needs pandas).

        >>> import bayou
        >>> costs = {"umbrella": 1, "none": {"rain": 10, "dry": 0}}
        >>> choice = bayou.decide({"rain": 0.3, "dry": 0.7}, costs=costs)
        >>> choice.to_frame().columns.to_list()
        ['action', 'expected', 'rain', 'dry']
        """
        columns: dict[Any, Any] = {"action": list(self.actions), "expected": self._many.expected[0]}
        for place, state in enumerate(self.states):
            columns[state] = self._many.table.values[:, place]
        return pandas_frame(columns, "Decision.to_frame")


@dataclass(frozen=True, eq=False)
class Decisions:
    """The best action for each row of a matrix of posteriors; ``decisions[3]`` is one row's Decision.

    >>> many = decide([[0.9, 0.1], [0.5, 0.5]], classes=["spam", "ham"], reject=0.7)
    >>> many.best.tolist(), many.expected_utility.tolist()
    (['spam', 'reject'], [0.9, 0.7])
    """

    beliefs: Beliefs
    table: UtilityTable

    @cached_property
    def expected(self) -> FloatArray:
        """Expected utilities, rows × actions; NaN in a row without a posterior."""
        utilities = self.table.values
        forbidden = np.isneginf(utilities)
        # Not a matrix product, whose rounding of a row would depend on the other rows.
        expected: FloatArray = np.einsum("ns,as->na", self.beliefs.rows, np.where(forbidden, 0.0, utilities))
        if forbidden.any():
            # A utility of -inf counts only where its state has a probability above 0.
            ruled_out = (self.beliefs.rows > 0) @ forbidden.T.astype(np.float64) > 0
            expected[ruled_out] = -np.inf
        return expected

    @cached_property
    def tied(self) -> BoolArray:
        """Which actions tie with the best of their row, within the tolerance ``EQUAL``: rows × actions."""
        utilities = self.table.values
        scale = float(np.abs(utilities[np.isfinite(utilities)]).max(initial=0.0))
        top = self.expected_utility[:, None]
        with np.errstate(invalid="ignore"):
            result: BoolArray = (self.expected >= top - EQUAL * scale) | (self.expected == top)
        return result

    @cached_property
    def expected_utility(self) -> FloatArray:
        """The expected utility of each row's best action."""
        result: FloatArray = self.expected.max(axis=1)
        return result

    @cached_property
    def chosen(self) -> IntArray:
        """The position of each row's best action; -1 where there is no posterior."""
        return np.where(np.isnan(self.expected_utility), -1, self.tied.argmax(axis=1))

    @property
    def best(self) -> npt.NDArray[Any]:
        """Each row's best action (of ties the first); None where there is no posterior."""
        names = np.empty(len(self.table.actions) + 1, dtype=object)
        for place, action in enumerate(self.table.actions):
            names[place] = action
        return names[self.chosen]

    @property
    def margin(self) -> FloatArray:
        """The lead of each row's best action over its next best."""
        if len(self.table.actions) == 1:
            return np.where(self.chosen < 0, np.nan, np.inf)
        ranked = np.sort(self.expected, axis=1)
        with np.errstate(invalid="ignore"):
            gap = ranked[:, -1] - ranked[:, -2]
        tie = self.tied.sum(axis=1) > 1
        result: FloatArray = np.where(tie & (self.chosen >= 0), 0.0, gap)
        return result

    @property
    def value_of_perfect_information(self) -> FloatArray:
        """For each row, the gain from knowing the state before acting: E[max U] - max E[U]."""
        best_in_state = self.table.values.max(axis=0)
        forbidden = np.isneginf(best_in_state)
        informed = np.einsum("ns,s->n", self.beliefs.rows, np.where(forbidden, 0.0, best_in_state))
        informed[(self.beliefs.rows[:, forbidden] > 0).any(axis=1)] = -np.inf
        with np.errstate(invalid="ignore"):
            gain = informed - self.expected_utility
        hopeless = np.isneginf(informed) & np.isneginf(self.expected_utility)
        result: FloatArray = np.maximum(np.where(hopeless, 0.0, gain), 0.0)
        return result

    def __len__(self) -> int:
        return len(self.beliefs.rows)

    def __getitem__(self, row: int) -> Decision:
        rows = self.beliefs.rows[row][None, :]
        if np.isnan(rows).any():
            raise BadQuestion(f"Row {row} (counting from 0) has no posterior (NaN), so there is no decision.")
        return Decision(Beliefs(self.beliefs.states, rows, True), self.table)

    def summary(self) -> TextTable:
        """How often each action is best, and its mean expected utility in these rows.

        >>> import bayou
        >>> many = bayou.decide([[0.9, 0.1], [0.5, 0.5]], classes=["spam", "ham"], reject=0.7)
        >>> print(many.summary())
        best action  rows  share   mean expected utility
        spam            1  0.5000  0.9
        ham             0  0
        reject          1  0.5000  0.7
        """
        sign, kind = (-1, "cost") if self.table.as_costs else (1, "utility")
        counts = Counter(self.chosen.tolist())
        rows: list[list[Cell]] = []
        for place, action in enumerate(self.table.actions):
            worth = self.expected_utility[self.chosen == place]
            mean = _number(sign * worth.mean()) if len(worth) else ""
            rows.append([label(action), counts[place], counts[place] / max(len(self), 1), mean])
        if counts[-1]:
            rows.append(["(no posterior)", counts[-1], counts[-1] / len(self), ""])
        return TextTable(["best action", "rows", "share", f"mean expected {kind}"], rows)

    def __str__(self) -> str:
        return f"Decisions for {counted(len(self), 'row')}\n{self.summary()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def to_frame(self) -> pandas.DataFrame:
        """One row per case: its best action, the expected utility of it, and the margin.

        >>> import bayou
        >>> many = bayou.decide([[0.9, 0.1], [0.5, 0.5]], classes=["spam", "ham"], reject=0.7)
        >>> many.to_frame()["best"].to_list()
        ['spam', 'reject']
        """
        return pandas_frame(
            {"best": self.best, "expected_utility": self.expected_utility, "margin": self.margin},
            "Decisions.to_frame",
        )


def decide(
    posterior: Any,
    utilities: Any = None,
    reject: Any = None,
    *,
    costs: Any = None,
    classes: Iterable[State] | None = None,
    actions: Iterable[State] | None = None,
) -> Decision | Decisions:
    """Find the action with the largest expected utility, for one posterior or for each row of a matrix.

    ``posterior`` is a Posterior, a mapping state → probability, an array with ``classes=``, or a matrix
    (rows × states, as from ``predict_proba``). ``utilities`` is {action: {state: number}}, a DataFrame or an
    array (actions × states, rows named by ``actions=``); ``costs=`` takes costs in the same forms. By default
    each action names a state, with utility 1 if right and 0 if wrong. ``reject`` is the utility (or cost) of
    leaving the case undecided, which becomes an action ``'reject'``.

    Raises ``BadTable`` if an action has no number for a state.

    >>> print(decide({"rain": 0.3, "dry": 0.7}, costs={"umbrella": 1, "none": {"rain": 10, "dry": 0}}))
       action    expected cost  if rain (0.3)  if dry (0.7)
    →  umbrella  1              1              1
       none      3              10             0
    Best: umbrella, ahead by 2. Knowing the state first would be worth 0.7.
    """
    beliefs = beliefs_from(posterior, classes)
    table = utility_table(beliefs.states, utilities, costs, reject, actions)
    return Decision(beliefs, table) if beliefs.single else Decisions(beliefs, table)


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"
