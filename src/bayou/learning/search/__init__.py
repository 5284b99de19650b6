"""Searches for structures by score, and trees."""
