"""The explanation of an answer: sentences first, then what each finding adds and what moved on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayou.arguments import seed_number
from bayou.errors import BadQuestion
from bayou.explain import ShapleyShares, shapley_shares
from bayou.explain.influence.answer_reasons import AnswerReasons, answer_reasons
from bayou.explain.influence.belief_change import BeliefChange
from bayou.explain.influence.explaining_away import ExplainingAway
from bayou.explain.influence.influences import Influence
from bayou.explain.influence.sentences import sentences_of
from bayou.frames import pandas_frame
from bayou.graphs import Dag
from bayou.graphs.trails import written
from bayou.models.answers.explanation_document import explanation_document
from bayou.models.answers.findings.finding_strength import share_unit
from bayou.models.answers.signed_numbers import signed
from bayou.models.findings import Findings
from bayou.models.verbs.plans import parsed_question
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.text.tables import Cell, TextTable, clipped, html_paragraphs, probability_text, visible
from bayou.typing import Name, State

if TYPE_CHECKING:
    import pandas

    from bayou.models.evidence import Given

SHOWN_FINDINGS = 20
"""At most this many findings, and as many variables on the way, are printed; the object has all."""
_LONGEST_TITLE = 100
_NOTHING = 1e-9
"""A weight of at most this is printed as 0."""


@dataclass(frozen=True, repr=False)
class AnswerExplanation:
    """Why a state of the target is as probable as it is, in words and in numbers.

    ``text`` has two or three sentences; ``sentences`` are all of them. ``findings`` say for each finding and
    intervention what leaving it out changes, and the open trail along which it acts most: the one whose least
    moved variable moves most when the finding is added to the others, and of these a shortest. ``changes``
    are the variables on these trails, before all findings and after them. ``shares`` are the Shapley shares
    of the findings, if they were asked for.

    >>> import bayou
    >>> print(bayou.examples.asia().explain("lung", {"xray": "yes", "smoke": "yes"}).text)
    lung=yes became more likely: 0.0550 → 0.6460. For it speak xray=yes (without it 0.1000) and smoke=yes \
