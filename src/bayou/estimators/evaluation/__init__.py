"""How good a classifier is on rows it has not seen."""
