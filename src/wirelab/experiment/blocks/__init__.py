"""Blocks: fresh servers take turns, and the engine measures them."""
