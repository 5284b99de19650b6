"""Uploaded tables: kept by content hash in a folder of the server, read by worker processes only."""
