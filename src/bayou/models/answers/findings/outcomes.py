"""What the distribution of a target would become after each outcome of a variable that could be asked for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.frames import pandas_frame
from bayou.schema import Variable, label, state_labels
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import FloatArray, State

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes(PrintedTable):
    """The states of a variable, how probable each is now, and what the target would become after it.

    ``posteriors`` has a row for each state (NaN where it is impossible) and a column for each state of the
    target. ``actions`` has the best action after each state, where there are utilities.

    >>> import bayou
    >>> net = bayou.examples.rain_and_wet_grass()
    >>> print(net.what_to_ask("Rain").outcomes("WetGrass"))
    What Rain would become if WetGrass were known
    WetGrass  P       Rain=no  Rain=yes
    no        0.7400  0.9730   0.0270
    yes       0.2600  0.3077   0.6923
    """

    variable: Variable
    target: Variable
    probabilities: FloatArray
    posteriors: FloatArray
    actions: tuple[State | None, ...] | None = None

    @classmethod
    def of(cls, variable: Variable, target: Variable, joint: FloatArray) -> Outcomes:
        """From P(state of the variable, state of the target), one row per state of the variable.

        ``variable`` is the variable with the outcomes, ``joint`` their probabilities together with the
        target.
        """
        each = joint.sum(axis=1)
        posteriors = np.full_like(joint, np.nan)
        np.divide(joint, each[:, None], out=posteriors, where=each[:, None] > 0)
        return cls(variable, target, each / each.sum(), posteriors)

    def __getitem__(self, state: Hashable) -> dict[State, float]:
        """P(target | findings, variable = state), by state of the target."""
        row = self.posteriors[self.variable.code(state)]
        return dict(zip(self.target.states, row.tolist(), strict=True))

    def to_table(self) -> TextTable:
        """One row per state of the variable.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().what_to_ask("Rain").outcomes("WetGrass")
        >>> print(found.to_table())
        What Rain would become if WetGrass were known
        WetGrass  P       Rain=no  Rain=yes
        no        0.7400  0.9730   0.0270
        yes       0.2600  0.3077   0.6923
        """
        target = label(self.target.name)
        header = [label(self.variable.name), "P"]
        header += [f"{target}={state}" for state in state_labels(self.target.states)]
        header += [] if self.actions is None else ["best action"]
        rows: list[list[Cell]] = []
        for place, state in enumerate(state_labels(self.variable.states)):
            after: list[Cell] = [
                "–" if value != value else value for value in self.posteriors[place].tolist()
            ]
            rows.append([state, float(self.probabilities[place]), *after, *self._action(place)])
        title = f"What {target} would become if {label(self.variable.name)} were known"
        return TextTable(header, rows, title=title)

    def _action(self, place: int) -> list[Cell]:
        if self.actions is None:
            return []
        action = self.actions[place]
        return ["–" if action is None else label(action)]

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data; what would follow an impossible state is None.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().what_to_ask("Rain").outcomes("WetGrass")
        >>> list(found.to_dict())
        ['variable', 'target', 'target_states', 'outcomes']
        """
        outcomes = []
        for place, state in enumerate(self.variable.states):
            row = self.posteriors[place].tolist()
            one: dict[str, Any] = {
                "state": state,
                "probability": float(self.probabilities[place]),
                "posterior": None if row[0] != row[0] else row,
            }
            if self.actions is not None:
                one["best_action"] = self.actions[place]
            outcomes.append(one)
        return {
            "variable": self.variable.name,
            "target": self.target.name,
            "target_states": list(self.target.states),
            "outcomes": outcomes,
        }

    def to_frame(self) -> pandas.DataFrame:
        """One row per state of the variable and state of the target (needs pandas).

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().what_to_ask("Rain").outcomes("WetGrass")
        >>> found.to_frame().columns.to_list()
        ['state', 'probability', 'target_state', 'posterior']
        """
        wide = len(self.target.states)
        columns: dict[str, Any] = {
            "state": [state for state in self.variable.states for _ in range(wide)],
            "probability": np.repeat(self.probabilities, wide),
            "target_state": list(self.target.states) * len(self.variable.states),
            "posterior": self.posteriors.ravel(),
        }
        return pandas_frame(columns, "Outcomes.to_frame")
