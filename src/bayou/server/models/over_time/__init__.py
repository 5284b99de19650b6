"""Models of sequences as a strip over time: findings at single steps in, beliefs of all steps out."""
