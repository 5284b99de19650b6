"""The reasons for an answer in plain sentences; each number in them is a probability that a query gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from bayou.explain.influence.answer_reasons import MOST_IN_WORDS, AnswerReasons
from bayou.explain.influence.belief_change import BeliefChange
from bayou.explain.influence.explaining_away import ExplainingAway
from bayou.explain.influence.influences import NOTHING, Influence
from bayou.graphs import Dag
from bayou.graphs.trails import written
from bayou.schema import label
from bayou.text.tables import percent_text, probability_text, visible
from bayou.typing import Name

UNLIKELY_TOGETHER = 10.0
"""Findings so many times less likely together than by themselves are said to be unlikely together."""
RARE = 0.01
"""A finding below this probability is said to be rare."""


class Wording(NamedTuple):
    """How probabilities and the arrows of trails are written."""

    chance: Callable[[float], str]
    down: str
    up: str

    def trail(self, dag: Dag, trail: tuple[Name, ...]) -> str:
        """A trail with its arrows."""
        return written(dag, trail).replace(" -> ", f" {self.down} ").replace(" <- ", f" {self.up} ")


PLAIN = Wording(probability_text, "->", "<-")
IN_PERCENT = Wording(percent_text, "→", "←")
"""As the page of the explorer writes: beside its bars, which have percentages."""


def sentences_of(dag: Dag, reasons: AnswerReasons, words: Wording = PLAIN) -> tuple[list[str], list[str]]:
    """Two or three sentences that say the most important things, and those that follow them."""
    told = {one.text for one in reasons.told}
    away = [_away(reasons, one, words) for one in reasons.explained_away if one.finding in told]
    third = [*away, *_trail(dag, reasons, words)]
    further = [*third[1:], *_without_weight(dag, reasons, words), *_together(reasons, words)]
    first = [_opening(reasons, words), *_weights(reasons, words), *third[:1]]
    return [visible(one) for one in first], [visible(one) for one in further]


def _opening(reasons: AnswerReasons, words: Wording) -> str:
    """What the probability was and what it is."""
    what = f"{label(reasons.target)}={label(reasons.state)}"
    before, after = words.chance(reasons.before), words.chance(reasons.after)
    if before == after:
        hardly = "as" if abs(reasons.after - reasons.before) <= NOTHING else "almost as"
        return f"{what} is {hardly} likely as before: {after}."
    if reasons.after in (0.0, 1.0):
        return f"{what} became {'certain' if reasons.after else 'impossible'}: {before} → {after}."
    return f"{what} became {'more' if reasons.after > reasons.before else 'less'} likely: {before} → {after}."


def _weights(reasons: AnswerReasons, words: Wording) -> list[str]:
    """The findings of the largest weight, for and against, with P without each of them."""
    weighty = [one for one in reasons.influences if one.has_weight]
    if len(reasons.influences) == 1:
        return [f"This comes from {weighty[0].text} alone."] if weighty else []
    if not weighty:
        changed = abs(reasons.after - reasons.before) > NOTHING
        same = "Any one finding can be left out without a change: the others say the same."
        return [same if changed else "No finding changes it."]
    clauses = []
    for side, sign in (("for", 1), ("against", -1)):
        ones = [_with_p(one, words) for one in reasons.told if sign * one.weight > 0]
        if ones:
            clauses.append(f"{side} it speak{'s' if len(ones) == 1 else ''} {_joined(ones)}")
    sentence = "; ".join([*clauses, *_rest(reasons, words)])
    return [f"{sentence[0].upper()}{sentence[1:]}."]


def _rest(reasons: AnswerReasons, words: Wording) -> list[str]:
    """The findings that are not told one by one, summed up."""
    if reasons.rest is None:
        return []
    texts, without = reasons.rest.texts, words.chance(reasons.rest.without)
    others = texts[0] if len(texts) == 1 else f"{'the other ' if reasons.told else ''}{len(texts)} findings"
    if without == words.chance(reasons.after):
        return [f"leaving out {others} hardly changes it"]
    return [f"without {others} it would be {without}"]


def _with_p(one: Influence, words: Wording) -> str:
    return f"{one.text} (without it {words.chance(one.without)})"


def _away(reasons: AnswerReasons, one: ExplainingAway, words: Wording) -> str:
    what = f"{label(reasons.target)}={label(one.state)}"
    numbers = f"{words.chance(one.before)} → {words.chance(one.after)}"
    if one.through is None:
        explains = f"{one.finding} explains {one.effect}"
    else:
        cause = f"{label(one.through.name)}={label(one.through.state)}"
        ends = f"{words.chance(one.through.before)} → {words.chance(one.through.after)}"
        explains = f"{one.finding} makes {cause} more likely ({ends}), which explains {one.effect}"
    return f"{explains}, so {what} became less likely: {numbers}."


def _trail(dag: Dag, reasons: AnswerReasons, words: Wording) -> list[str]:
    """The trail of the finding of the largest weight, and the variable on it that moved most."""
    one = next((one for one in reasons.influences if one.has_weight), None)
    if one is None:
        return []
    if one.trail is None:
        cut = one.is_intervention and one.separated_by is not None
        return [f"{one.text} acts only by cutting the arcs into {label(one.name)}."] if cut else []
    if len(one.trail) == 1:
        return [f"{one.text} is about {label(one.name)} itself."]
    shown = words.trail(dag, one.trail)
    if len(one.trail) == 2:
        return [f"{one.text} acts directly: {shown}."]
    inner = [change for change in reasons.changes if change.name in one.trail]
    return [f"{one.text} acts along {shown}{_on_the_way(inner[0], words) if inner else ''}."]


def _on_the_way(change: BeliefChange, words: Wording) -> str:
    """The variable on a trail that moved most, before and after."""
    if change.state is None:
        what, ends = f"the mean of {label(change.name)}", [f"{change.before:.6g}", f"{change.after:.6g}"]
    else:
        what = f"{label(change.name)}={label(change.state)}"
        ends = [words.chance(change.before), words.chance(change.after)]
    return "" if ends[0] == ends[1] else f", where {what} went from {ends[0]} to {ends[1]}"


def _without_weight(dag: Dag, reasons: AnswerReasons, words: Wording) -> list[str]:
    """The findings that change nothing, and why; after some of them only their number."""
    idle = [one for one in reasons.influences if not one.has_weight]
    told = [_idle(dag, reasons, one, words) for one in idle[:MOST_IN_WORDS]]
    more = len(idle) - len(told)
    if more > 0:
        told.append(f"{more} more finding{'s change' if more > 1 else ' changes'} nothing.")
    return told


def _idle(dag: Dag, reasons: AnswerReasons, one: Influence, words: Wording) -> str:
    target = label(reasons.target)
    silent = f"{one.text} {'has no effect on' if one.is_intervention else 'says nothing about'} {target}"
    if math.isnan(one.without):
        return f"Without {one.text} the other findings could not occur."
    if one.separated_by:
        verb = "is" if len(one.separated_by) == 1 else "are"
        return f"{silent} once {_names(one.separated_by)} {verb} known."
    if one.separated_by is not None:
        return f"{silent}: no open trail joins them."
    if abs(one.weight_alone) > NOTHING:
        alone = f"{words.chance(reasons.before)} → {words.chance(one.alone)}"
        return f"{one.text} changes nothing beside the other findings; alone it would: {alone}."
    trail = f": {words.trail(dag, one.trail)}" if one.trail is not None and len(one.trail) > 1 else ""
    return f"{one.text} changes nothing, although a trail is open{trail}."


def _together(reasons: AnswerReasons, words: Wording) -> list[str]:
    """Rare findings, and findings that are unlikely together."""
    told = []
    chances = [(one.chance, one.text) for one in reasons.influences if one.chance is not None]
    if chances:
        chance, text = min(chances, key=lambda pair: pair[0])
        if chance < RARE:
            shown = f"P = {words.chance(chance)}" if chance > 0 else "its P is below 1e-308"
            told.append(f"{text} is a rare finding: {shown}.")
    if reasons.conflict > math.log2(UNLIKELY_TOGETHER):
        power = reasons.conflict * math.log10(2)
        times = f"{2.0**reasons.conflict:.3g}" if power < 4 else f"10^{power:.0f}"
        told.append(
            f"The findings are unlikely together: {times} times less likely than if they had nothing to do "
            "with each other."
        )
    return told


def _names(names: tuple[Name, ...]) -> str:
    return _joined([label(name) for name in names])


def _joined(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
