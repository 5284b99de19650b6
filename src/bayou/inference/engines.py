"""The engines: ways of answering a question, found by name and imported when they are first used.

A new engine is a class with the methods of :class:`Engine` and a line in :data:`ENGINES` (or a call of
``ENGINES.add``). No other file chooses between engines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from bayou.distributions import DENSITY
from bayou.errors import BadQuestion, listed
from bayou.inference.answer import Answer, MarginalAnswers
from bayou.inference.exact.plan_cache import plans_of
from bayou.inference.question import DEFAULT_ENGINE, Question, relevant
from bayou.networks import FrozenNetwork
from bayou.registry import Registry
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.inference.engine_options import EngineOptions
    from bayou.inference.mixtures import Mixture


class Engine(ABC):
    """One way of answering questions about a network.

    An engine whose ``handles_numbers`` is True accepts questions that involve continuous variables. Other
    engines are asked about discrete variables only; ``MixedEngine`` (mixed/mixed_query.py) answers the rest.
    """

    handles_numbers: ClassVar[bool] = False
    is_exact: ClassVar[bool] = True
    """Whether its answers are exact; others say how far they can be trusted."""
    draws: ClassVar[bool] = False
    """Whether it comes nearer to the answer the longer it works: it is then made with options."""

    @abstractmethod
    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Return P(targets | findings); ``names`` are the relevant variables, all with parameters."""

    def marginals(self, network: FrozenNetwork, names: list[Name], question: Question) -> MarginalAnswers:
        """Return the posterior of each target on its own, and log P(findings).

        ``names`` are all variables except those set by do. This default asks one question per target.
        """
        alone = replace(question, targets=())
        log_evidence = self.answer(network, relevant(network, alone), alone).log_evidence
        if log_evidence == -inf:
            return MarginalAnswers(-inf)
        tables: dict[Name, FloatArray] = {}
        mixtures: dict[Name, Mixture] = {}
        for name in question.targets:
            if network.distribution(name).form == DENSITY:
                continue  # its posterior is neither a table nor a mixture of Gaussians
            asked = replace(question, targets=(name,))
            answer = self.answer(network, relevant(network, asked), asked)
            if answer.table is not None:
                tables[name] = answer.table
            elif answer.mixture is not None:
                mixtures[name] = answer.mixture
        return MarginalAnswers(log_evidence, tables, mixtures)


ENGINES = Registry[type[Engine]](
    "engine",
    {
        "compiled": "bayou.inference.exact.compiled_query:CompiledEngine",
        "elimination": "bayou.inference.exact.elimination:EliminationEngine",
        "enumeration": "bayou.inference.exact.enumeration:EnumerationEngine",
        "loopy": "bayou.inference.loopy.loopy_query:LoopyEngine",
        "messages": "bayou.inference.exact.pearl:MessagesEngine",
        "auto": "bayou.inference.sampling.automatic:AutomaticEngine",
        "bounds": "bayou.inference.bounds.bounds_engine:BoundsEngine",
        "gibbs": "bayou.inference.sampling.gibbs_engine:GibbsEngine",
        "rejection": "bayou.inference.sampling.rejection:RejectionEngine",
        "weighting": "bayou.inference.sampling.weighting:WeightingEngine",
    },
    BadQuestion,
)

OTHER_NAMES = {
    "exact": "compiled",
    "junction tree": "compiled",
    "variable elimination": "elimination",
    "belief propagation": "loopy",
    "bp": "loopy",
    "lbp": "loopy",
    "gibbs sampling": "gibbs",
    "mcmc": "gibbs",
    "forward": "rejection",
    "forward sampling": "rejection",
    "logic sampling": "rejection",
    "rejection sampling": "rejection",
    "importance sampling": "weighting",
    "likelihood weighting": "weighting",
    "lw": "weighting",
}
"""What other books and libraries call an engine, and its name here; used in error messages only."""


def engine_named(name: str, options: EngineOptions | None = None) -> Engine:
    """Return a new engine of this name, or raise BadQuestion with the names that exist.

    ``options`` say when an engine that estimates stops; an exact one takes none.
    """
    given: object = name
    if not isinstance(given, str) or given not in ENGINES:
        raise _unknown(given)
    kind: Any = ENGINES.find(name)
    if kind.draws:
        made: Engine = kind(options)
        return made
    if options is not None:
        raise BadQuestion(
            f"engine={name!r} makes no random draws: seed=, samples=, accuracy= and time= belong to those "
            'that estimate or bound, such as engine="weighting", engine="bounds" or engine="auto".'
        )
    other: Engine = kind()
    return other


def _unknown(name: object) -> BadQuestion:
    """The error that names the engines; textbooks have other names for some of them."""
    near = OTHER_NAMES.get(str(name).casefold().replace("_", " ").strip())
    if near is None:
        return BadQuestion.choice("engine", name, list(ENGINES))
    return BadQuestion(
        f"engine={name!r} is unknown; here it is {near!r}. The choices are: {listed(ENGINES)}."
    )


def suited(engine: Engine, network: FrozenNetwork, names: list[Name]) -> Engine:
    """Return ``engine``, or ``MixedEngine`` if ``names`` has continuous variables that it cannot handle."""
    if engine.handles_numbers or plans_of(network).continuous.isdisjoint(names):
        return engine
    # Imported here because most questions involve discrete variables only.
    from bayou.inference.mixed.mixed_query import MixedEngine

    return MixedEngine()


def require_exact(name: str, options: Mapping[str, object]) -> None:
    """Raise BadQuestion if an option that needs an exact answer is given (not None, False or empty).

    ``name`` is the engine, ``options`` are the values of such options by what the user writes.
    """
    asked = [option for option, value in options.items() if value]
    if asked and not engine_named(name).is_exact:
        raise BadQuestion(
            f"{asked[0]} needs an exact answer, which engine={name!r} does not promise: leave it out, or "
            f"use engine={DEFAULT_ENGINE!r}."
        )
