"""Classes with a normal distribution of all numbers together."""
