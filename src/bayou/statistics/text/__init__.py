"""Words counted by class."""
