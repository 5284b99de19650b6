"""Sampling: random rows, with findings too, and engines that estimate posteriors from random draws."""
