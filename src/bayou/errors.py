"""Every kind of error that bayou raises on purpose, with the messages that several rooms share.

Catch :class:`BayouError` for all of them, or the built-in class that each also inherits from
(``ValueError``, ``KeyError``, ``MemoryError`` …).

>>> try:
...     raise UnknownVariable.named("smoker", ["smoke", "lung"])
... except KeyError as error:
...     print(error)
There is no variable 'smoker'. Did you mean 'smoke'? The variables are: 'smoke', 'lung'.
"""

from __future__ import annotations

import re
import reprlib
import sys
import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from bayou.suggestions import did_you_mean, is_number

_LISTED = 12
_LONGEST_QUOTE = 120
_LONGEST_WORD = 400
_LONGEST_MESSAGE = 4_000
_QUOTED = re.compile(r"""(?<!\w)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_MANY_NUMBERS = 20
EXTRAS = {
    "matplotlib": "plot",
    "pandas": "frames",
    "polars": "frames",
    "pyarrow": "frames",
    "psycopg": "postgres",
    "sqlalchemy": "sql",
    "ibis-framework": "sql",
    "pyspark": "spark",
    "starlette": "explore",
    "uvicorn": "explore",
    "msgspec": "explore",
    "httptools": "serve",
    "uvloop": "serve",
}
"""Packages that are not always there, with the extra of bayou that installs them."""
_silent: ContextVar[bool] = ContextVar("silent", default=False)


def listed(values: Iterable[object], limit: int = _LISTED) -> str:
    """Quote at most ``limit`` values, and say how many more there are.

    >>> listed(["a", 1], limit=1)
    "'a' and 1 more"
    """
    shown = [repr(value) for value in values]
    if len(shown) <= limit:
        return ", ".join(shown)
    return f"{', '.join(shown[:limit])} and {len(shown) - limit} more"


def counted(number: float, noun: str) -> str:
    """Return a number with its noun in the singular or plural; weights need not be whole.

    >>> counted(1, "row"), counted(2000, "class"), counted(3e6, "row"), counted(2.5, "row")
    ('1 row', '2,000 classes', '3,000,000 rows', '2.5 rows')
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number_text(number)} {noun}{'es' if noun.endswith('s') else 's'}"


def number_text(number: float) -> str:
    """Return a count or a sum of weights with its digits: no powers of ten below 10¹⁵.

    >>> number_text(3e6), number_text(1234567.25), number_text(0.125)
    ('3,000,000', '1,234,567.25', '0.125')
    """
    if isinstance(number, int) or (abs(number) < 1e15 and float(number).is_integer()):
        return f"{int(number):,}"
    if 1000 <= abs(number) < 1e15:
        return f"{number:,.2f}".rstrip("0").rstrip(".")
    return f"{number:,.6g}"


def shortened(message: str) -> str:
    """Shorten what a message quotes, so that no message is longer than a person reads.

    >>> shortened(f"{'x' * 5_000!r} is not a number.")[-50:]
    "xxxxxxxxxxxx…' (5,000 characters) is not a number."
    >>> shortened("The variable's name is 'Rain'.")
    "The variable's name is 'Rain'."
    """
    if len(message) <= _LONGEST_QUOTE:
        return message
    message = _QUOTED.sub(_short_quote, message)
    words = [_short_word(word) for word in message.split(" ")]
    message = " ".join(words)
    if len(message) > _LONGEST_MESSAGE:
        half = _LONGEST_MESSAGE // 2
        message = f"{message[:half]} … {message[-half:]}"
    return message


def _short_quote(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) <= _LONGEST_QUOTE + 2:
        return text
    return f"{text[: _LONGEST_QUOTE // 2]}…{text[0]} ({len(text) - 2:,} characters)"


def _short_word(word: str) -> str:
    return word if len(word) <= _LONGEST_WORD else f"{word[: _LONGEST_QUOTE // 2]}…{word[-20:]}"


class BayouError(Exception):
    """The base class of all errors that bayou raises on purpose; what its message quotes is shortened.

    >>> import bayou
    >>> try:
    ...     bayou.examples.asia().query("lungs")
    ... except bayou.BayouError as error:
    ...     print(type(error).__name__)
    UnknownVariable
    """

    def __str__(self) -> str:
        # KeyError would print the repr of its message, quotes and all.
        return shortened(str(self.args[0])) if self.args else ""


