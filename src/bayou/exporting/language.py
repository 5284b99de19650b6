"""The base class of languages: a new one is one class that inherits it, and a line in ``languages``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from bayou.exporting.programs import ChainProgram, Limit, Program, ScoreProgram, TreeProgram


class Language(ABC):
    """Writes programs as text; options (such as the table of a query) are given to its constructor."""

    name: ClassVar[str]
    limit: ClassVar[Limit]

    def text(self, program: Program) -> str:
        """Return the text of a program; raise BadQuestion above the limit."""
        self.limit.check(program)
        if isinstance(program, ScoreProgram):
            return self.of_scores(program)
        if isinstance(program, TreeProgram):
            return self.of_tree(program)
        assert isinstance(program, ChainProgram)
        return self.of_chain(program)

    @abstractmethod
    def of_scores(self, program: ScoreProgram) -> str:
        """Write sums of terms by class."""

    @abstractmethod
    def of_tree(self, program: TreeProgram) -> str:
        """Write sums over a clique tree."""

    @abstractmethod
    def of_chain(self, program: ChainProgram) -> str:
        """Write a hidden Markov model."""
