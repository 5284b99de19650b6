"""The methods of a network that show how a query is answered: messages, cliques, costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayou import explain
from bayou.errors import BadQuestion
from bayou.models.evidence import Given, question_from
from bayou.models.query_parser import QueryText, is_query_text, joined_findings, parse_question
from bayou.networks import FrozenNetwork
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.explain import JunctionTree, MessagesShown, QueryPlan
    from bayou.inference import Question


class PlanInspection:
    """Methods that show messages, cliques and costs; :class:`~bayou.Network` inherits them."""

    if TYPE_CHECKING:

        @property
        def frozen(self) -> FrozenNetwork: ...

    def messages(
        self,
        targets: Name | Iterable[Name] = (),
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
    ) -> MessagesShown:
        """All π and λ messages of Pearl's algorithm (polytrees only), printable and readable as data.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a network that is no polytree, ``ImpossibleEvidence`` for findings of
        probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> shown = bayou.examples.rain_and_wet_grass().messages("Rain | WetGrass=yes")
        >>> shown.lambda_messages["WetGrass", "Rain"]
        {'no': 0.1, 'yes': 0.9}
        """
        return explain.messages_shown(
            self.frozen, parsed_question(self.frozen, targets, given, likelihood, do, marginal)
        )

    def drop_plans(self) -> None:
        """Free the memory of the plans that were compiled for earlier queries; later ones compile anew.

        Plans are kept with their network, the least recently used ones up to 64 MiB.

        Raises ``NotFitted`` where the states are neither declared nor learned.

        >>> import bayou
        >>> bayou.examples.storm().drop_plans()
        """
        from bayou.inference.exact.plan_cache import plans_of

        plans_of(self.frozen).forget()

    def junction_tree(
        self,
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
    ) -> JunctionTree:
        """The cliques and separators on which all marginals given these findings are computed.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, and ``NotFitted`` where the states are neither declared nor learned.

        >>> import bayou
        >>> bayou.examples.storm().junction_tree().width
        3
        """
        question = question_from(self.frozen, (), given, likelihood, do, marginal)
        fixed = {*question.evidence, *question.do}
        discrete = [v.name for v in self.frozen.schema if not v.is_continuous and v.name not in fixed]
        return explain.junction_tree(self.frozen, replace(question, targets=tuple(discrete)))

    def plan(
        self,
        targets: Name | Iterable[Name],
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
    ) -> QueryPlan:
        """The cost of a query before it is run; ``refused`` says why it would be refused, or is None.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``BadQuestion`` for a question without a target, or one whose target is given, and
        ``NotFitted`` where the states are neither declared nor learned.

        >>> import bayou
        >>> plan = bayou.examples.storm().plan("Thunder | Storm=yes")
        >>> plan.width, plan.order, plan.refused
        (1, ('Lightning',), None)
        """
        question = parsed_question(self.frozen, targets, given, likelihood, do, marginal)
        if not question.targets:
            raise BadQuestion(
                "Name at least one variable to ask for; junction_tree shows the cost of all marginals."
            )
        return explain.query_plan(self.frozen, question)


def parsed_question(
    network: FrozenNetwork,
    targets: Name | Iterable[Name],
    given: Given | None,
    likelihood: Mapping[Any, Any] | None = None,
    do: Given | None = None,
    marginal: Mapping[Any, Any] | None = None,
) -> Question:
    """Return the question for the arguments of a query; ``targets`` may be text: ``"lung | smoke=yes"``."""
    if not is_query_text(network, targets):
        return question_from(network, targets, given, likelihood, do, marginal)
    asked = targets if isinstance(targets, QueryText) else parse_question(network, str(targets))
    given = joined_findings(asked.given, given, "given", asked)
    do = joined_findings(asked.do, do, "do", asked)
    return question_from(network, asked.targets, given, likelihood, do, marginal, asked.sets)