class UnknownVariable(BayouError, KeyError):
    """A name that no variable has.

    >>> import bayou
    >>> bayou.examples.asia().query("lungs")
    Traceback (most recent call last):
    bayou.errors.UnknownVariable: There is no variable 'lungs'. Did you mean 'lung'? The variables are: ...
    """

    @classmethod
    def named(cls, name: object, known: Sequence[Hashable], where: str = "") -> UnknownVariable:
        place = f" {where}" if where else ""
        names = f" The variables are: {listed(known)}." if known else " There are no variables yet."
        given = reprlib.repr(name) if isinstance(name, list | tuple) else repr(name)
        return cls(f"There is no variable {given}{place}.{did_you_mean(name, known)}{names}")

    @classmethod
    def misspelt(cls, name: object, meant: object) -> UnknownVariable:
        kinds = f" (a {type(meant).__name__}, not a {type(name).__name__})" if str(name) == str(meant) else ""
        return cls(
            f"There is no feature {name!r}. Did you mean {meant!r}{kinds}? Rename the column, or leave it "
            "out of the data."
        )


def _many_numbers(variable: object, states: Sequence[Hashable]) -> str:
    """The remedy for a variable that has a state for each of many numbers; "" for any other."""
    if len(states) <= _MANY_NUMBERS or not all(map(is_number, states)):
        return ""
    return (
        f" Each number is a state of its own: to treat them as real numbers, declare continuous="
        f"[{variable!r}]; to cut them into ranges, states={{{variable!r}: bayou.Cuts([…])}}."
    )


class UnknownState(BayouError, ValueError):
    """A value that is not one of a variable's states.

    >>> import bayou
    >>> bayou.examples.asia().query("lung", given={"xray": "Yes"})
    Traceback (most recent call last):
    bayou.errors.UnknownState: 'Yes' is not a state of 'xray'. Did you mean 'yes'? Its ...
    """

    @classmethod
    def of(cls, variable: object, value: object, states: Sequence[Hashable], where: str = "") -> UnknownState:
        place = f" {where}" if where else ""
        return cls(
            f"{value!r}{place} is not a state of {variable!r}.{did_you_mean(value, states)}"
            f" Its states are: {listed(states)}.{_many_numbers(variable, states)}"
        )

    @classmethod
    def outside(cls, variable: object, value: object, cuts: object) -> UnknownState:
        return cls(f"{value!r} lies outside the declared range of {variable!r}: {cuts!r}. Widen the range.")


class BadVariable(BayouError, ValueError):
    """A variable that cannot be declared like this (no states, the same state twice, …).

    >>> import bayou
    >>> bayou.Cuts(3, 1)
    Traceback (most recent call last):
    bayou.errors.BadVariable: Cuts must ascend, but 3 comes before 1. Write Cuts(1, 3).
    """


class BadGraph(BayouError, ValueError):
    """Arcs that do not make a directed acyclic graph, or arrow text that cannot be read.

    >>> import bayou
    >>> bayou.Network("a -> b -> a")
    Traceback (most recent call last):
    bayou.errors.BadGraph: The arcs form a cycle: a -> b -> a. Remove or reverse one of them.
    """

    @classmethod
    def cycle(cls, names: Sequence[object]) -> BadGraph:
        cycle = " -> ".join(str(name) for name in (*names, names[0]))
        return cls(f"The arcs form a cycle: {cycle}. Remove or reverse one of them.")

    @classmethod
    def unknown(cls, name: object, known: Sequence[Hashable], where: str) -> BadGraph:
        return cls(
            f"{where} names {name!r}, which is not a node.{did_you_mean(name, known)}"
            f" The nodes are: {listed(known)}."
        )

    @classmethod
    def at(cls, line: int, column: int, text: str, problem: str) -> BadGraph:
        return cls(f"Line {line}, column {column} of the arrow text ({text.strip()!r}): {problem}")


class BadTable(BayouError, ValueError):
    """A probability table with the wrong shape, a negative entry or a row that does not sum to 1.

    >>> import bayou
    >>> bayou.Network("Rain", tables={"Rain": {"no": 0.5, "yes": 0.6}})
    Traceback (most recent call last):
    bayou.errors.BadTable: P(Rain) sums to 1.1, not to 1 (off by +0.1). Correct it, or ...
    """


class BadPrior(BayouError, ValueError):
    """A prior that does not fit what it is used for.

    >>> import bayou
    >>> bayou.Laplace(-1)
    Traceback (most recent call last):
    bayou.errors.BadPrior: Laplace: strength must be finite and not negative, not -1.
    """


