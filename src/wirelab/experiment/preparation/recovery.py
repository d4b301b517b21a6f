"""Recover from stores that fail while in use: restart them, and report it."""

from wirelab.experiment.context import RunContext
from wirelab.experiment.events import Note

ATTEMPTS = 2
"""Maximum number of attempts at a block, a capacity or a verification after temporary failures, and
of complete attempts at a block of whose time the host stole more than half."""


def restart_failed_stores(context: RunContext) -> bool:
    """Restart wirelab's own stores that have ended or do not work; return whether any had failed.

    Raises `LabError` if one does not start.
    """
    stores = context.laboratory.stores
    failed = stores.why_failed()
    for store, reason in failed.items():
        context.observer.on(Note(f"restarting the store {store}: {reason}"))
        restarted = stores.restart(store)
        context.bundle.append_event("store restarted", store=store, seconds=restarted.seconds)
    return bool(failed)
