"""What networks show (titles, positions, colours, submodels) in the files of other programs."""
