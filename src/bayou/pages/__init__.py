"""Floor 9: the explorer's page in one file, with the network in it; where a notebook runs, and its frame."""
