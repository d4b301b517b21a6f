"""Cautions about files that were changed after the bundle was sealed."""

from collections.abc import Iterator, Sequence

from wirelab.analysis.model import Caution
from wirelab.bundle import AcceptedChange, Mismatch
from wirelab.terminal import words


def alteration_cautions(
    alterations: Sequence[Mismatch], accepted: Sequence[AcceptedChange]
) -> Iterator[Caution]:
    """Warn about files that changed after sealing, and about accepted changes."""
    if alterations:
        yield Caution(
            "serious",
            "The bundle was altered after it was sealed",
            words.first_few([str(each) for each in alterations])
            + ". What the report says may not be what was measured.",
        )
    if accepted:
        yield Caution(
            "serious",
            "Altered files were accepted when the study was resumed",
            words.first_few([f"{it.path}: {it.reason} ({it.accepted_utc})" for it in accepted])
            + ".",
        )