class BadData(BayouError, ValueError):
    """A data set that cannot be read as a table, or that lacks a column.

    >>> import bayou
    >>> bayou.learn_structure({})
    Traceback (most recent call last):
    bayou.errors.BadData: The table has no columns.
    """

    @classmethod
    def lacks(cls, names: Sequence[Hashable], columns: Sequence[Hashable]) -> BadData:
        hints = filter(None, (did_you_mean(name, columns) for name in names))
        return cls(
            f"The data have no column for any of {listed(names)}.{next(hints, '')} "
            f"The columns are: {listed(columns)}."
        )

    @classmethod
    def without_classes(cls, target: Hashable) -> BadData:
        return cls(f"No row has a value in the target column {target!r}: there is nothing to learn from.")


class BadFile(BayouError, ValueError):
    """A file that cannot be read; the message has the file, the line, the column and what was expected.

    >>> import bayou
    >>> bayou.load("nowhere.bif")
    Traceback (most recent call last):
    bayou.errors.BadFile: nowhere.bif: cannot be read: No such file or directory.
    """

    @classmethod
    def at(cls, path: object, problem: str, line: int | None = None, column: int | None = None) -> BadFile:
        place = "" if line is None else f", line {line}" + ("" if column is None else f", column {column}")
        return cls(f"{path}{place}: {problem}")


class BadStatistics(BayouError, ValueError):
    """Statistics that do not fit together, or a subtraction of rows that were never added.

    >>> import bayou
    >>> dry, wet = (bayou.NaiveBayes().fit({"sky": [sky] * 2}, ["no", "yes"]) for sky in ("blue", "grey"))
    >>> dry.statistics_ - wet.statistics_
    Traceback (most recent call last):
    bayou.errors.BadStatistics: ...
    """


class BadQuestion(BayouError, ValueError):
    """A query or an argument that contradicts itself or cannot be understood.

    >>> import bayou
    >>> bayou.examples.asia().query("lung", given={"lung": "yes"})
    Traceback (most recent call last):
    bayou.errors.BadQuestion: 'lung' is both asked for and given; leave it out of one of them.
    """

    @classmethod
    def choice(cls, what: str, given: object, known: Sequence[Hashable]) -> BadQuestion:
        return cls(
            f"{what}={given!r} is unknown.{did_you_mean(given, known)} The choices are: {listed(known)}."
        )

    @classmethod
    def option(cls, name: str, of: str, known: Sequence[str]) -> BadQuestion:
        return cls(
            f"{of} has no option {name!r}.{did_you_mean(name, known)} "
            f"The options are: {', '.join(map(str, known))}."
        )


class NotAvailable(BadQuestion, AttributeError):
    """An attribute that this model does not have, because of how it was made: ``hasattr`` answers False.

    >>> import bayou
    >>> filtered = bayou.ParticleFilter(bayou.examples.casino(), 100).filter([6, 6])
    >>> filtered.mean
    Traceback (most recent call last):
    bayou.errors.NotAvailable: States have no mean: see .probabilities.
    >>> hasattr(filtered, "mean")
    False
    """


class ImpossibleEvidence(BayouError, ValueError):
    """Findings whose probability is zero under the model.

    >>> import bayou
    >>> bayou.examples.asia().query("smoke", given={"either": "no", "lung": "yes"})
    Traceback (most recent call last):
    bayou.errors.ImpossibleEvidence: ...
    """

    @classmethod
    def conflict(cls, findings: Sequence[str]) -> ImpossibleEvidence:
        return cls(
            "These findings cannot occur together under this network (their probability is 0): "
            f"{', '.join(findings)}. Remove or correct one of them: net.nearest_findings(given) says which."
        )


class TooWide(BayouError, MemoryError):
    """A computation whose tables would not fit into memory; refused before anything is allocated.

    >>> import bayou
    >>> with bayou.limits(memory=1000):
    ...     bayou.examples.alarm().query("HYPOVOLEMIA", engine="enumeration")
    Traceback (most recent call last):
    bayou.errors.TooWide: ...
    """


class Disagreement(BayouError, ArithmeticError):
    """Two engines that should give the same answer gave different ones.

    >>> raise Disagreement.between("elimination", "enumeration", 0.25, 1e-9)
    Traceback (most recent call last):
    bayou.errors.Disagreement: The engines 'elimination' and 'enumeration' disagree by 0.25 ...
    """

    @classmethod
    def between(cls, first: str, second: str, gap: float, most: float) -> Disagreement:
        return cls(
            f"The engines {first!r} and {second!r} disagree by {gap:.2g} (at most {most:g} is expected). One "
            "of them is wrong or has lost precision: do not trust this answer, and please report it."
        )


