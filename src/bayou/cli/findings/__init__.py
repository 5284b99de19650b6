"""Commands about findings: which to ask for next, and which contradict each other."""
