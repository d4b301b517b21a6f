"""What is said before data of somebody's own are changed."""

from collections.abc import Sequence

from wirelab.console import note


def announce_writes(operations: Sequence[str], reset: str | None) -> None:
    """Say which operations will be sent that change data, and what restores the data."""
    if operations:
        after = f"`{reset}` restores the data" if reset else "nothing is restored"
        note(f"will write: {', '.join(operations)}, to every server; {after}")
