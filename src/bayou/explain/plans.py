"""The cost of a query before it is run: width, tables, bytes, operations, an estimate of the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from bayou.errors import TooWide
from bayou.explain.question_title import question_title
from bayou.graphs.ordering import elimination_order
from bayou.inference import Question, relevant
from bayou.inference.exact.compiled_query import joint_too_large, signature_of
from bayou.inference.exact.plan_cache import Signature, plans_of, too_costly
from bayou.inference.mixed.components import components, too_many_combinations
from bayou.memory import amount_text
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import Name

ENTRIES_A_SECOND = 1e8
"""Table entries per second of the compiled engine, measured once on two slow, busy cores over ten networks
from asia to munin1 (3e7 to 5e8): estimates are right within a factor of about five."""
SECONDS_AT_LEAST = 1e-5


@dataclass(frozen=True, repr=False)
class QueryPlan(PrintedTable):
    """The cost of a query. ``refused`` is the reason why it would not be run, or None if it would be.

    ``width`` is the number of variables in the largest table minus one, ``largest`` the entries of that
    table, ``entries`` those of all tables, ``operations`` a lower bound on multiplications and additions;
    ``seconds`` is a rough estimate.
    """

    title: str
    method: str
    width: int
    largest: float
    entries: float
    bytes: float
    pruned: tuple[Name, ...]
    order: tuple[Name, ...]
    refused: str | None

    @property
    def operations(self) -> float:
        """One multiplication and one addition per entry."""
        return 2 * self.entries

    @property
    def seconds(self) -> float:
        """A rough estimate of the time, without that for making the plan."""
        return SECONDS_AT_LEAST + self.entries / ENTRIES_A_SECOND

    def to_table(self) -> TextTable:
        """A table with one row per figure."""
        rows = [
            ["method", self.method],
            ["width", str(self.width)],
            ["largest table", f"{_count(self.largest)} entries"],
            ["all tables", f"{_count(self.entries)} entries"],
            ["memory", amount_text(self.bytes)],
            ["operations", f"about {_count(self.operations)}"],
            ["time", _duration(self.seconds)],
            ["not needed", _listed(self.pruned)],
            ["summed out", _listed(self.order)],
            ["would be run", f"no. {self.refused}" if self.refused else "yes"],
        ]
        return TextTable(["plan for", self.title], rows)


def query_plan(network: FrozenNetwork, question: Question) -> QueryPlan:
    """Return the cost of a question for the compiled engine, also if it is too wide to be run."""
    names = relevant(network, question)
    network.require(names)
    pruned = tuple(n for n in network.dag.nodes if n not in names and n not in question.do)
    if any(network.schema[name].is_continuous and name not in question.evidence for name in names):
        return _mixture_plan(network, names, question, pruned)
    signature, _ = signature_of(network, names, question)
    signature = replace(signature, joint=tuple(network.schema.index(name) for name in question.targets))
    refused = joint_too_large(network, question)
    if refused is None:
        try:
            return _compiled_plan(network, question, signature, pruned)
        except TooWide as error:
            refused = str(error)
    return _greedy_plan(network, question, signature, pruned, refused)


def _compiled_plan(
    network: FrozenNetwork, question: Question, signature: Signature, pruned: tuple[Name, ...]
) -> QueryPlan:
    plan = plans_of(network).compiled(signature)
    cliques, rank = plan.cliques, plan.rank
    members = {member for clique in cliques for member in clique} - set(signature.joint)
    return QueryPlan(
        question_title(network, question),
        "compiled clique tree",
        max((len(clique) for clique in cliques), default=1) - 1,
        plan.largest,
        plan.entries,
        plan.bytes,
        pruned,
        _named(network, sorted(members, key=lambda member: rank[member])),
        too_costly(plan.bytes, plan.entries),
    )


def _greedy_plan(
    network: FrozenNetwork, question: Question, signature: Signature, pruned: tuple[Name, ...], refused: str
) -> QueryPlan:
    """The cost of a greedy elimination order, where the core refuses to make a plan."""
    observed = set(signature.observed)
    plans = plans_of(network)
    families = [plans.scopes[piece] for number in signature.factors for piece in plans.pieces[number]]
    scopes = [set(scope) - observed for scope in (*families, *signature.given, signature.joint)]
    sizes = {member: plans.cards[member] for scope in scopes for member in scope}
    order = elimination_order([sorted(scope) for scope in scopes], sizes, signature.joint)
    tables = _tables_needed(scopes, order)
    entries = [prod(sizes[member] for member in table) for table in tables]
    return QueryPlan(
        question_title(network, question),
        "variable elimination",
        max(len(table) for table in tables) - 1,
        max(entries),
        sum(entries),
        8 * max(entries),
        pruned,
        _named(network, order),
        refused,
    )


def _tables_needed(scopes: Sequence[set[int]], order: Sequence[int]) -> list[set[int]]:
    """The scope of the product for each eliminated variable, and of the final product."""
    left, tables = list(scopes), []
    for variable in order:
        table: set[int] = set().union(*(scope for scope in left if variable in scope))
        left = [*(scope for scope in left if variable not in scope), table - {variable}]
        tables.append(table)
    return [*tables, set().union(*left)]


def _mixture_plan(
    network: FrozenNetwork, names: Sequence[Name], question: Question, pruned: tuple[Name, ...]
) -> QueryPlan:
    """The cost with hidden real variables: for each group one Gaussian per combination of its border."""
    schema = network.schema
    hidden = [name for name in names if name not in question.evidence]
    parts, alone = components(network, names, {**question.evidence, **question.do})
    asked = [name for name in question.targets if schema[name].is_continuous]
    count = sum(part.combinations for part in parts)
    real = sum(len(part.hidden) for part in parts)
    method = f"mixture of {count:,} Gaussians over {real} real variables"
    refused = None
    if 0 < len(asked) < len(question.targets):
        refused = "Continuous and discrete targets must be asked for in separate queries."
    for part in parts:
        refused = refused or too_many_combinations(part, len(asked))
    scopes = _real_scopes(network, question, [*(part.border for part in parts), *_parents(network, alone)])
    rest = _discrete_plan(network, names, question, scopes, pruned)
    largest = max((part.combinations * len(part.hidden) ** 2 for part in parts), default=0)
    return replace(
        rest,
        method=method if len(parts) < 2 else f"{method} in {len(parts)} groups",
        width=max(rest.width, *(len(part.border) + len(part.hidden) - 1 for part in parts)),
        largest=max(rest.largest, largest),
        entries=rest.entries + sum(part.work for part in parts),
        bytes=rest.bytes + sum(part.bytes(len(asked)) for part in parts),
        order=tuple(name for name in hidden if name not in question.targets),
        refused=refused or rest.refused,
    )


def _parents(network: FrozenNetwork, names: Sequence[Name]) -> list[tuple[Name, ...]]:
    return [tuple(parent.name for parent in network.discrete_parents(name)) for name in names]


def _real_scopes(
    network: FrozenNetwork, question: Question, borders: Sequence[tuple[Name, ...]]
) -> tuple[tuple[int, ...], ...]:
    """The scopes of the factors that real findings and likelihoods add to the discrete part."""
    fixed = {**question.evidence, **question.do}
    scopes = {tuple(sorted(network.schema.index(n) for n in border if n not in fixed)) for border in borders}
    scopes |= {(network.schema.index(name),) for name in question.likelihood if name not in fixed}
    return tuple(sorted(scopes))


def _discrete_plan(
    network: FrozenNetwork,
    names: Sequence[Name],
    question: Question,
    scopes: tuple[tuple[int, ...], ...],
    pruned: tuple[Name, ...],
) -> QueryPlan:
    schema = network.schema
    fixed = {**question.evidence, **question.do}
    signature = Signature(
        tuple(schema.index(name) for name in names if not schema[name].is_continuous),
        tuple(schema.index(name) for name in fixed if not schema[name].is_continuous),
        scopes,
        joint=tuple(schema.index(name) for name in question.targets if not schema[name].is_continuous),
    )
    try:
        return _compiled_plan(network, question, signature, pruned)
    except TooWide as error:
        return _greedy_plan(network, question, signature, pruned, str(error))


def _named(network: FrozenNetwork, numbers: Sequence[int]) -> tuple[Name, ...]:
    named = plans_of(network).named
    return tuple(named[number] for number in numbers)


def _listed(names: Sequence[Name], most: int = 30) -> str:
    shown = ", ".join(label(name) for name in names[:most]) or "nothing"
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def _count(number: float) -> str:
    return f"{int(number):,}" if number < 1e9 else f"{number:.3g}"


_UNITS = ((1e-6, "µs", 1e-3), (1e-3, "ms", 1.0), (1.0, "s", 120.0), (60.0, "min", 7200.0))


def _duration(seconds: float) -> str:
    """A time as text with a unit.

    >>> [_duration(value) for value in (2e-5, 0.02, 3.2, 600, 1e5, 1e20)]
    ['about 20 µs', 'about 20 ms', 'about 3.2 s', 'about 10 min', 'about 28 h', 'more than a year']
    """
    for size, unit, above in _UNITS:
        if seconds < above:
            return f"about {seconds / size:.2g} {unit}"
    return f"about {seconds / 3600:,.0f} h" if seconds < 365 * 86400 else "more than a year"
