"""The members of the ensemble: how each kind is grown, what it says of a row, and what a file holds of it."""
