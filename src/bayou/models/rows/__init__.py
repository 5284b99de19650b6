"""Answers for every row of a table, in memory or in a file, and rows drawn from a network."""
