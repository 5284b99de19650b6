"""The requests and answers of jobs that learn."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from bayou.server.messages import Message, Value

Way = Literal["structure", "naive-bayes", "tan", "chow-liu", "parameters", "classifier"]
"""What is learned: all of them give a network but ``classifier``."""
Classifier = Literal["nb", "tan", "aode", "kdb", "chow-liu", "gaussian", "text"]
"""The classifiers of ``bayou fit --model``."""
Method = Literal["auto", "hill-climbing", "tabu", "ges", "order", "exact", "pc", "chow-liu", "structural-em"]
"""The searches of ``bayou structure --method``."""
State = Literal["waiting", "running", "done", "failed", "cancelled"]


class Arc(Message):
    """An arc."""

    parent: Value
    child: Value


class ColumnCuts(Message):
    """Where a column of numbers is cut into ranges."""

    column: Value
    at: Annotated[list[float], Meta(min_length=1, max_length=1000)]


class ColumnStates(Message):
    """The states of a column, in order."""

    column: Value
    states: Annotated[list[Value], Meta(min_length=1, max_length=10_000)]


class LearnOptions(Message, omit_defaults=True):
    """How to learn; each option goes with the ways that its comment names, and is refused with others."""

    ignore: list[Value] = field(default_factory=list)
    """All ways: columns that are left out."""
    weights: Value | None = None
    """All ways but classifiers of words: the column with the weight of each row."""
    cuts: list[ColumnCuts] = field(default_factory=list)
    states: list[ColumnStates] = field(default_factory=list)
    """All ways: columns that are declared; others are read as the library reads them."""
    ranges: Annotated[int, Meta(ge=2, le=20)] | None = None
    """structure, chow-liu, naive-bayes, tan: columns of numbers with more than ten different values that are
    not declared are cut into so many ranges with about as many rows each; in structure only those of whole
    numbers, for the others stay real numbers."""
    continuous: list[Value] = field(default_factory=list)
    """structure, chow-liu, parameters: columns of whole numbers that are quantities."""
    smoothing: Annotated[float, Meta(ge=0)] | None = None
    """All ways but classifiers of densities: what is added to every count."""
    method: Method | None = None
    score: Literal["bic", "aic", "bdeu", "bds", "k2", "loglik"] | None = None
    max_parents: Annotated[int, Meta(ge=0)] | None = None
    require: list[Arc] = field(default_factory=list)
    forbid: list[Arc] = field(default_factory=list)
    tiers: list[list[Value]] = field(default_factory=list)
    seconds: Annotated[float, Meta(gt=0)] | None = None
    """structure: the search ends after this time with the best network so far."""
    seed: Annotated[int, Meta(ge=0)] = 0


class JobRequest(Message, omit_defaults=True):
    """What to learn from which table."""

    table: str
    learn: Way
    target: Value | None = None
    """naive-bayes, tan, classifier: the column to predict."""
    classifier: Classifier | None = None
    """classifier: which one (none: naive Bayes)."""
    arcs: Annotated[str, Meta(max_length=1_000_000)] | None = None
    """parameters: the known arcs as text, ``A, B -> C; C -> D``."""
    arcs_of: str | None = None
    """parameters: or the arcs and the states of a network that the server has (a name or a revision)."""
    compare_with: str | None = None
    """A network that the server has: the answer tells which arcs differ."""
    options: LearnOptions = field(default_factory=LearnOptions)


class Progress(Message):
    """What the library is doing, and how many steps of it are done."""

    task: str
    done: int


class ArcDifferences(Message):
    """The arcs of the learned network against those of another one, among the variables of both."""

    revision: str
    added: list[Arc]
    lost: list[Arc]
    turned: list[Arc]
    """As they are in the learned network."""
    common: list[Arc]
    only_learned: list[Any]
    """Variables that only the learned network has."""
    only_other: list[Any]


class ClassScores(Message):
    """Scores on rows that the model was not learned from, by cross-validation."""

    folds: int
    rows: int
    accuracy: float
    balanced_accuracy: float
    log_loss: float
    brier: float
    accuracy_of_most_frequent: float
    """The accuracy of always saying the most frequent class."""


class ArcGain(Message):
    """An arc that was learned, and by how much the score falls without it."""

    parent: Any
    child: Any
    gain: float | None


class LearnedFacts(Message):
    """What there is to say about a model that was learned."""

    kind: Literal["network", "classifier"]
    sentences: list[str]
    """What was learned, from how many rows, in plain words."""
    details: list[str]
    """How it was learned, for those who know the methods: the search and its score."""
    notes: list[str]
    """What the library remarked about the data."""
    rows: float
    seconds: float
    arcs: list[ArcGain]
    differences: ArcDifferences | None = None
    scores: ClassScores | None = None


class Learned(LearnedFacts, kw_only=True):
    """What a job has learned: a new revision, and what there is to say about it."""

    revision: str


class Job(Message):
    """A job: its state, and its result or problem when it has ended."""

    job: str
    state: State
    table: str
    learn: Way
    target: Any
    seconds: float
    """How long it has been running."""
    progress: Progress | None = None
    result: Learned | None = None
    problem: dict[str, Any] | None = None
