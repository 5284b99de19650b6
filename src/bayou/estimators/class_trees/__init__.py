"""Members of pools that are trees: class trees (counts that back off) and boosted trees (gradients)."""
