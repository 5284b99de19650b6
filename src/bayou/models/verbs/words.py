"""The method of a network that explains an answer in words (``models.answers.answer_explanation``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from bayou.networks import FrozenNetwork
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.models.answers.answer_explanation import AnswerExplanation
    from bayou.models.evidence import Given


class NetworkWords(ABC):
    """The method that explains an answer in words; :class:`~bayou.Network` inherits it."""

    @property
    @abstractmethod
    def frozen(self) -> FrozenNetwork:
        """The network as frozen data."""

    def explain(
        self,
        target: Name,
        given: Given | None = None,
        *,
        state: State | None = None,
        likelihood: Given | None = None,
        marginal: Given | None = None,
        do: Given | None = None,
        shares: bool | str = False,
        seed: int = 0,
    ) -> AnswerExplanation:
        """Why a state of the target is as probable as it is: in sentences, then in numbers.

        Without ``state`` it is the one whose probability rose most. ``target`` may be a query as text,
        ``"lung | xray=yes"``. The sentences tell what the probability was and is, which findings moved it,
        along which trail, which findings do not matter and why, where a cause explains an effect away, and
        whether the findings are rare or unlikely together. ``shares`` adds the Shapley share of each finding
        to the table, as :meth:`finding_strength` has it; ``seed`` chooses the random orders of more than 10.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a target that is given or a question without findings,
        ``ImpossibleEvidence`` for findings of probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> print(bayou.examples.rain_and_wet_grass().explain("Rain | WetGrass=yes"))
        Why P(Rain=yes | WetGrass=yes) = 0.6923
        Rain=yes became more likely: 0.2000 → 0.6923.
        This comes from WetGrass=yes alone.
        WetGrass=yes acts directly: WetGrass <- Rain.
        <BLANKLINE>
        finding       P alone  P without  weight  acts along
        WetGrass=yes  0.6923   0.2000     +2.197  WetGrass <- Rain
        """
        from bayou.models.answers.answer_explanation import explanation_from
        from bayou.models.answers.exact_remedies import THE_POSTERIOR_ALONE, remedies

        with remedies(THE_POSTERIOR_ALONE):
            return explanation_from(self.frozen, target, given, state, likelihood, do, marginal, shares, seed)
