"""The largest loads and schedules, apart from their models, so that checks of options load none."""

MOST_CONNECTIONS = 60_000
"""The engine's maximum number of connections to a target."""
HIGHEST_RATE_PER_S = 1e8
"""The engine's maximum rate of a load with a schedule."""
MOST_BLOCKS = 10_000
"""Maximum number of blocks; a schedule lists them all, in memory."""
