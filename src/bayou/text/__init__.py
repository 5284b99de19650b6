"""Texts: tables for a terminal, quotes and brackets in what users write, LaTeX."""
