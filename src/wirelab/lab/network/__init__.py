"""Addresses, ports, proxies and emulated networks."""
