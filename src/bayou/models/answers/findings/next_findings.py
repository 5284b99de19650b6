"""Which finding to ask for next: every variable that could be asked for, the best first, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayou.errors import UnknownVariable, listed
from bayou.frames import pandas_frame
from bayou.models.answers.findings.outcomes import Outcomes
from bayou.schema import Variable, label
from bayou.text.tables import Cell, PrintedTable, TextTable, visible
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from bayou.decisions.utility_table import UtilityTable

NOTHING = 1e-12
"""Information below this many bits, and gains below this share of the utilities, count as nothing."""


@dataclass(frozen=True)
class NextFinding:
    """One variable that could be asked for.

    ``bits`` is the information that its state is expected to give about the target, ``share`` the same as a
    share of the target's entropy. ``gain`` is the expected gain in utility before its ``cost``, and ``net``
    what is left of it; both are None without utilities.
    """

    name: Name
    bits: float
    share: float
    cost: float | None = None
    gain: float | None = None

    @property
    def bits_per_cost(self) -> float | None:
        """The expected information for each unit of its cost; None without costs."""
        return None if self.cost is None or self.cost == 0 else self.bits / self.cost

    @property
    def net(self) -> float | None:
        """The expected gain in utility, minus the cost of asking; None without utilities."""
        return None if self.gain is None else self.gain - (self.cost or 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class NextFindings(PrintedTable, Sequence[NextFinding]):
    """The variables that could be asked for, the best first: index it, or take ``best``.

    They are ranked by what is left of the gain in utility after the cost, where there are utilities; else by
    bits for each unit of cost, where there are costs; else by bits. ``advice`` says it in a sentence, and
    ``outcomes(name)`` what the target would become after each state of a variable. ``left_out`` names
    variables without states, which are not ranked.

    >>> import bayou
    >>> net = bayou.examples.storm()
    >>> asked = net.what_to_ask("Storm", given={"Thunder": "yes"}, among=["Campfire", "ForestFire"])
    >>> asked.best.name, round(asked.best.bits, 4), round(asked.entropy, 4)
    ('Campfire', 0.0156, 0.5597)
    """

    target: Variable
    findings: str
    posterior: FloatArray
    entropy: float
    ranked: tuple[NextFinding, ...]
    left_out: tuple[Name, ...]
    joints: Mapping[Name, FloatArray]
    variables: Mapping[Name, Variable]
    utilities: UtilityTable | None = None
    expected_utility: float | None = None

    @property
    def best(self) -> NextFinding | None:
        """The finding to ask for; None if none tells anything, or if none is worth its cost."""
        first = self.ranked[0] if self.ranked else None
        if first is None or first.net is None:
            return first if first is not None and first.bits > NOTHING else None
        return first if first.net > NOTHING * self._scale else None

    @property
    def _scale(self) -> float:
        values = np.zeros(1) if self.utilities is None else self.utilities.values
        return max(float(np.abs(values[np.isfinite(values)]).max(initial=0.0)), 1e-300)

    @property
    def best_action(self) -> Any:
        """The action to take if nothing more is asked; None without utilities."""
        return None if self.utilities is None else self._actions(self.posterior[None, :])[0]

    def _actions(self, rows: FloatArray) -> tuple[Any, ...]:
        from bayou.decisions.beliefs import Beliefs
        from bayou.decisions.utilities import Decisions

        assert self.utilities is not None
        return tuple(Decisions(Beliefs(self.target.states, rows, False), self.utilities).best.tolist())

    def outcomes(self, name: Name) -> Outcomes:
        """What the target would become after each state of a variable.

        Raises ``UnknownVariable`` for a name that is not among the findings.

        >>> import bayou
        >>> asked = bayou.examples.rain_and_wet_grass().what_to_ask("Rain")
        >>> round(asked.outcomes("WetGrass")["yes"]["yes"], 4)
        0.6923
        """
        if name not in self.joints:
            raise UnknownVariable.named(name, list(self.joints), "among those that could be asked for")
        found = Outcomes.of(self.variables[name], self.target, self.joints[name])
        return found if self.utilities is None else replace(found, actions=self._actions(found.posteriors))

    @overload
    def __getitem__(self, rank: int) -> NextFinding: ...
    @overload
    def __getitem__(self, rank: slice) -> Sequence[NextFinding]: ...
    def __getitem__(self, rank: int | slice) -> NextFinding | Sequence[NextFinding]:
        return self.ranked[rank]

    def __len__(self) -> int:
        return len(self.ranked)

    @property
    def has_costs(self) -> bool:
        """Whether asking has a cost."""
        return any(one.cost is not None for one in self.ranked)

    @property
    def advice(self) -> str:
        """What to ask next and why, in a sentence."""
        about, best = label(self.target.name), self.best
        if self.utilities is not None:
            return self._advice_to_act(best)
        if self.entropy <= NOTHING:
            state = label(self.target.states[int(self.posterior.argmax())])
            return f"Nothing needs to be asked: {about} is {state} for certain."
        if best is None:
            return f"No variable that could be asked for says anything about {about}."
        told = (
            f"it is expected to remove {best.bits:.3g} of the {self.entropy:.3g} bits of uncertainty "
            f"about {about}"
        )
        if best.bits_per_cost is None:
            return f"Ask for {label(best.name)}: {told}."
        return (
            f"Ask for {label(best.name)}: {told}, for a cost of {best.cost:g}. No other finding tells more "
            f"for its cost ({best.bits_per_cost:.3g} bits for each unit)."
        )

    def _advice_to_act(self, best: NextFinding | None) -> str:
        now = f"{label(self.best_action)} (expected utility {self.expected_utility:.4g})"
        if best is None:
            changes = any(one.gain is not None and one.gain > NOTHING * self._scale for one in self.ranked)
            why = "no finding is worth its cost" if changes else "no finding would change the decision"
            return f"Ask for nothing more: {why}. Best now: {now}."
        gain = f"is expected to be worth {_number(best.gain)} more than the best action now, {now}"
        after = f"; {_number(best.net)} is left after its cost of {best.cost:g}" if best.cost else ""
        return f"Ask for {label(best.name)}: acting on what it shows {gain}{after}."

    def to_table(self, most: int = 10) -> TextTable:
        """One row per variable, the best first; at most ``most`` rows are printed.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().what_to_ask("Rain")
        >>> print(found.to_table())
        What to ask next about Rain: 0.7219 bits of uncertainty
        variable  bits    share
        WetGrass  0.3578  0.4955
        """
        costs, acts = self.has_costs, self.utilities is not None
        header = ["variable", *(["gain"] if acts else []), *(["cost"] if costs else [])]
        header += ["net gain"] if acts and costs else []
        header += ["bits", "share", *(["bits per cost"] if costs and not acts else [])]
        rows: list[list[Cell]] = []
        for one in self.ranked:
            row: list[Cell] = [label(one.name), *([_number(one.gain)] if acts else [])]
            row += [_number(one.cost)] if costs else []
            row += [_number(one.net)] if acts and costs else []
            row += [one.bits, one.share, *([_number(one.bits_per_cost)] if costs and not acts else [])]
            rows.append(row)
        given = f" given {self.findings}" if self.findings else ""
        title = f"What to ask next about {label(self.target.name)}{given}"
        return TextTable(
            header, rows, title=f"{title}: {self.entropy:.4g} bits of uncertainty", most_rows=most
        )

    @property
    def notes(self) -> list[str]:
        """The lines below the table: the advice, and what is not ranked."""
        left = f"Not ranked, because they have no states: {listed(self.left_out)}." if self.left_out else ""
        return [self.advice, *filter(None, [left])]

    def _remarks(self) -> list[str]:
        return [*map(visible, self.notes)]

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().what_to_ask("Rain")
        >>> list(found.to_dict())
        ['target', 'findings', 'posterior', 'entropy', 'best', 'advice', 'ranked', 'left_out']
        """
        ranked = []
        for one in self.ranked:
            row: dict[str, Any] = {"name": one.name, "bits": one.bits, "share": one.share}
            if one.cost is not None:
                row |= {"cost": one.cost}
            row |= {"bits_per_cost": one.bits_per_cost} if one.cost is not None and one.gain is None else {}
            row |= {"gain": _finite(one.gain), "net": _finite(one.net)} if one.gain is not None else {}
            ranked.append(row)
        document: dict[str, Any] = {
            "target": self.target.name,
            "findings": self.findings,
            "posterior": [
                {"state": state, "probability": p}
                for state, p in zip(self.target.states, self.posterior.tolist(), strict=True)
            ],
            "entropy": self.entropy,
            "best": None if self.best is None else self.best.name,
            "advice": self.advice,
            "ranked": ranked,
            "left_out": list(self.left_out),
        }
        if self.utilities is not None:
            utility = _finite(self.expected_utility)
            document |= {"best_action": self.best_action, "expected_utility": utility}
        return document

    def to_frame(self) -> pandas.DataFrame:
        """One row per variable, the best first (needs pandas).

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().what_to_ask("Rain")
        >>> found.to_frame().round(4).to_dict("list")
        {'variable': ['WetGrass'], 'bits': [0.3578], 'share': [0.4955]}
        """
        columns: dict[str, Any] = {
            "variable": [one.name for one in self.ranked],
            "bits": [one.bits for one in self.ranked],
            "share": [one.share for one in self.ranked],
        }
        if self.has_costs:
            columns["cost"] = [one.cost for one in self.ranked]
        if self.utilities is not None:
            columns["gain"] = [one.gain for one in self.ranked]
            columns["net"] = [one.net for one in self.ranked]
        elif self.has_costs:
            columns["bits_per_cost"] = [one.bits_per_cost for one in self.ranked]
        return pandas_frame(columns, "NextFindings.to_frame")

    def plot(self, most: int = 10, ax: Axes | None = None) -> Axes:
        """Draw what the first ``most`` variables are worth as bars (needs matplotlib); returns the axes.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().what_to_ask("Rain").plot().get_title()
        'What to ask next about Rain'
        """
        from bayou import plots

        given = f" given {self.findings}" if self.findings else ""
        return plots.information_bars(
            self[:most], f"What to ask next about {label(self.target.name)}{given}", ax
        )


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    # Numbers that differ from 0 only by rounding are printed as 0.
    return f"{value:.4g}".replace("inf", "∞").replace("-", "−") if abs(value) > NOTHING else "0"


def _finite(value: float | None) -> float | None:
    """A number for plain data: None if it is infinite."""
    return value if value is not None and math.isfinite(value) else None
