"""Cases: files of named findings, and tests of a network with the rows of an uploaded table."""
