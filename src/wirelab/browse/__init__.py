"""Many bundles on one page: what they say, side by side, and the report of each."""
