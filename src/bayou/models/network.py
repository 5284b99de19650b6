"""``Network``: the Bayesian network that users hold. Each verb is a line or two that calls the room below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bayou.distributions import Distribution
from bayou.errors import NotFitted, UnknownVariable
from bayou.explain import elimination_working
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.network_state import network_from_state, network_state
from bayou.formats.draft import NetworkDraft, Remarks
from bayou.formats.files import FilePath
from bayou.graphs import Dag, Independence, Separation, dag_from, separated
from bayou.inference import ask, draw, joint_table, log_probability, marginals
from bayou.inference import verify as check_again
from bayou.models import printing
from bayou.models.evidence import marginals_from, question_from
from bayou.models.explanation_tables import interval_from
from bayou.models.network_explanations import NetworkExplanations
from bayou.models.network_files import Parts, parts_of_draft, write_network
from bayou.models.network_fit import NetworkFit
from bayou.models.network_parameters import NetworkParameters
from bayou.models.network_plans import PlanInspection, parsed_question
from bayou.models.nodes.node_spec import kinds_from
from bayou.models.posterior import AnyPosterior, posterior_from
from bayou.models.rows.drawn_rows import Rows, rows_from
from bayou.models.rows.row_coding import check_policy, code_rows, read_rows, unseen_values
from bayou.models.rows.table_answers import TableAnswers
from bayou.models.rows.unseen_states import smoothed_log_probability
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

Given = Mapping[Any, Any]
NO_REMARKS = Remarks()


class Network(
    NetworkParameters, NetworkFit, TableAnswers, PlanInspection, NetworkExplanations, NetworkComparisons
):
    """A Bayesian network: named variables, arcs, and a local distribution for each variable.

    ``structure`` is arrow text, (parent, child) pairs, or a mapping child → parents. ``states`` declares
    states (in their order); variables left out get theirs from the data. ``continuous`` names real-valued
    variables. ``share`` lets several variables use one block of parameters. ``tables`` states tables.
    ``nodes`` names variables that are learned as NoisyOr, NoisyAnd, NoisyMax or Deterministic.

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
        kinds = kinds_from(mapping_given("nodes", nodes, "{'Fever': bayou.NoisyOr}"), dag.nodes)
        self._structure = Structure(dag, declared, check_sharing(dag, sharing_given(share)), kinds)
        self._learned: FittedParameters | None = None
        self._trace: LearningTrace | None = None
        self._stated: dict[Name, Distribution] = {}
        self._remarks = NO_REMARKS
        self._frozen = None if self._structure.undeclared else self._structure.frozen()
        given = mapping_given("tables", tables, "{'Rain': {'no': 0.8, 'yes': 0.2}}")
        stated = {dag.only(name): table for name, table in given.items()}
        for name in dag.topological_order:
            if name in stated:
                self.set_cpt(name, stated[name])

    # What it is made of

    @property
    def dag(self) -> Dag:
        """The directed acyclic graph."""
        return self._structure.dag

    @property
    def structure(self) -> Structure:
        """Arcs, declarations and sharing, without parameters, for the rooms above and below."""
        return self._structure

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables' names in order."""
        return self.dag.nodes

    @property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """Every (parent, child)."""
        return self.dag.arcs

    @property
    def variables(self) -> Schema:
        """The variables with their states; they must be declared or learned."""
        return self.frozen.schema

    @property
    def sharing(self) -> dict[Name, tuple[Name, ...]]:
        """The shared blocks and their users."""
        return dict(self._structure.sharing)

    @property
    def frozen(self) -> FrozenNetwork:
        """The network as frozen data, for the rooms below."""
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
        """How many numbers the network has (a shared block counts once), and its full joint table.

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
        engine: str = "compiled",
        verify: bool = False,
    ) -> AnyPosterior:
        """P(targets | given), exactly.

        ``targets`` is a name, several names (their joint posterior), or a whole query as text:
        ``"lung | smoke=yes"``. ``likelihood`` gives weights for the states of uncertain findings: they move
        a variable from where it was. ``marginal`` says where it is afterwards (Jeffrey's rule). ``do`` sets
        variables by intervention. ``interval=0.95`` adds how far the learned tables leave it uncertain.
        ``engine`` is ``"compiled"`` (the fast one), ``"elimination"``, ``"messages"`` (Pearl's, on polytrees)
        or ``"enumeration"`` (adds up the whole joint table: slow, obvious, the referee). ``verify=True`` asks
        a second engine too and reports the gap (``.verified``).

        >>> net = Network("Rain -> Wet", tables={
        ...     "Rain": {"no": 0.8, "yes": 0.2},
        ...     "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}}})
        >>> round(net.query("Rain | Wet=yes")["yes"], 4)
        0.6667
        >>> net.query("Rain", do={"Wet": "yes"})["yes"]
        0.2
        """
        network = self.frozen
        question = parsed_question(network, targets, given, likelihood, do)
        stated = marginals_from(network, marginal)
        if stated:
            from bayou.inference.jeffrey import ask_with_marginals

            answer = ask_with_marginals(network, question, stated, engine)
        else:
            answer = ask(network, question, engine)
        verified = check_again(network, question, answer, engine) if verify and not stated else None
        ends = interval_from(self._require_learned, question, stated, interval)
        return posterior_from(network, question, answer, stated, ends, verified)

    def marginals(
        self,
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        do: Given | None = None,
    ) -> dict[Name, AnyPosterior]:
        """The posterior of every variable that is not given, by name, all in one pass.

        >>> net = Network("A -> B", tables={"A": {0: 0.5, 1: 0.5}, "B": {0: [0.9, 0.1], 1: [0.2, 0.8]}},
        ...               states={"B": [0, 1]})
        >>> {name: round(posterior[1], 2) for name, posterior in net.marginals().items()}
        {'A': 0.5, 'B': 0.45}
        """
        network = self.frozen
        question = question_from(network, (), given, likelihood, do)
        free = [name for name in self.names if name not in question.evidence and name not in question.do]
        asked = replace(question, targets=tuple(free))
        return {
            name: posterior_from(network, replace(question, targets=(name,)), answer)
            for name, answer in marginals(network, asked).items()
        }

    def log_evidence(self, given: Given, *, likelihood: Mapping[Any, Any] | None = None) -> float:
        """log P(given), natural logarithm (a log density where a continuous variable is given).

        >>> Network("A", tables={"A": {0: 0.25, 1: 0.75}}).log_evidence({"A": 0})
        -1.3862943611198906
        """
        question = question_from(self.frozen, (), given, likelihood)
        return ask(self.frozen, question).log_evidence

    def working(
        self, targets: Name | Iterable[Name], given: Given | None = None, *, do: Given | None = None
    ) -> str:
        """The calculation of a query, line by line as on a blackboard.

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
        return elimination_working(self.frozen, parsed_question(self.frozen, targets, given, None, do))

    def joint(self) -> ProbabilityTable:
        """The full joint table (small discrete networks only).

        >>> net = Network("A, B", tables={"A": {0: 0.5, 1: 0.5}, "B": {0: 0.9, 1: 0.1}})
        >>> bool(net.joint().independent("A", "B"))
        True
        """
        self.frozen.require(self.names)
        return ProbabilityTable(self.variables, joint_table(self.frozen))

    def log_probability(
        self, data: Any, *, unknown: str = "missing", columns: Sequence[Name] | None = None
    ) -> FloatArray | float:
        """log P of each row of a table, or of one assignment given as a mapping of names to values.

        Missing cells are summed out exactly. Values that the network has never seen follow ``unknown``:
        ``"missing"`` (left out, with a warning), ``"error"``, or ``"smooth"`` (the mass that the prior
        gives to a state declared but never seen).

        >>> net = Network("R", tables={"R": {4: 0.25, 5: 0.75}})
        >>> net.log_probability({"R": 4})
        -1.3862943611198906
        """
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
            logs = log_probability(network, rows.codes, rows.numbers, rows.rows)
        return float(logs[0]) if single else logs

    def sample(self, n: int, *, seed: int | None = None) -> Rows:
        """Draw rows from the network; the same seed gives the same rows on any number of threads.

        >>> Network("A", tables={"A": {"x": 1, "y": 0}}).sample(2, seed=7).to_dicts()
        [{'A': 'x'}, {'A': 'x'}]
        """
        return rows_from(self.frozen, n, seed, draw)

    # Independence

    def d_separated(
        self, left: Name | Iterable[Name], right: Name | Iterable[Name], given: Name | Iterable[Name] = ()
    ) -> Separation:
        """Whether the arcs make ``left`` and ``right`` independent given ``given``; printing it says why.

        >>> Network("Storm -> Fire <- Bus").d_separated("Storm", "Bus", given="Fire").trail
        ('Storm', 'Fire', 'Bus')
        """
        return separated(self.dag, left, right, given)

    def markov_blanket(self, name: Name) -> tuple[Name, ...]:
        """Parents, children and the children's other parents.

        >>> Network("Storm -> Fire <- Bus").markov_blanket("Storm")
        ('Fire', 'Bus')
        """
        return self.dag.markov_blanket(name)

    def local_independencies(self) -> list[Independence]:
        """Each variable is independent of its non-descendants given its parents."""
        return self.dag.local_independencies()

    # Files and printing

    def save(self, path: FilePath) -> None:
        """Write the network to a file; the ending chooses the format (see :func:`bayou.load`)."""
        write_network(path, self.parts(), self.state)

    def state(self) -> dict[str, Any]:
        """Everything that a ``.bayou`` file keeps, as plain values and arrays."""
        frozen, learned, declared, remarks = self.parts()
        return {**network_state(frozen, learned, declared), "remarks": remarks.state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Network:
        """The network that :meth:`state` described; early files have no remarks."""
        remarks = Remarks() if state.get("remarks") is None else Remarks.from_state(state["remarks"])
        return cls.from_parts(*network_from_state(state), remarks)

    @classmethod
    def from_draft(cls, draft: NetworkDraft) -> Network:
        """The network that a file of a foreign format describes."""
        return cls.from_parts(*parts_of_draft(draft))

    def copy(self) -> Network:
        """A network of its own: what happens to one leaves the other alone."""
        twin = Network.__new__(Network)
        twin.__dict__.update(self.__dict__)
        twin._stated = dict(self._stated)
        return twin

    def parts(self) -> Parts:
        """Frozen data, what was learned, what was declared, and remarks: all that a file must keep."""
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
        """The network that users hold, around what :meth:`parts` gave."""
        net = cls(frozen.dag)
        net._structure = Structure(frozen.dag, declared, frozen.sharing, frozen.kinds)
        net._learned, net._frozen, net._remarks, net._trace = learned, frozen, remarks, trace
        return net

    @classmethod
    def from_structure(cls, structure: Structure) -> Network:
        """A network without parameters, around what :attr:`structure` gave."""
        net = cls(structure.dag)
        net._structure = structure
        net._frozen = None if structure.undeclared else structure.frozen()
        return net

    def same_as(self, other: Network) -> bool:
        """Whether both have the same variables, arcs, sharing and, to the last bit, parameters."""
        return same_parameters(self.frozen, other.frozen)

    def __repr__(self) -> str:
        return printing.one_line(self._structure, self._frozen)

    def __str__(self) -> str:
        return printing.text(self._structure, self._frozen)

    def _repr_html_(self) -> str:
        return printing.html(self._structure, self._frozen)


def _is_assignment(data: Mapping[Any, Any], schema: Schema) -> bool:
    """A mapping of names to single values (not to columns); a tuple is a value only where it is a state."""

    def is_single(name: Name, value: Any) -> bool:
        if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
            return True
        return isinstance(value, tuple) and name in schema and schema[name].find(value) is not None

    return all(is_single(name, value) for name, value in data.items())
