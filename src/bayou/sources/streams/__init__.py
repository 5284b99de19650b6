"""Streams: batches of rows from any iterator, and rows counted batch by batch, perhaps with their age."""
