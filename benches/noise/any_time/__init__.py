"""Verdicts at any time: the table behind them, computed again, and studies simulated with it."""
