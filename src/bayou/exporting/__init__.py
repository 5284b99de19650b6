"""Models as code: a question compiled once to a program, which each language writes down in its own words.

A program (``programs``) is data: columns of a row, tables, and which of the few kinds of arithmetic answers.
A language (``languages``) is a class that writes programs; ``python_parts`` and ``javascript_parts`` are the
arithmetic in these languages, which is copied beside the numbers of a model.
"""
