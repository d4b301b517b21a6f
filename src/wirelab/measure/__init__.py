"""Measuring: engine jobs and results, resource counters, bytes on the wire."""
