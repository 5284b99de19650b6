"""The smallest change of a row that changes a decision, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayou.schema import label
from bayou.text.tables import PrintedLines
from bayou.typing import Name, State


@dataclass(frozen=True)
class Change:
    """One finding set to another value."""

    name: Name
    old: State
    new: State

    def __str__(self) -> str:
        return f"{label(self.name)}: {value_text(self.old)} → {value_text(self.new)}"


@dataclass(frozen=True)
class SmallestChange(PrintedLines):
    """The fewest findings to change so that the decision becomes ``after`` instead of ``before``.

    ``log_odds`` are those of the new decision against the old one after the changes. ``alone`` lists every
    single change that is enough; for a number it is the nearest value that is. ``exact`` says that no
    smaller set exists (for numbers: within the range that was searched).

    >>> print(SmallestChange("no", "yes", (Change("Outlook", "Sunny", "Overcast"),), 0.4, (), True))
    no becomes yes with 1 change (log-odds +0.4000)
      Outlook: Sunny → Overcast
    """

    before: State
    after: State
    changes: tuple[Change, ...]
    log_odds: float
    alone: tuple[Change, ...]
    exact: bool

    def __str__(self) -> str:
        count = f"{len(self.changes)} change{'s' if len(self.changes) != 1 else ''}"
        head = (
            f"{label(self.before)} becomes {label(self.after)} with {count} (log-odds {self.log_odds:+.4f})"
        )
        lines = [head, *(f"  {change}" for change in self.changes)]
        others = [change for change in self.alone if change not in self.changes]
        if others:
            lines += ["Or one of these alone:", *(f"  {change}" for change in others)]
        if not self.exact:
            lines.append("(the best found; there may be a smaller set)")
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The changes as plain data."""
        return {
            "before": self.before,
            "after": self.after,
            "changes": [{"name": c.name, "old": c.old, "new": c.new} for c in self.changes],
            "alone": [{"name": c.name, "old": c.old, "new": c.new} for c in self.alone],
            "log_odds": self.log_odds,
            "exact": self.exact,
        }


def value_text(value: State) -> str:
    """Return a value as text: floats with at most six digits, everything else by its label.

    >>> value_text(0.1 + 0.2), value_text("Sunny"), value_text(3)
    ('0.3', 'Sunny', '3')
    """
    return f"{value:.6g}" if isinstance(value, float) else label(value)
