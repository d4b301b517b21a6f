"""Restart stores that ended while in use, and report it."""

from wirelab.bundle import Bundle
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer


def restart_ended_stores(laboratory: Laboratory, bundle: Bundle, observer: Observer) -> bool:
    """Restart wirelab's own stores that have ended; return whether any had.

    Raises `LabError` if one does not start.
    """
    ended = laboratory.stores.why_ended()
    for store, reason in ended.items():
        observer.note(f"restarting the store {store}: {reason}")
        restarted = laboratory.stores.restart(store)
        bundle.append_event("store restarted", store=store, seconds=restarted.seconds)
    return bool(ended)
