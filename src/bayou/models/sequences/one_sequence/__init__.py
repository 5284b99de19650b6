"""Questions about one sequence that is given as it is used: the short way."""
