"""Floor 11: models, posteriors and answers as documents and streams, for the command line and servers."""
