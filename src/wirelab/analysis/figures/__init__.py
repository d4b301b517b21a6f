"""Values to draw: time series, curves, costs, and the figures of papers."""
