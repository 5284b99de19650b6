"""References of the kernels of the members of pools: dependence tables, class trees, boosted trees."""
