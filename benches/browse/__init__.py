"""How soon `wirelab browse` shows a hundred bundles, and two of them side by side."""