(without it 0.4887). xray=yes acts along xray <- either <- lung, where either=yes went from 0.0648 to 0.7065.
    """

    title: str
    dag: Dag
    reasons: AnswerReasons
    first: tuple[str, ...]
    """The sentences of :attr:`text`."""
    further: tuple[str, ...]
    """The sentences that follow: findings that change nothing and why, rare and conflicting findings."""
    shares: ShapleyShares | None = None
    """The share of each finding in the change; None if it was not asked for."""

    @property
    def text(self) -> str:
        """The most important things, in two or three sentences."""
        return " ".join(self.first)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences."""
        return (*self.first, *self.further)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is printed below the tables: what the shares are, and :attr:`further`."""
        return self.further if self.shares is None else (str(self.shares), *self.further)

    @property
    def target(self) -> Name:
        """The variable that was asked for."""
        return self.reasons.target

    @property
    def state(self) -> State:
        """The state that is explained."""
        return self.reasons.state

    @property
    def before(self) -> float:
        """P(state) when nothing is known."""
        return self.reasons.before

    @property
    def after(self) -> float:
        """P(state | everything that is given)."""
        return self.reasons.after

    @property
    def findings(self) -> tuple[Influence, ...]:
        """What each finding and intervention adds; the largest weight first."""
        return self.reasons.influences

    @property
    def trails(self) -> dict[Name, tuple[Name, ...]]:
        """The trail from each finding that has one to the target."""
        return {one.name: one.trail for one in self.findings if one.trail is not None}

    @property
    def changes(self) -> tuple[BeliefChange, ...]:
        """The variables on the trails, those that moved most first."""
        return self.reasons.changes

    @property
    def explained_away(self) -> tuple[ExplainingAway, ...]:
        """The causes that take back what a common effect had added to the target."""
        return self.reasons.explained_away

    def to_table(self) -> TextTable:
        """One row per finding.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().explain("Rain | WetGrass=yes")
        >>> print(found.to_table())
        finding       P alone  P without  weight  acts along
        WetGrass=yes  0.6923   0.2000     +2.197  WetGrass <- Rain
        """
        rows: list[list[Cell]] = [
            [
                one.text,
                _number(one.alone),
                _number(one.without),
                signed(one.weight, _NOTHING),
                *([] if self.shares is None else [signed(self._share(one), _NOTHING)]),
                "" if one.trail is None else written(self.dag, one.trail),
            ]
            for one in self.findings
        ]
        share = [] if self.shares is None else ["share"]
        header = ["finding", "P alone", "P without", "weight", *share, "acts along"]
        return TextTable(header, rows, most_rows=SHOWN_FINDINGS)

    def _share(self, one: Influence) -> float:
        """The share of a finding; NaN for an intervention, which always holds, and without shares."""
        known = self.shares is not None and one.name in self.shares.names
        return self.shares[one.name] if known and self.shares is not None else math.nan

    def to_frame(self) -> pandas.DataFrame:
        """A pandas data frame with a row for each finding; with ``shares`` they are a column.

        >>> import bayou
        >>> bayou.examples.asia().explain("lung", {"xray": "yes"}).to_frame().columns.to_list()
        ['finding', 'alone', 'weight_alone', 'without', 'weight', 'trail']
        """
        columns = {
            "finding": [one.text for one in self.findings],
            "alone": [one.alone for one in self.findings],
            "weight_alone": [one.weight_alone for one in self.findings],
            "without": [one.without for one in self.findings],
            "weight": [one.weight for one in self.findings],
            **({} if self.shares is None else {"share": [self._share(one) for one in self.findings]}),
            "trail": [None if one.trail is None else written(self.dag, one.trail) for one in self.findings],
        }
        return pandas_frame(columns, "AnswerExplanation.to_frame")

    def to_dict(self) -> dict[str, Any]:
        """Everything as data for JSON: a number that is infinite or not defined is None.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().explain("Rain | WetGrass=yes")
        >>> {name: round(found.to_dict()[name], 4) for name in ("before", "after")}
        {'before': 0.2, 'after': 0.6923}
        """
        return explanation_document(self)

    def tables(self) -> list[TextTable]:
        """The findings, and the variables on their trails; without the second if all act directly.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().explain("Rain | WetGrass=yes")
        >>> len(found.tables())
        1
        """
        rows: list[list[Cell]] = [
            [
                label(one.name),
                "mean" if one.state is None else label(one.state),
                f"{one.before:.6g}" if one.state is None else one.before,
                f"{one.after:.6g}" if one.state is None else one.after,
            ]
            for one in self.changes
        ]
        header = ["on the way", "state", "before", "after"]
        on_the_way = [TextTable(header, rows, most_rows=SHOWN_FINDINGS)] if rows else []
        return [self.to_table(), *on_the_way]

    def __str__(self) -> str:
        parts = [visible(self.title), *self.first]
        for table in self.tables():
            parts += ["", str(table)]
        return "\n".join([*parts, *(["", *self.remarks] if self.remarks else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = "".join(table._repr_html_() for table in self.tables())
        return html_paragraphs([self.title, self.text]) + tables + html_paragraphs(self.remarks)


def explanation_from(
    network: FrozenNetwork,
    target: Any,
    given: Given | None,
    state: State | None,
    likelihood: Given | None,
    do: Given | None,
    marginal: Given | None,
    shares: bool | str = False,
    seed: Any = 0,
) -> AnswerExplanation:
    """Explain P(target=state | findings) (None: the state whose probability rose most)."""
    seed, unit = seed_number(seed), share_unit(shares)
    question = parsed_question(network, target, given, likelihood, do, marginal)
    if len(question.targets) != 1:
        raise BadQuestion("An explanation is about one variable: name one target.")
    variable = network.schema[question.targets[0]]
    code = None if state is None or variable.is_continuous else variable.code(state)
    reasons = answer_reasons(network, question, code)
    place = variable.code(reasons.state)
    parts = None if unit is None else shapley_shares(network, question, place, seed, unit)
    first, further = sentences_of(network.dag, reasons)
    known = clipped(Findings.of(network, question).text, _LONGEST_TITLE)
    asked = f"P({label(reasons.target)}={label(reasons.state)} | {known})"
    title = f"Why {asked} = {probability_text(reasons.after)}"
    return AnswerExplanation(title, network.dag, reasons, tuple(first), tuple(further), parts)


def _number(value: float) -> Cell:
    return "–" if math.isnan(value) else value
