"""Cautions about files that were changed after the bundle was sealed."""

from collections.abc import Iterator, Sequence

from wirelab.analysis.model import Caution
from wirelab.bundle import AcceptedChange, Mismatch

SHOWN = 5


def alteration_cautions(
    alterations: Sequence[Mismatch], accepted: Sequence[AcceptedChange]
) -> Iterator[Caution]:
    """Warn about files that changed after sealing, and about accepted changes."""
    if alterations:
        yield Caution(
            "serious",
            "The bundle was altered after it was sealed",
            _listed([str(each) for each in alterations])
            + ". What the report says may not be what was measured.",
        )
    if accepted:
        yield Caution(
            "serious",
            "Altered files were accepted when the study was resumed",
            _listed([f"{it.path}: {it.reason} ({it.accepted_utc})" for it in accepted]) + ".",
        )


def _listed(lines: Sequence[str]) -> str:
    more = f"; and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return "; ".join(lines[:SHOWN]) + more
