"""Floor 11: models, posteriors and answers as plain documents and streams, for the command line and servers."""
