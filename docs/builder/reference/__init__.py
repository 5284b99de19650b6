"""The reference: public names, their docstrings, and what is missing in these."""
