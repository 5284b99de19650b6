"""Answers in the kind of table that the caller holds, or in a file."""
