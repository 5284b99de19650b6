"""Calls that raise what docstrings name, by subject; ``tests/site/test_raises.py`` makes them."""
