"""Restart stores that failed while in use, and report it."""

from wirelab.bundle import Bundle
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer


def restart_failed_stores(
    laboratory: Laboratory, bundle: Bundle, observer: Observer, *, suspected: bool = False
) -> bool:
    """Restart wirelab's own stores that have ended; return whether any had.

    If a store is `suspected` of a failure, those that run but do not work are restarted, too.
    Raises `LabError` if one does not start.
    """
    stores = laboratory.stores
    failed = stores.why_failed() if suspected else stores.why_ended()
    for store, reason in failed.items():
        observer.note(f"restarting the store {store}: {reason}")
        restarted = stores.restart(store)
        bundle.append_event("store restarted", store=store, seconds=restarted.seconds)
    return bool(failed)
