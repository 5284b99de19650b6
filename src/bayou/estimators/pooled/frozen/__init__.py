"""Ensembles of many rows: a structure that stays, and the counts of all rows in it."""
