"""How large a statement becomes, before it is written: databases read long and deep statements slowly."""

from __future__ import annotations

from collections.abc import Sequence

from bayou.errors import BadQuestion
from bayou.exporting.programs import ChainProgram, Program, ScoreProgram
from bayou.sources.databases.predictions.score_terms import BumpTable, NormalMatrix, ScoreTable, Term

MOST_CHARACTERS = 3_000_000
"""duckdb takes half a minute for a statement of 3 MB, and two minutes for one of 6 MB."""
MOST_COLUMNS = 1600
"""The columns of a query: PostgreSQL has at most 1664, SQLite 2000."""
MOST_NUMBERS = 40
"""The columns of a normal density with gaps: each is two queries inside each other."""
_OTHERWISE = "Export to Python or JavaScript, or "


def check_size(program: Program) -> None:
    """Raise BadQuestion, with a remedy, for what no database would read."""
    terms, groups = _terms(program)
    for term in terms:
        if isinstance(term, NormalMatrix) and term.gaps:
            _check_matrix(term, groups)
    size = statement_size(program)
    if size <= MOST_CHARACTERS:
        return
    kernels = [term.name for term in terms if isinstance(term, BumpTable)]
    remedy = f"{program.smaller}."
    if kernels:
        first = kernels[0]
        remedy = (
            f"model {first!r}, which is a sum over its kernels, otherwise: NaiveBayes({{{first!r}: "
            "'gaussian'}) or NaiveBayes({" + f"{first!r}: 'discretised'}})."
        )
    raise BadQuestion(
        f"This would be a statement of about {size / 1e6:.1f} million characters; at most "
        f"{MOST_CHARACTERS / 1e6:.0f} million are written. {_OTHERWISE}{remedy}"
    )


def statement_size(program: Program) -> int:
    """About how many characters the statement of sums of terms has."""
    terms, groups = _terms(program)
    return sum(_characters(term, groups) for term in terms)


def _terms(program: Program) -> tuple[Sequence[Term], int]:
    """The terms and how many groups they have."""
    if isinstance(program, ScoreProgram):
        return [term for each in program.components for term in each.terms], program.target.cardinality
    if isinstance(program, ChainProgram):
        return program.terms, len(program.start)
    return (), 0


def _characters(term: Term, groups: int) -> int:
    if isinstance(term, ScoreTable):
        return 55 * term.logs.size + 60 * groups
    if isinstance(term, BumpTable):
        return 145 * sum(map(len, term.bumps))
    if isinstance(term, NormalMatrix):
        n = len(term.numbers)
        if not term.gaps:
            return 60 * groups * n**2
        return 18 * len(term.covariances) * n**3 + 57 * groups * n**2 + 400 * groups * n
    return 250 * groups


def _check_matrix(term: NormalMatrix, groups: int) -> None:
    n = len(term.numbers)
    made = len(term.covariances) * n * (n + 1) // 2 + groups * n + n
    if n <= MOST_NUMBERS and made <= MOST_COLUMNS:
        return
    raise BadQuestion(
        f"With gaps in them, {n} numbers that depend on each other would be {2 * n} queries inside each "
        f"other with {made:,} columns; at most {2 * MOST_NUMBERS} and {MOST_COLUMNS:,} are written. "
        f"{_OTHERWISE}take the numbers as independent of each other (covariance='diagonal'), or fewer. "
        "A classifier's to_sql() is short, too, but has no answer for rows with gaps."
    )
