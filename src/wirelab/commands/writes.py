"""The announcement before data of the user are changed."""

from collections.abc import Sequence

from wirelab.terminal.console import note


def announce_writes(operations: Sequence[str], reset: str | None) -> None:
    """Print which operations that change data will be sent, and what restores the data."""
    if operations:
        after = f"`{reset}` restores the data" if reset else "nothing is restored"
        note(f"will write: {', '.join(operations)}, to every server; {after}")
