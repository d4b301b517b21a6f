"""Threats to validity that can be detected automatically."""
