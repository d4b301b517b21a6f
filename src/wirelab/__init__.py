"""wirelab: a laboratory for API protocols."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirelab.bundle import Bundle

__all__ = ["open_bundle"]


def open_bundle(path: Path | str) -> "Bundle":
    """Open a bundle, the folder of a study's results, as data frames.

    Raises `wirelab.inputs.problems.ProblemsError` if the folder is not a bundle.
    """
    from wirelab.bundle import Bundle  # noqa: PLC0415  (keeps importing wirelab fast)

    return Bundle.open(path)
