"""Models, posteriors and predictions as JSON documents and streams, for the command line and servers."""
