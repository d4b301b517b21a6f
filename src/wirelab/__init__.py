"""wirelab: a laboratory for API protocols."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirelab.bundle import Bundle

__all__ = ["open_bundle"]


def open_bundle(path: Path | str) -> "Bundle":
    """Open the folder that a study left: data frames of its runs, metrics, samples and bytes.

    Raises `wirelab.problems.ProblemsError` when the folder is no bundle.
    """
    from wirelab.bundle import Bundle  # noqa: PLC0415  (importing wirelab stays quick)

    return Bundle.open(path)
