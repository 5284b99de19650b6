"""The result of ``tornado``: every entry of every table, those that move the answer most first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayou.explain.sensitivity.decision_thresholds import Thresholds
from bayou.explain.sensitivity.sensitivity_functions import SensitivityFunctions, TableFunctions
from bayou.frames import pandas_frame
from bayou.models.answers.sensitivity.entry_effect import EntryEffect, two_numbers
from bayou.schema import Variable, label
from bayou.text.tables import Cell, PrintedTable, TextTable, probability_text
from bayou.text.two_sided_bars import TwoSidedBar
from bayou.typing import FloatArray, IntArray, Name, State

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

SHOWN = 12
"""The number of entries that are printed and drawn."""
SHOWN_NAMES = 5
TIE = 1e-12
"""A decision that turns within this distance is a tie."""


@dataclass(frozen=True, eq=False, repr=False)
class Tornado(PrintedTable, Sequence[EntryEffect]):
    """How P(target=state | findings) moves when one entry of a table moves: a sequence of entries.

    The entry that moves the answer most within its range comes first. ``decision`` is the best action now (by
    default the most probable state), ``turning_point`` the entry that turns it with the smallest relative
    change, ``sentence`` the same in words. ``without_effect`` are variables whose tables cannot matter here,
    ``without_entries`` those that matter but have no table of entries (noisy nodes, functions, numbers).

    >>> import bayou
    >>> print(bayou.examples.rain_and_wet_grass().tornado("Rain", "yes", given={"WetGrass": "yes"}))
    P(Rain=yes | WetGrass=yes) = 0.6923, with each entry 10 % lower and higher
    entry                       θ       10 % lower                         10 % higher  turns at
    P(WetGrass=no | Rain=no)    0.9000  0.5422          ▐█████│██████████  0.9574       0.775
    P(Rain=no)                  0.8000  0.7778          ▐█████│███▎        0.5510       0.9
    P(Rain=yes)                 0.2000  0.6639               █│█           0.7174       0.1
    P(WetGrass=yes | Rain=yes)  0.9000  0.6694               █│▊           0.7122       0.4
    P(WetGrass=yes | Rain=no)   0.1000  0.7143               █│▉           0.6716       0.225
    P(WetGrass=no | Rain=yes)   0.1000  0.6947                │▏           0.6899       0.6
    The decision turns from yes to no when P(Rain=yes) falls from 0.2 to 0.1.
    """

    asked: str
    change: float
    functions: SensitivityFunctions
    axes: tuple[tuple[Variable, ...], ...]
    actions: tuple[State, ...]
    best: int
    thresholds: tuple[Thresholds, ...]

    @property
    def probability(self) -> float:
        """P(target=state | findings) as the tables are."""
        return float(self.functions.probabilities[self.functions.state])

    @property
    def decision(self) -> State:
        """The best action as the tables are; by default the most probable state of the target."""
        return self.actions[self.best]

    @property
    def without_effect(self) -> tuple[Name, ...]:
        """The variables whose tables cannot matter for this question."""
        return self.functions.without_effect

    @property
    def without_entries(self) -> tuple[Name, ...]:
        """The variables that matter, but have no table of entries, and are left out."""
        return self.functions.without_entries

    @property
    def turning_point(self) -> EntryEffect | None:
        """The entry that turns the decision with the smallest relative change; None if no entry turns it."""
        turns, changes = self._of_thresholds("values"), self._of_thresholds("changes")
        if np.isnan(turns).all():
            return None
        values = self._flat("values")
        away = np.abs(turns - values)
        # Rounding makes a tie of two entries of one row; the smaller of them is named.
        keys = (values, np.round(away, 12), np.round(changes, 12))
        order = np.lexsort([np.where(np.isnan(turns), np.inf, key) for key in keys])
        return self._entry(int(order[0]) if not np.isnan(turns[order[0]]) else int(np.nanargmin(away)))

    @property
    def sentence(self) -> str:
        """The smallest change of an entry that turns the decision, in words."""
        return self.told()

    def told(self, *, percent: bool = False) -> str:
        """:attr:`sentence`; with ``percent`` its numbers are percentages, as on the page of the explorer.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().tornado("Rain", "yes", {"WetGrass": "yes"})
        >>> found.told(percent=True)
        'The decision turns from yes to no when P(Rain=yes) falls from 20% to 10%.'
        """
        entry = self.turning_point
        if entry is None or entry.threshold is None:
            return f"No change of a single entry turns the decision, {label(self.decision)}."
        if abs(entry.threshold - entry.value) <= TIE:
            both = f"{label(self.decision)} and {label(entry.turns_to)}"
            return f"The decision is a tie of {both}: the smallest change of {entry.text} turns it."
        verb = "rises" if entry.threshold >= entry.value else "falls"
        scale, unit = (100.0, "%") if percent else (1.0, "")
        before, after = two_numbers(scale * entry.value, scale * entry.threshold)
        turn = f"from {label(self.decision)} to {label(entry.turns_to)}"
        return f"The decision turns {turn} when {entry.text} {verb} from {before}{unit} to {after}{unit}."

    @overload
    def __getitem__(self, rank: int) -> EntryEffect: ...
    @overload
    def __getitem__(self, rank: slice) -> Sequence[EntryEffect]: ...
    def __getitem__(self, rank: int | slice) -> EntryEffect | Sequence[EntryEffect]:
        if isinstance(rank, slice):
            return [self._entry(int(place)) for place in self._order[rank]]
        return self._entry(int(self._order[rank]))

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[EntryEffect]:
        return (self._entry(int(place)) for place in self._order)

    @cached_property
    def _ends(self) -> list[int]:
        """Where the entries of each table end among all entries."""
        return list(accumulate(table.values.size for table in self.functions.tables))

    def _flat(self, name: str) -> FloatArray:
        """An array of all tables as one row."""
        return np.concatenate([np.empty(0), *(getattr(t, name).ravel() for t in self.functions.tables)])

    def _of_thresholds(self, name: str) -> FloatArray:
        return np.concatenate([np.empty(0), *(getattr(t, name).ravel() for t in self.thresholds)])

    @cached_property
    def _order(self) -> IntArray:
        """The entries, those with the largest swing in their range first, then by the whole range."""
        swings = [
            self._swing(*(self._flat(name) for name in ends))
            for ends in (("at_zero", "at_one"), ("at_low", "at_high"))
        ]
        # Rounding keeps entries that move the answer equally far in the order of their tables.
        order = np.lexsort([-np.round(swing, 12) for swing in swings])
        return np.asarray(order, dtype=np.int64)

    def _swing(self, one: FloatArray, other: FloatArray) -> FloatArray:
        answers = np.stack([one, other, np.full_like(one, self.probability)])
        return np.asarray(np.fmax.reduce(answers) - np.fmin.reduce(answers))

    def _entry(self, position: int) -> EntryEffect:
        which = int(np.searchsorted(self._ends, position, side="right"))
        table, thresholds = self.functions.tables[which], self.thresholds[which]
        place = np.unravel_index(position - (self._ends[which] - table.values.size), table.values.shape)
        *parents, own = self.axes[which]
        states = [axis.states[int(code)] for axis, code in zip(self.axes[which], place, strict=True)]
        turns = bool(thresholds.actions[place] >= 0)
        return EntryEffect(
            table=own.name,
            state=states[-1],
            parents={parent.name: state for parent, state in zip(parents, states[:-1], strict=True)},
            value=float(table.values[place]),
            derivative=float(table.derivatives[place]),
            low=float(table.low[place]),
            high=float(table.high[place]),
            at_low=float(table.at_low[place]),
            at_high=float(table.at_high[place]),
            at_zero=float(table.at_zero[place]),
            at_one=float(table.at_one[place]),
            coefficients=_coefficients(table, self.functions.state, place),
            threshold=float(thresholds.values[place]) if turns else None,
            turns_to=self.actions[int(thresholds.actions[place])] if turns else None,
            relative_change=float(thresholds.changes[place]) if turns else None,
            users=table.users,
        )

    def to_table(self, most: int = SHOWN) -> TextTable:
        """One row per entry, with the answers at both ends of its range and bars between them.

        ``most`` is the number of lines.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().tornado("Rain", "yes", {"WetGrass": "yes"})
        >>> print(found.to_table(2))
        P(Rain=yes | WetGrass=yes) = 0.6923, with each entry 10 % lower and higher
        entry                     θ       10 % lower                         10 % higher  turns at
        P(WetGrass=no | Rain=no)  0.9000  0.5422          ▐█████│██████████  0.9574       0.775
        P(Rain=no)                0.8000  0.7778          ▐█████│███▎        0.5510       0.9
        """
        shown = self[:most]
        middle = self.probability
        ends = [[one.at_low, one.at_high] for one in shown]
        largest = max(float(np.nanmax(np.abs(np.array(ends) - middle), initial=0.0)), 1e-300)
        rows: list[list[Cell]] = []
        for one, pair in zip(shown, ends, strict=True):
            up, down = (np.fmax.reduce(pair) - middle) / largest, (middle - np.fmin.reduce(pair)) / largest
            bar = TwoSidedBar(float(np.nan_to_num(up)), left=float(np.nan_to_num(down)))
            turns = "" if one.threshold is None else two_numbers(one.value, one.threshold)[1]
            rows.append([one.text, one.value, _answer_text(pair[0]), bar, _answer_text(pair[1]), turns])
        share = f"{100 * self.change:.4g} %"
        title = f"{self.asked} = {probability_text(middle)}, with each entry {share} lower and higher"
        header = ["entry", "θ", f"{share} lower", "", f"{share} higher", "turns at"]
        return TextTable(header, rows, title, most_rows=max(most, 1))

    def _remarks(self) -> list[str]:
        return self.remarks()

    def remarks(self, most: int = SHOWN) -> list[str]:
        """The lines below a table of the first ``most`` entries: the turning point, what is left out.

        >>> import bayou
        >>> bayou.examples.rain_and_wet_grass().tornado("Rain", "yes").remarks(1)[0]
        '… and 1 more entry'
        """
        more = len(self) - most
        lines = [f"… and {more} more entr{'ies' if more > 1 else 'y'}"] if more > 0 else []
        lines.append(self.sentence if len(self) else "No entry of these tables can move the answer.")
        shared = [table.users for table in self.functions.tables if len(table.users) > 1]
        if shared:
            together = "; ".join(", ".join(map(label, users)) for users in shared)
            lines.append(f"Shared tables move for all their users, and no threshold is computed: {together}.")
        if self.without_entries:
            lines.append(f"Left out, because they are not tables of entries: {_few(self.without_entries)}.")
        if self.without_effect:
            lines.append(f"Tables that cannot matter here: {_few(self.without_effect)}.")
        return lines

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """All entries (or the first ``most``), the decision and its turning point as plain data.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().tornado("Rain", "yes", {"WetGrass": "yes"})
        >>> found.to_dict()["decision"], found.to_dict()["sentence"]
        ('yes', 'The decision turns from yes to no when P(Rain=yes) falls from 0.2 to 0.1.')
        """
        turning = self.turning_point
        return {
            "asked": self.asked,
            "probability": self.probability,
            "change": self.change,
            "decision": self.decision,
            "turning_point": None if turning is None else turning.to_dict(),
            "sentence": self.sentence,
            "entries": [one.to_dict() for one in self[:most]],
            "without_effect": list(self.without_effect),
            "without_entries": list(self.without_entries),
        }

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row per entry (needs pandas).

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().tornado("Rain", "yes", {"WetGrass": "yes"})
        >>> found.to_frame()[["value", "threshold"]].round(3).to_dict("records")[0]
        {'value': 0.9, 'threshold': 0.775}
        """
        entries = list(self)
        columns: dict[str, Any] = {"table": [one.table for one in entries]}
        columns["entry"] = [one.text for one in entries]
        for name, array in _NUMBERS.items():
            columns[name] = self._flat(array)[self._order]
        parts = np.array([one.coefficients or (np.nan,) * 4 for one in entries], dtype=np.float64)
        for name, column in zip("abcd", parts.reshape(-1, 4).T, strict=True):
            columns[name] = column
        columns["threshold"] = np.array([_or_nan(one.threshold) for one in entries], dtype=np.float64)
        columns["turns_to"] = [one.turns_to for one in entries]
        columns["relative_change"] = np.array([_or_nan(one.relative_change) for one in entries])
        return pandas_frame(columns, "Tornado.to_frame")

    def plot(self, most: int = SHOWN, ax: Axes | None = None) -> Axes:
        """Draw the first ``most`` entries as bars to both sides of the answer (needs matplotlib).

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().tornado("Rain", "yes", {"WetGrass": "yes"})
        >>> type(found.plot()).__name__
        'Axes'
        """
        from bayou.plots.tornado_bars import tornado_plot

        shown = self[:most]
        ends = np.array([[one.at_low, one.at_high] for one in shown]).reshape(-1, 2).T
        share = f"{100 * self.change:.4g} %"
        names = (f"entry {share} lower", f"entry {share} higher")
        return tornado_plot(
            [one.text for one in shown], self.probability, (ends[0], ends[1]), names, self.asked, ax
        )


_NUMBERS = {
    "value": "values",
    "derivative": "derivatives",
    "low": "low",
    "high": "high",
    "at_low": "at_low",
    "at_high": "at_high",
    "at_zero": "at_zero",
    "at_one": "at_one",
}
"""The numbers of an entry, and the arrays of a table that they are in."""


def _coefficients(
    table: TableFunctions, state: int, place: tuple[Any, ...]
) -> tuple[float, float, float, float] | None:
    if table.zero is None or table.one is None:
        return None
    zero, one = table.zero[(slice(None), *place)], table.one[(slice(None), *place)]
    b, d = float(zero[state]), float(zero.sum())
    return float(one[state]) - b, b, float(one.sum()) - d, d


def _answer_text(answer: float) -> str:
    return "impossible" if np.isnan(answer) else probability_text(answer)


def _few(names: Sequence[Name]) -> str:
    shown = ", ".join(label(name) for name in names[:SHOWN_NAMES])
    more = len(names) - SHOWN_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
