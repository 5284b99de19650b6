"""``Network``: the Bayesian network of the public interface; its methods call the packages below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayou import explain, graphs, inference
from bayou.errors import NotFitted, UnknownVariable
from bayou.formats.draft import NetworkDraft, Remarks
from bayou.graphs import Dag, dag_from
from bayou.inference.question import DEFAULT_ENGINE
from bayou.models.evidence import Given, marginals_from, question_from
from bayou.models.marginals import Marginals, all_posteriors, plain_posteriors
from bayou.models.network_explanations import NetworkExplanations
from bayou.models.network_learning import NetworkFit
from bayou.models.network_parameters import NetworkParameters
from bayou.models.network_plans import PlanInspection, parsed_question
from bayou.models.posterior import AnyPosterior, interval_from, plain_posterior, posterior_from
from bayou.models.rows.table_answers import TableAnswers
from bayou.models.structures.network_comparison import NetworkComparisons
from bayou.networks import (
    FrozenNetwork,
    ParameterCount,
    Structure,
    check_sharing,
    count_parameters,
    same_parameters,
)
from bayou.networks.declarations import declared_variables, mapping_given, sharing_given
from bayou.probability.probability_table import ProbabilityTable
from bayou.schema import Schema, Variable
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    from bayou.distributions import Distribution, DistributionKind
    from bayou.explain import CredibleInterval
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.formats.files import FilePath
    from bayou.graphs import Independence, Separation
    from bayou.models.network_files import Parts
    from bayou.models.rows.drawn_rows import Rows

NO_REMARKS = Remarks()


class Network(
    NetworkParameters, NetworkFit, TableAnswers, PlanInspection, NetworkExplanations, NetworkComparisons
):
    """A Bayesian network: named variables, arcs, and a local distribution for each variable.

    ``structure`` is arrow text, (parent, child) pairs, or a mapping child → parents. ``states`` declares
    the states of variables, in order; others are inferred from the data. ``continuous`` names real-valued
    variables. ``share`` lets several variables use one block of parameters. ``tables`` gives tables by
    variable, ``nodes`` kinds of distributions, such as NoisyOr, NoisyAnd, NoisyMax or Deterministic.

    >>> net = Network("Rain -> Wet", tables={
    ...     "Rain": {"no": 0.8, "yes": 0.2},
    ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}},
    ... })
    >>> print(net.query("Rain", given={"Wet": "yes"}))
    P(Rain | Wet=yes)
    Rain  P
    no    0.3333  ███▍
    yes   0.6667  ██████▋
    """

    def __init__(
        self,
        structure: Any = "",
        *,
        states: Mapping[Any, Any] | None = None,
        continuous: Iterable[Name] = (),
        share: Mapping[Any, Iterable[Name]] | None = None,
        tables: Mapping[Any, Any] | None = None,
        nodes: Mapping[Any, Any] | None = None,
    ) -> None:
        dag = dag_from(structure)
        declared = declared_variables(dag, states, continuous)
        kinds = _kinds(mapping_given("nodes", nodes, "{'Fever': bayou.NoisyOr}"), dag, declared)
        self._structure = Structure(dag, declared, check_sharing(dag, sharing_given(share)), kinds)
        self._learned: FittedParameters | None = None
        self._trace: LearningTrace | None = None
        self._pending: dict[Name, Distribution] = {}
        self._remarks = NO_REMARKS
        self._frozen = None if self._structure.undeclared else self._structure.frozen()
        given = mapping_given("tables", tables, "{'Rain': {'no': 0.8, 'yes': 0.2}}")
        table_of = {dag.only(name): table for name, table in given.items()}
        for name in dag.topological_order:
            if name in table_of:
                self.set_cpt(name, table_of[name])

    # Structure

    @property
    def dag(self) -> Dag:
        """The directed acyclic graph."""
        return self._structure.dag

    @property
    def structure(self) -> Structure:
        """Arcs, declared variables, sharing and kinds of nodes, without parameters."""
        return self._structure

    @property
    def names(self) -> tuple[Name, ...]:
        """The names of the variables, in order."""
        return self.dag.nodes

    @property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """All arcs as (parent, child) pairs."""
        return self.dag.arcs

    @property
    def variables(self) -> Schema:
        """The variables with their states; raises NotFitted if states are neither declared nor learned."""
        return self.frozen.schema

    @property
    def sharing(self) -> dict[Name, tuple[Name, ...]]:
        """The shared blocks of parameters, each with the variables that use it."""
        return dict(self._structure.sharing)

    @property
    def frozen(self) -> FrozenNetwork:
        """The network as immutable data; raises NotFitted if states are neither declared nor learned."""
        if self._frozen is None:
            raise NotFitted.missing(self._structure.undeclared)
        return self._frozen

    def parents(self, name: Name) -> tuple[Name, ...]:
        """The parents of a variable, in the order of its table's axes."""
        return self.dag.parents(name)

    def children(self, name: Name) -> tuple[Name, ...]:
        """The children of a variable."""
        return self.dag.children(name)

    def states(self, name: Name) -> tuple[State, ...]:
        """The states of a discrete variable, in order."""
        return self.variables[name].states

    def parameter_count(self) -> ParameterCount:
        """The number of parameters (a shared block counts once), and that of the full joint table.

        >>> movie = Network("G -> R", states={"G": ["d", "c"], "R": [1, 2, 3, 4, 5]})
        >>> print(movie.parameter_count())
        12 parameters, 9 free (the full joint table: 10, 9 free)
        """
        return count_parameters(self.frozen)

    # Asking

    def query(
        self,
        targets: Name | Iterable[Name],
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
        interval: float | None = None,
        engine: str = DEFAULT_ENGINE,
        verify: bool = False,
    ) -> AnyPosterior:
        """P(targets | given), exactly.

        ``targets`` is a name, several names (their joint posterior), or a whole query as text, such as
        ``"P(lung | smoke=yes, xray!=normal, age in {40, 50}, do(asia=no))"``. ``likelihood`` gives weights
        for the states of uncertain findings; they multiply the present probabilities. ``marginal`` gives the
        distribution of a variable after the update (Jeffrey's rule). ``do`` sets variables by intervention.
        ``interval=0.95`` adds credible intervals for the uncertainty of the learned parameters: of each
        probability, of the mean of a continuous target. ``engine`` is
        ``"compiled"`` (the fastest), ``"elimination"``, ``"messages"`` (Pearl's, on polytrees) or
        ``"enumeration"`` (sums the whole joint table, for checking). ``verify=True`` asks a second engine
        and reports the difference (``.verified``).

        >>> net = Network("Rain -> Wet", tables={
        ...     "Rain": {"no": 0.8, "yes": 0.2},
        ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
        >>> round(net.query("Rain | Wet=yes")["yes"], 4)
        0.6667
        >>> net.query("Rain", do={"Wet": "yes"})["yes"]
        0.2
        """
        network = self.frozen
        plain = likelihood is None and marginal is None and do is None and interval is None
        if plain and not verify and engine == DEFAULT_ENGINE:
            known = inference.plain_query(network, targets, given)
            if known is not None:
                return plain_posterior(known)
        question = parsed_question(network, targets, given, likelihood, do)
        fixed = marginals_from(network, marginal)
        if fixed:
            from bayou.inference.jeffrey import ask_with_marginals

            answer = ask_with_marginals(network, question, fixed, engine)
        else:
            answer = inference.ask(network, question, engine)
        verified = inference.verify(network, question, answer, engine) if verify and not fixed else None
        ends = None if interval is None else interval_from(self._require_learned, question, fixed, interval)
        return posterior_from(network, question, answer, fixed, ends, verified)

    def marginals(
        self,
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
        interval: float | None = None,
    ) -> Marginals:
        """The posterior of every variable that is not given, all in one pass: a mapping by name.

        The other arguments are those of :meth:`query`.

        >>> net = Network("A -> B", tables={"A": {0: 0.5, 1: 0.5}, "B": {0: [0.9, 0.1], 1: [0.2, 0.8]}},
        ...               states={"B": [0, 1]})
        >>> {name: round(posterior[1], 2) for name, posterior in net.marginals().items()}
        {'A': 0.5, 'B': 0.45}
        """
        network = self.frozen
        if likelihood is None and marginal is None and do is None and interval is None:
            known = inference.plain_marginals(network, given)
            if known is not None:
                return plain_posteriors(known)
        question = question_from(network, (), given, likelihood, do, marginal)
        free = [name for name in self.names if name not in question.evidence and name not in question.do]
        question = replace(question, targets=tuple(free))
        answers = inference.marginals(network, question)
        if marginal:
            # A required marginal has no probability of its own.
            found = inference.ask(network, question_from(network, (), given, likelihood, do))
            answers = replace(answers, log_evidence=found.log_evidence)
        ends: dict[Name, CredibleInterval] = {}
        if interval is not None:
            plain, fixed = (
                question_from(network, (), given, likelihood, do),
                marginals_from(network, marginal),
            )
            for name in (*answers.tables, *answers.mixtures):
                alone = replace(plain, targets=(name,))
                ends[name] = interval_from(self._require_learned, alone, fixed, interval)
        return all_posteriors(network, question, answers, ends)

    def log_evidence(self, given: Given, *, likelihood: Mapping[Any, Any] | None = None) -> float:
        """Natural logarithm of P(given), or of the density if a continuous variable is given.

        >>> Network("A", tables={"A": {0: 0.25, 1: 0.75}}).log_evidence({"A": 0})
        -1.3862943611198906
        """
        question = question_from(self.frozen, (), given, likelihood)
        return inference.ask(self.frozen, question).log_evidence

    def working(
        self,
        targets: Name | Iterable[Name],
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        marginal: Mapping[Any, Any] | None = None,
        do: Given | None = None,
    ) -> str:
        """The calculation of a query as text, line by line.

        >>> net = Network("Rain -> Wet", tables={
        ...     "Rain": {"no": 0.8, "yes": 0.2},
        ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
        >>> print(net.working("Rain | Wet=yes"))
        P(Rain | Wet=yes)
          ∝ P(Rain) · P(Wet=yes | Rain)
        Multiply what is left: P(Rain) · P(Wet=yes | Rain)
            Rain=no: 0.8 × 0.1 = 0.08
            Rain=yes: 0.2 × 0.8 = 0.16
        Divide by their sum, 0.24 = P(Wet=yes):
            Rain=no: 0.08 / 0.24 = 0.333333
            Rain=yes: 0.16 / 0.24 = 0.666667
        """
        question = parsed_question(self.frozen, targets, given, likelihood, do, marginal)
        return explain.elimination_working(self.frozen, question)

    def joint(self) -> ProbabilityTable:
        """The full joint table (small discrete networks only).

        >>> net = Network("A, B", tables={"A": {0: 0.5, 1: 0.5}, "B": {0: 0.9, 1: 0.1}})
        >>> bool(net.joint().independent("A", "B"))
        True
        """
        self.frozen.require(self.names)
        return ProbabilityTable(self.variables, inference.joint_table(self.frozen))

    def log_probability(
        self, data: Any, *, unknown: str = "missing", columns: Sequence[Name] | None = None
    ) -> FloatArray | float:
        """log P of each row of a table, or of one assignment given as a mapping of names to values.

        Missing cells are summed out exactly. ``unknown`` says what to do with values that are not states of
        the network: ``"missing"`` treats them as missing cells, with a warning, ``"error"`` raises, and
        ``"smooth"`` gives them the probability that the prior gives to one more, unobserved state.

        >>> net = Network("R", tables={"R": {4: 0.25, 5: 0.75}})
        >>> net.log_probability({"R": 4})
        -1.3862943611198906
        """
        from bayou.models.rows.row_coding import check_policy, code_rows, read_rows, unseen_values
        from bayou.models.rows.unseen_states import smoothed_log_probability

        check_policy(unknown)
        network = self.frozen
        single = isinstance(data, Mapping) and _is_assignment(data, network.schema)
        if single:
            for name in data:
                if name not in network.schema:
                    raise UnknownVariable.named(name, network.schema.names)
        table = read_rows(network, [dict(data)] if single else data, columns)
        if unknown == "smooth" and unseen_values(network, table):
            logs = smoothed_log_probability(self._structure, self._require_learned(), table)
        else:
            rows = code_rows(network, table, unknown)
            logs = inference.log_probability(network, rows.codes, rows.numbers, rows.rows)
        return float(logs[0]) if single else logs

    def sample(self, n: int, *, seed: int | None = None) -> Rows:
        """Draw rows from the network; the same seed gives the same rows on any number of threads.

        >>> Network("A", tables={"A": {"x": 1, "y": 0}}).sample(2, seed=7).to_dicts()
        [{'A': 'x'}, {'A': 'x'}]
        """
        from bayou.models.rows.drawn_rows import rows_from

        return rows_from(self.frozen, n, seed, inference.draw)

    # Independence

    def d_separated(
        self, left: Name | Iterable[Name], right: Name | Iterable[Name], given: Name | Iterable[Name] = ()
    ) -> Separation:
        """Whether ``left`` and ``right`` are d-separated given ``given``; the printed result explains why.

        >>> Network("Storm -> Fire <- Bus").d_separated("Storm", "Bus", given="Fire").trail
        ('Storm', 'Fire', 'Bus')
        """
        return graphs.separated(self.dag, left, right, given)

    def markov_blanket(self, name: Name) -> tuple[Name, ...]:
        """The parents, the children, and the other parents of the children.

        >>> Network("Storm -> Fire <- Bus").markov_blanket("Storm")
        ('Fire', 'Bus')
        """
        return self.dag.markov_blanket(name)

    def local_independencies(self) -> list[Independence]:
        """One statement per variable: it is independent of its non-descendants given its parents."""
        return self.dag.local_independencies()

    # Files and printing

    def save(self, path: FilePath) -> None:
        """Write the network to a file; the ending chooses the format (see :func:`bayou.load`)."""
        from bayou.models.network_files import write_network

        write_network(path, self.parts(), self.state)

    def state(self) -> dict[str, Any]:
        """The content of a ``.bayou`` file, as plain values and arrays."""
        from bayou.fitting.network_state import network_state

        frozen, learned, declared, remarks = self.parts()
        return {**network_state(frozen, learned, declared), "remarks": remarks.state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Network:
        """Create the network from the result of :meth:`state`; files of early versions have no remarks."""
        from bayou.fitting.network_state import network_from_state

        remarks = Remarks() if state.get("remarks") is None else Remarks.from_state(state["remarks"])
        return cls.from_parts(*network_from_state(state), remarks)

    @classmethod
    def from_draft(cls, draft: NetworkDraft) -> Network:
        """Create the network from a draft, as read from a file of a foreign format."""
        from bayou.models.network_files import parts_of_draft

        return cls.from_parts(*parts_of_draft(draft))

    def copy(self) -> Network:
        """An independent copy: changes to one do not affect the other."""
        twin = Network.__new__(Network)
        twin.__dict__.update(self.__dict__)
        twin._pending = dict(self._pending)
        return twin

    def parts(self) -> Parts:
        """Frozen network, fitted parameters, declared variables and remarks: the content of a file."""
        return self.frozen, self._learned, self._structure.declared, self._remarks

    @classmethod
    def from_parts(
        cls,
        frozen: FrozenNetwork,
        learned: FittedParameters | None,
        declared: Mapping[Name, Variable],
        remarks: Remarks = NO_REMARKS,
        trace: LearningTrace | None = None,
    ) -> Network:
        """Create a network from the result of :meth:`parts`."""
        net = cls(frozen.dag)
        net._structure = Structure(frozen.dag, declared, frozen.sharing, frozen.kinds)
        net._learned, net._frozen, net._remarks, net._trace = learned, frozen, remarks, trace
        return net

    @classmethod
    def from_structure(cls, structure: Structure) -> Network:
        """Create a network without parameters from a :attr:`structure`."""
        net = cls(structure.dag)
        net._structure = structure
        net._frozen = None if structure.undeclared else structure.frozen()
        return net

    def same_as(self, other: Network) -> bool:
        """Whether both networks have the same variables, arcs, sharing and bit-identical parameters."""
        return same_parameters(self.frozen, other.frozen)

    def __repr__(self) -> str:
        from bayou.models import printing

        return printing.one_line(self._structure, self._frozen)

    def __str__(self) -> str:
        from bayou.models import printing

        return printing.text(self._structure, self._frozen)

    def _repr_html_(self) -> str:
        from bayou.models import printing

        return printing.html(self._structure, self._frozen)


def _kinds(
    nodes: Mapping[Any, Any], dag: Dag, declared: dict[Name, Variable]
) -> Mapping[Name, DistributionKind]:
    """The kinds of the nodes; variables of texts are added to those that are declared."""
    if not nodes:
        return {}
    from bayou.models.nodes.node_spec import kinds_from, text_variables

    kinds = kinds_from(nodes, dag.nodes)
    declared.update(text_variables(kinds, declared))
    return kinds


def _is_assignment(data: Mapping[Any, Any], schema: Schema) -> bool:
    """Whether a mapping has single values, not columns; a tuple is a value only if it is a state."""

    def is_single(name: Name, value: Any) -> bool:
        if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
            return True
        return isinstance(value, tuple) and name in schema and schema[name].find(value) is not None

    return all(is_single(name, value) for name, value in data.items())
