"""Cases: named sets of findings, kept in Netica's case files or in CSV."""
