"""Floor 13: the statistics of some rows for one model: counted, added, saved, and turned into the model."""
