"""The pictures of a report: each function takes findings and a width, and returns a chart."""
