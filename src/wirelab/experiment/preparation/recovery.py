"""Recover from stores that fail while in use: restart them, report it, and try again."""

from collections.abc import Mapping
from contextlib import suppress

from wirelab.bundle import Bundle
from wirelab.errors import LabError
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.observer import Observer
from wirelab.experiment.place import Place
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.shortage import require_free_port
from wirelab.study import Workload
from wirelab.verify import Verification

ATTEMPTS = 2
"""Maximum number of attempts at a block, a capacity or a verification after temporary failures, and
of complete attempts at a block of whose time the host stole more than half."""


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


def verify_place(
    laboratory: Laboratory,
    bundle: Bundle,
    observer: Observer,
    place: Place,
    workloads: Mapping[str, Workload],
) -> Verification | LabError:
    """Verify a contender, and again if a store failed, since that is not the contender's fault.

    Returns the error if it cannot be verified. Raises `LabError` if that is because of the store or
    of ports.
    """
    for _ in range(ATTEMPTS):
        found: Verification | LabError
        try:
            found = laboratory.verifier.verify(place, workloads)
        except LabError as error:
            found = error
        failed = isinstance(found, LabError) or bool(found.findings)
        if failed:
            with suppress(StoreError):
                laboratory.stores.require_working()
        if not restart_failed_stores(laboratory, bundle, observer):
            if isinstance(found, StoreError):  # an unreachable store is not its fault either
                raise found
            if failed:
                require_free_port()
            return found
    raise StoreError(
        f"the store failed twice during the verification of {place.placement.contender}",
        "see the store's log in the bundle's folder `logs`",
    )