class NotFitted(BayouError, AttributeError):
    """A model that has no parameters yet.

    >>> import bayou
    >>> bayou.Network("a -> b").query("a")
    Traceback (most recent call last):
    bayou.errors.NotFitted: No distribution yet for 'a', 'b'. Fit the network (net.fit(data)) or ...
    """

    @classmethod
    def missing(cls, names: Iterable[object]) -> NotFitted:
        return cls(
            f"No distribution yet for {listed(names)}. Fit the network (net.fit(data)) "
            "or set its table (net.set_cpt(name, table))."
        )


class NoConvergence(BayouError, ArithmeticError):
    """An iteration that did not converge; the message says how far from convergence it was.

    >>> import bayou
    >>> same = {"a": [0.5, 0.5], "b": [[1, 0], [0, 1]]}
    >>> net = bayou.Network("a -> b", states={"a": [0, 1], "b": [0, 1]}, tables=same)
    >>> net.query("a", marginal={"a": [0.3, 0.7], "b": [0.6, 0.4]})
    Traceback (most recent call last):
    bayou.errors.NoConvergence: ...
    """


class NoEstimate(BayouError, ArithmeticError):
    """An answer that cannot be computed: no random draw fits, or numbers are too small for doubles.

    >>> import bayou
    >>> rare = {"asia": "yes", "tub": "yes", "lung": "yes"}
    >>> bayou.examples.asia().query("smoke", rare, engine="rejection", samples=100, seed=1)
    Traceback (most recent call last):
    bayou.errors.NoEstimate: No consistent sample in 100 draws: the findings are impossible, or too ...
    """

    @classmethod
    def no_sample(cls, draws: int, engine: str, *, more: str = "") -> NoEstimate:
        """``more`` says what might help this engine; the others are named, too."""
        first, second = [name for name in ("weighting", "gibbs", "bounds") if name != engine][:2]
        return cls(
            f"No consistent sample in {counted(draws, 'draw')}: the findings are impossible, or too unlikely "
            f'for engine="{engine}". {more and f"{more[0].upper()}{more[1:]}, "}'
            f'{"try" if more else "Try"} engine="{first}" or engine="{second}", or remove a finding.'
        )


class MissingPackage(BayouError, ImportError):
    """An optional package that the call needs.

    >>> print(MissingPackage.needed("matplotlib", "A plot"))
    A plot needs the package 'matplotlib': pip install 'bayou[plot]'
    """

    @classmethod
    def needed(cls, package: str, purpose: str) -> MissingPackage:
        install = f"'bayou[{EXTRAS[package]}]'" if package in EXTRAS else package
        return cls(f"{purpose} needs the package {package!r}: pip install {install}")


class BayouWarning(UserWarning):
    """The class of every warning that bayou gives.

    >>> import bayou
    >>> rows = {"wind": ["weak", "strong"]}
    >>> model = bayou.NaiveBayes().fit(rows, ["yes", "no"])
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     answer = model.predict({"wind": ["none"]})
    >>> told[0].category.__name__
    'BayouWarning'
    """


def warn_user(message: str) -> None:
    """Give a :class:`BayouWarning` that points at the line of user code, not at a line inside bayou.

    >>> with warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always")
    ...     warn_user("The column 'id' is constant.")
    >>> print(given[0].message)
    The column 'id' is constant.
    """
    if _silent.get():
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_in_bayou(frame.f_globals.get("__name__")):
        frame, level = frame.f_back, level + 1
    warnings.warn(shortened(message), BayouWarning, stacklevel=level)


def warn_of_unlabelled(target: object, missing: int, first: int) -> None:
    """Warn of rows without a class, which are left out; ``first`` is the number of the first of them."""
    are, where = ("is", "row") if missing == 1 else ("are", "the first is row")
    warn_user(
        f"{counted(missing, 'row')} without a class in {target!r} {are} left out: {where} {first} "
        "(counting from 0)."
    )


@contextmanager
def without_warnings() -> Iterator[None]:
    """Give no :class:`BayouWarning` inside the ``with`` block, in this thread only.

    >>> with without_warnings():
    ...     warn_user("The column 'id' is constant.")
    """
    before = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(before)


def _is_in_bayou(module: object) -> bool:
    # What is computed on first use is called by functools.
    return isinstance(module, str) and module.partition(".")[0] in ("bayou", "functools")
