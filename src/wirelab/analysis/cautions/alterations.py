"""Cautions about files that were changed after the bundle was sealed."""

from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.bundle import AcceptedChange, AlteredFile
from wirelab.terminal import words


@dataclass(frozen=True)
class Altered(Caution):
    """Files changed after sealing."""

    SEVERITY = "serious"
    TITLE = "The bundle was altered after it was sealed"
    files: tuple[AlteredFile, ...]

    def _detail(self) -> str:
        files = words.first_few(list(map(str, self.files)))
        return f"{files}. What the report says may not be what was measured"


@dataclass(frozen=True)
class ChangesAccepted(Caution):
    """Files changed after sealing, and the user accepted that."""

    SEVERITY = "serious"
    TITLE = "Altered files were accepted when the study was resumed"
    changes: tuple[AcceptedChange, ...]

    def _detail(self) -> str:
        return words.first_few(
            [f"{each.path}: {each.reason} ({each.accepted_utc})" for each in self.changes]
        )


def alterations(evidence: Evidence) -> Iterator[Caution]:
    """Find files that changed after sealing, and accepted changes."""
    if evidence.alterations:
        yield Altered(evidence.alterations)
    if accepted := evidence.bundle.info.accepted_changes:
        yield ChangesAccepted(accepted)
