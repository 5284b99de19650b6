"""Plain numpy references of the compiled kernels: the specification, and the oracle of the tests."""
