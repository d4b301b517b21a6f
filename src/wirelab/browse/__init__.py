"""Many bundles on one page: a list, comparisons, and the report of each."""
