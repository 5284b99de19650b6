"""Netica's text files (``.dne``): blocks and lists, the reader, the writer."""
