"""Versions of one server over time: which commit changed it, and how it developed."""
