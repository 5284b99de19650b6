"""The ledger of one decision: the contribution of each finding to the log-odds of two classes."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayou.errors import BadQuestion
from bayou.explain.smallest_change import SmallestChange, value_text
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text.tables import Bar, TextTable, visible
from bayou.typing import Name, State

if TYPE_CHECKING:
    import pandas

ORDERS = ("size", "column")
SHOWN_FINDINGS = 40
"""At most this many findings are printed one by one; ``entries`` has all."""
_FOR, _AGAINST = "#4a7fb5", "#c0653b"


@dataclass(frozen=True)
class LedgerEntry:
    """One finding: its log-odds, and the counts behind it in the two classes ('2 of 9')."""

    name: Name
    value: State
    log_odds: float
    behind: tuple[str, str] = ("", "")
    left_out: str = ""
    """Why the finding is not used ('missing', 'never seen'); empty if it is used."""

    @property
    def text(self) -> str:
        """The finding as ``name=value``."""
        return (
            label(self.name) if self.left_out == "missing" else f"{label(self.name)}={value_text(self.value)}"
        )


class _Line(NamedTuple):
    """A printed line: its text, the log-odds, what is behind them in the two classes, and the evidence."""

    text: str
    odds: float | None = None
    behind: tuple[str, str] = ("", "")
    evidence: float | None = None


@dataclass(frozen=True)
class Ledger:
    """The log-odds of class ``of`` against class ``against``: prior + findings (+ remainder) = ``total``.

    In an ``additive`` model (naive Bayes) a finding's entry is its exact contribution. In other models it is
    the change of the log-odds when the finding is left out, and ``remainder`` is the joint effect of the
    findings beyond these entries. With a ``weight`` other than 1 (the exponent of the likelihood) an entry is
    the weight times its evidence, log P(finding | of) − log P(finding | against), which is printed too.

    >>> entry = LedgerEntry("windy", True, 0.5, ("3 of 5", "3 of 9"))
    >>> print(Ledger("play", "no", "yes", -0.25, ("", ""), (entry,), 0.25, {"no": 0.562, "yes": 0.438}))
    log-odds of play=no against play=yes
    finding     log-odds                  no      yes
    prior        -0.2500  █████
    windy=True   +0.5000  ██████████  3 of 5   3 of 9
    sum          +0.2500  █████
    posterior                         0.5620   0.4380
    """

    target: Name
    of: State
    against: State
    prior: float
    prior_behind: tuple[str, str]
    entries: tuple[LedgerEntry, ...]
    total: float
    posterior: Mapping[State, float]
    additive: bool = True
    weight: float = 1.0
    """The exponent of the likelihood: what the evidence of each finding was multiplied by."""
    finder: Callable[[], SmallestChange | None] | None = field(default=None, repr=False, compare=False)

    @property
    def remainder(self) -> float:
        """The part of the log-odds that is in no single entry; 0 in an additive model."""
        if self.additive:
            return 0.0
        parts = self.prior + sum(entry.log_odds for entry in self.entries)
        if np.isfinite(self.total) and np.isfinite(parts):
            return self.total - parts
        return 0.0 if parts == self.total else self.total

    @cached_property
    def flip(self) -> SmallestChange | None:
        """The smallest change of the row that changes the decision (see ``smallest_change``), or None."""
        return None if self.finder is None else self.finder()

    def sorted(self, order: str) -> Ledger:
        """The same ledger with its entries by 'size' (largest first), or unchanged for 'column'."""
        if order not in ORDERS:
            raise BadQuestion(f"order={order!r}: use 'size' (largest first) or 'column'.")
        if order == "column":
            return self
        ranked = sorted(self.entries, key=lambda entry: (bool(entry.left_out), -abs(entry.log_odds)))
        return replace(self, entries=tuple(ranked))

    def to_table(self, most: int = SHOWN_FINDINGS) -> TextTable:
        """One row per part of the log-odds; findings beyond the first ``most`` are added up in one row."""
        lines = list(self._lines(most))
        largest = _largest(lines)
        width = max([len(visible(text)) for line in lines for text in line.behind], default=0)
        head = max(width, *(len(label(state)) for state in (self.of, self.against)))
        rows = [
            [
                line.text,
                *([f"{_odds_text(line.evidence):>8}"] if self.weight != 1 else []),
                f"{_odds_text(line.odds):>8}",
                "" if line.odds is None else Bar(_share(line.odds, largest)),
                *(f"{text:>{head}}" for text in line.behind),
            ]
            for line in lines
        ]
        names = [f"{label(state):>{head}}" for state in (self.of, self.against)]
        return TextTable([*self._headings(), "", *names], rows, title=self._title(), most_rows=len(rows))

    def __str__(self) -> str:
        return str(self.to_table())

    __repr__ = __str__

    def _headings(self) -> list[str]:
        odds = "log-odds" if self.additive else "when left out"
        return ["finding", odds] if self.weight == 1 else ["finding", "evidence", f"× {self.weight:.4g}"]

    def _title(self) -> str:
        name = label(self.target)
        pair = f"{name}={label(self.of)} against {name}={label(self.against)}"
        weighed = "" if self.weight == 1 else f" = prior + {self.weight:.4g} × evidence"
        if self.additive:
            return f"log-odds of {pair}{weighed}"
        return f"log-odds of {pair}{weighed}: how they change when a finding is left out"

    def _lines(self, most: int) -> Iterator[_Line]:
        yield _Line("prior", self.prior, self.prior_behind)
        for entry in self.entries[:most]:
            if entry.left_out:
                yield _Line(f"{entry.text} ({entry.left_out}: left out)")
            else:
                yield _Line(entry.text, entry.log_odds, entry.behind, entry.log_odds / self.weight)
        rest = [entry.log_odds for entry in self.entries[most:] if not entry.left_out]
        if rest:
            yield _Line(f"{len(rest):,} more findings, together", sum(rest), evidence=sum(rest) / self.weight)
        if not self.additive:
            yield _Line("remainder (together)", self.remainder, evidence=self.remainder / self.weight)
        yield _Line("sum", self.total)
        for_it, against = (f"{self.posterior[state]:.4f}" for state in (self.of, self.against))
        yield _Line("posterior", None, (for_it, against))

    def _repr_html_(self) -> str:
        lines = list(self._lines(SHOWN_FINDINGS))
        largest = _largest(lines)
        head = "".join(
            f"<th>{_escaped(title)}</th>"
            for title in [*self._headings(), "", label(self.of), label(self.against)]
        )
        body = "".join(
            f"<tr><td>{_escaped(line.text)}</td>"
            + "".join(
                f"<td style='text-align:right'>{_odds_text(odds)}</td>"
                for odds in ((line.odds,) if self.weight == 1 else (line.evidence, line.odds))
            )
            + f"<td style='min-width:12em'>{_html_bar(line.odds, largest)}</td>"
            + "".join(f"<td>{_escaped(text)}</td>" for text in line.behind)
            + "</tr>"
            for line in lines
        )
        caption = f"<caption>{_escaped(self._title())}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """The classes, the prior, the findings, the remainder, the sum and the posterior as plain data."""
        return {
            "target": self.target,
            "of": self.of,
            "against": self.against,
            "additive": self.additive,
            "weight": self.weight,
            "prior": self.prior,
            "findings": [
                {
                    "name": entry.name,
                    "value": entry.value,
                    "log_odds": entry.log_odds,
                    "left_out": entry.left_out or None,
                    "behind": list(entry.behind),
                }
                for entry in self.entries
            ],
            "remainder": self.remainder,
            "total": self.total,
            "posterior": dict(self.posterior),
        }

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with rows for the prior, each finding, the remainder and the sum."""
        rows: list[tuple[Any, ...]] = [("prior", None, None, self.prior, *self.prior_behind)]
        for entry in self.entries:
            part = "left out" if entry.left_out else "finding"
            rows.append((part, entry.name, entry.value, entry.log_odds, *entry.behind))
        if not self.additive:
            rows.append(("remainder", None, None, self.remainder, "", ""))
        rows.append(("sum", None, None, self.total, "", ""))
        names = ("part", "name", "value", "log_odds", "behind_of", "behind_against")
        return pandas_frame(
            dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), "Ledger.to_frame"
        )


def _largest(lines: Sequence[_Line]) -> float:
    """The largest finite log-odds, which the longest bar stands for."""
    return max(
        [abs(each.odds) for each in lines if each.odds is not None and np.isfinite(each.odds)], default=0
    )


def _odds_text(odds: float | None) -> str:
    return "" if odds is None else f"{odds:+.4f}"


def _share(odds: float, most: float) -> float:
    if not np.isfinite(odds):
        return 1.0
    return abs(odds) / most if most else 0.0


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _html_bar(odds: float | None, most: float) -> str:
    """A bar to the right of the middle for positive log-odds, to the left for negative ones."""
    if odds is None:
        return ""
    percent = 50 * _share(odds, most)
    side = f"margin-left:{50 if odds >= 0 else 50 - percent:.2f}%"
    return (
        f"<div style='{side};width:{percent:.2f}%;min-width:1px;height:0.8em;"
        f"background:{_FOR if odds >= 0 else _AGAINST}'></div>"
    )
