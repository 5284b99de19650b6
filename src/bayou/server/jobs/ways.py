"""The ways to learn from a table: each returns the model and what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayou.errors import BadQuestion, counted, listed
from bayou.schema import label
from bayou.server.jobs.forms import Arc, JobRequest, LearnOptions
from bayou.server.jobs.ranges import equal_cuts, told_equal_cuts, told_separating_cuts
from bayou.server.messages import decoded
from bayou.server.tables.table_file import TableFile
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.network import Network

_SEARCH = ("method", "score", "max_parents", "require", "forbid", "tiers", "seconds", "seed")
_EVERYWHERE = ("ignore", "weights", "cuts", "states", "smoothing")
_OPTIONS = {
    "structure": (*_EVERYWHERE, "ranges", "continuous", *_SEARCH),
    "chow-liu": (*_EVERYWHERE, "ranges", "continuous"),
    "parameters": (*_EVERYWHERE, "continuous"),
    "naive-bayes": (*_EVERYWHERE, "ranges"),
    "tan": (*_EVERYWHERE, "ranges"),
    "classifier": _EVERYWHERE,
}
"""The options that each way takes."""


@dataclass(frozen=True)
class LearnedModel:
    """A model, the number of rows behind it, what to say, and the classifier that has held-out scores."""

    model: Any
    rows: float
    sentences: list[str]
    network: Network | None
    classifier: Any = None
    details: list[str] = field(default_factory=list)
    gains: dict[tuple[Name, Name], float] = field(default_factory=dict)


def learned_model(table: TableFile, request: JobRequest, known: Network | None) -> LearnedModel:
    """Learn what a request asks for; ``known`` has the arcs of ``arcs_of``."""
    return _WAYS[request.learn](table, request, known)


def check_members(request: JobRequest) -> None:
    """Raise if a request has members or options that do not go with what is to be learned."""
    plain = LearnOptions()
    for name in plain.__struct_fields__:
        given = getattr(request.options, name) != getattr(plain, name)
        if given and name not in _OPTIONS[request.learn]:
            takes = [way for way, options in _OPTIONS.items() if name in options]
            raise BadQuestion(f"The option {name!r} goes with {listed(takes)}, not with {request.learn!r}.")
    if (request.target is None) == (request.learn in ("naive-bayes", "tan", "classifier")):
        needed = "needs a target: the column to predict" if request.target is None else "has no target"
        raise BadQuestion(f"{request.learn!r} {needed}.")
    if request.classifier is not None and request.learn != "classifier":
        raise BadQuestion('The member \'classifier\' goes with "learn": "classifier".')
    sources = (request.arcs is not None) + (request.arcs_of is not None)
    if sources != (request.learn == "parameters"):
        raise BadQuestion("Known arcs (one of 'arcs' and 'arcs_of') go with 'parameters', which needs them.")


def _structure(table: TableFile, request: JobRequest, known: Network | None) -> LearnedModel:
    options = request.options
    given: dict[str, Any] = {
        "score": options.score,
        "max_parents": options.max_parents,
        "require": _pairs(table, options.require),
        "forbid": _pairs(table, options.forbid),
        "tiers": [[table.known_name(name) for name in tier] for tier in options.tiers] or None,
        "time": options.seconds,
    }
    given = {name: value for name, value in given.items() if value is not None}
    return _searched(table, request, method=options.method or "auto", seed=options.seed, **given)


def _tree(table: TableFile, request: JobRequest, known: Network | None) -> LearnedModel:
    return _searched(table, request, method="chow-liu")


def _searched(table: TableFile, request: JobRequest, **chosen: Any) -> LearnedModel:
    from bayou.models.structures.structure_learning import learn_structure

    options = request.options
    ignore, continuous = _names(table, options.ignore), _names(table, options.continuous)
    declared = _declared(table, options)
    cut = _cut_equally(table, options, declared, continuous, request.learn == "structure")
    net = learn_structure(
        table.path,
        ignore=ignore,
        continuous=continuous,
        **declared,
        **_weighed(table, options),
        **chosen,
    )
    report = net.learned_structure
    assert report is not None
    rows = net.statistics.rows
    sentences = [
        f"A network of {_size(net)}, learned from {counted(rows, 'row')}.",
        *([] if report.finished else ["The search was stopped by its time limit: it is the best so far."]),
        *report.notes,
        *told_equal_cuts(net.variables, cut),
    ]
    alone = [label(name) for name in net.names if not net.parents(name) and not net.children(name)]
    if alone:
        sentences.append(f"Without any arc: {', '.join(alone)}.")
    details = [
        f"Found by {report.method}, with the score {_signed(report.score)} "
        f"({report.score_name}; higher fits better)."
    ]
    gains = {(arc.parent, arc.child): arc.gain for arc in report.arcs}
    return LearnedModel(net, rows, sentences, net, details=details, gains=gains)


def _parameters(table: TableFile, request: JobRequest, known: Network | None) -> LearnedModel:
    from bayou.graphs import Dag
    from bayou.models.network import Network

    options = request.options
    declared = _declared(table, options)
    prior = {"prior": declared.pop("prior")} if "prior" in declared else {}
    states = declared.get("states", {})
    numbers = _names(table, options.continuous)
    if options.ignore:
        raise BadQuestion("With known arcs all other columns are left out: 'ignore' is not needed.")
    if known is None:
        net = Network(Dag.from_text(request.arcs or ""), states=states, continuous=numbers)
    else:
        own = {name: one for name, one in known.parts()[2].items() if name not in (*states, *numbers)}
        net = Network(known.dag, states={**own, **states}, continuous=numbers, share=known.sharing)
    net.fit(table.path, **prior, **_weighed(table, options))
    rows = net.statistics.rows
    sentences = [f"The tables of {_size(net)}, learned from {counted(rows, 'row')}."]
    trace = net.learning
    if trace is not None and trace.objectives:
        sentences.append(f"{counted(trace.gaps, 'gap')}. {trace.summary}")
    return LearnedModel(net, rows, sentences, net)


def _naive_bayes(table: TableFile, request: JobRequest, known: Network | None) -> LearnedModel:
    from bayou.estimators.networks.tree_classifiers import KDependence

    # Without arcs between features it is naive Bayes, whose network has the counts behind its tables.
    return _network_of(table, request, KDependence(0, evidence_weight=1), "A naive Bayes network")


def _tan(table: TableFile, request: JobRequest, known: Network | None) -> LearnedModel:
    from bayou.estimators.networks.tree_classifiers import TAN

    return _network_of(table, request, TAN(evidence_weight=1), "A tree-augmented naive Bayes network")


def _network_of(table: TableFile, request: JobRequest, classifier: Any, what: str) -> LearnedModel:
    """The network of a classifier without powers of tables: what is scored is what the network answers."""
    options = request.options
    settings = _declared(table, options)
    apart = [*_names(table, options.ignore), *_names(table, [request.target])]
    cut = _cut_equally(table, options, settings, apart)
    classifier.set_params(**settings)
    rows = _fitted(table, request, classifier)
    net, target = classifier.network_, label(classifier.target_)
    sentences = [f"{what} that predicts {target}, learned from {counted(rows, 'row')}: {_size(net)}."]
    sentences += told_equal_cuts(net.variables, cut)
    sentences += told_separating_cuts(net.variables, classifier.target_, settings.get("states", {}))
    return LearnedModel(net, rows, sentences, net, classifier)


def _classifier(table: TableFile, request: JobRequest, known: Network | None) -> LearnedModel:
    from bayou.estimators.classifier_names import classifier_class

    maker = classifier_class(request.classifier or "nb")
    settings = _settings(table, request)
    for name in settings:
        if name not in maker._get_param_names():
            option = {"prior": "smoothing"}.get(name, name)
            raise BadQuestion(f"The classifier {maker.__name__} does not take the option {option!r}.")
    model = maker(**settings)
    rows = _fitted(table, request, model)
    told = f"{maker.__name__} that predicts {label(model.target_)}, learned from {counted(rows, 'row')}."
    return LearnedModel(model, rows, [told], None, model)


def _fitted(table: TableFile, request: JobRequest, model: Any) -> float:
    """Fit a classifier to the rows that have a class; return their number."""
    from bayou.estimators.input.labelled_file import open_labelled_file

    assert request.target is not None
    weights = _weighed(table, request.options).get("weights")
    rows = open_labelled_file(
        table.path, table.known_name(request.target), _names(table, request.options.ignore), weights
    )
    model.fit(rows.rows, rows.rows.target)
    return float(rows.counts.total)


def _settings(table: TableFile, request: JobRequest) -> dict[str, Any]:
    return _declared(table, request.options)


def _declared(table: TableFile, options: LearnOptions) -> dict[str, Any]:
    """The declared states and cuts, and the prior, if there are any."""
    from bayou.distributions import Laplace
    from bayou.schema import Cuts

    states: dict[Name, Any] = {}
    for listing in options.states:
        states[table.known_name(listing.column)] = [decoded(state) for state in listing.states]
    for cutting in options.cuts:
        name = table.known_name(cutting.column)
        if name in states:
            raise BadQuestion(f"The column {name!r} is given both states and cuts: choose one.")
        states[name] = Cuts(*cutting.at)
    found: dict[str, Any] = {"states": states} if states else {}
    return found if options.smoothing is None else {**found, "prior": Laplace(options.smoothing)}


def _cut_equally(
    table: TableFile,
    options: LearnOptions,
    declared: dict[str, Any],
    apart: Sequence[Name],
    only_whole: bool = False,
) -> dict[Name, Any]:
    """Declare the cuts of the option ``ranges`` besides the others; return them."""
    if options.ranges is None:
        return {}
    states = declared.get("states", {})
    weights = [] if options.weights is None else _names(table, [options.weights])
    others = {*apart, *states, *weights, *_names(table, options.ignore)}
    cut = equal_cuts(table, options.ranges, others, only_whole)
    if cut:
        declared["states"] = {**states, **cut}
    return cut


def _weighed(table: TableFile, options: LearnOptions) -> dict[str, Any]:
    return {} if options.weights is None else {"weights": table.known_name(options.weights)}


def _names(table: TableFile, values: Sequence[Any]) -> list[Name]:
    return [table.known_name(value) for value in values]


def _pairs(table: TableFile, arcs: Sequence[Arc]) -> list[tuple[Name, Name]] | None:
    return [(table.known_name(arc.parent), table.known_name(arc.child)) for arc in arcs] or None


def _size(net: Network) -> str:
    return f"{counted(len(net.names), 'variable')}, {counted(len(net.arcs), 'arc')}"


_WAYS: dict[str, Callable[[TableFile, JobRequest, Any], LearnedModel]] = {
    "structure": _structure,
    "chow-liu": _tree,
    "parameters": _parameters,
    "naive-bayes": _naive_bayes,
    "tan": _tan,
    "classifier": _classifier,
}


def _signed(score: float) -> str:
    return f"{score:,.1f}".replace("-", "−")
