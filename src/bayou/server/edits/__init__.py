"""Edits of a network over HTTP: their forms, and the new revision that follows from them."""
