"""Restart stores that failed while in use, and report it."""

from wirelab.bundle import Bundle
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer


def restart_failed_stores(laboratory: Laboratory, bundle: Bundle, observer: Observer) -> bool:
    """Restart wirelab's own stores that have ended or do not work; return whether any had failed.

    Raises `LabError` if one does not start.
    """
    failed = laboratory.stores.why_failed()
    for store, reason in failed.items():
        observer.note(f"restarting the store {store}: {reason}")
        restarted = laboratory.stores.restart(store)
        bundle.append_event("store restarted", store=store, seconds=restarted.seconds)
    return bool(failed)
