"""What stands right of the bar in P(targets | findings), kept as codes until it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bayou.networks import FrozenNetwork
from bayou.probability.table_algebra import finding_text
from bayou.schema import Variable, label
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.inference import Finding, Question


class Findings:
    """Observed variables with the codes of their states, and other findings such as ``do(Wet=no)``.

    >>> findings = Findings([Variable("Rain", ["no", "yes"])], [1], [("do(Wet=no)", None)])
    >>> findings.evidence, findings.text
    ({'Rain': 'yes'}, 'Rain=yes, do(Wet=no)')
    """

    __slots__ = ("codes", "others", "variables")

    def __init__(
        self,
        variables: Sequence[Variable],
        codes: Sequence[Finding],
        others: Sequence[tuple[Name, State]] = (),
    ) -> None:
        self.variables, self.codes, self.others = variables, codes, others

    @classmethod
    def of(cls, network: FrozenNetwork, question: Question, marginal: Iterable[Name] = ()) -> Findings:
        """The findings of a question; ``marginal`` names the variables whose marginal was set."""
        others: list[tuple[Name, State]] = []
        for name, state in _with_states(network, question.do).items():
            others.append((f"do({finding_text(name, state)})", None))
        for name in question.likelihood:
            said = question.shown.get(name)
            others.append((f"likelihood of {label(name)}", "…") if said is None else (said, None))
        others += [(f"marginal of {label(name)}", "…") for name in marginal]
        evidence = question.evidence
        return cls([network.schema[name] for name in evidence], list(evidence.values()), others)

    @property
    def evidence(self) -> dict[Name, State]:
        """The state (or number) of each observed variable."""
        found = zip(self.variables, self.codes, strict=True)
        return {variable.name: _state(variable, code) for variable, code in found}

    @property
    def pairs(self) -> tuple[tuple[Name, State], ...]:
        """All findings as (name, state); one that says everything in its name has no state (None)."""
        return (*self.evidence.items(), *self.others)

    @property
    def text(self) -> str:
        """All findings as they are printed: ``Rain=yes, do(Wet=no)``."""
        return ", ".join(finding_text(name, state) for name, state in self.pairs)


def _with_states(network: FrozenNetwork, findings: Mapping[Name, Finding]) -> dict[Name, State]:
    """Replace the codes of findings by states."""
    return {name: _state(network.schema[name], value) for name, value in findings.items()}


def _state(variable: Variable, value: Finding) -> State:
    return value if variable.is_continuous else variable.states[int(value)]
