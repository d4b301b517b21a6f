"""Clients for verification, independent of the load engine."""
