"""Random rows: forward sampling, and Gibbs sampling of missing cells."""
