"""Sequences: hidden Markov chains as two-slice networks, their kernels, and the E-step of their learning."""
