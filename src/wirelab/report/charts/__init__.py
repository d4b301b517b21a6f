"""The charts of a report: each function converts findings to a chart of a given width."""
