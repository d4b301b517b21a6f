"""What the tables of a domain's files have in common."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from wirelab.inputs.close_match import closest

STACKS = "contenders"
"""The folder of a domain that contains the stacks of contenders."""


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    folder = (info.context or {}).get("folder")
    if folder is None:
        return path
    file = Path(folder) / path
    if not os.path.isfile(file):  # also if the path is too long to exist
        suggestion = _similar_file(Path(folder), path)
        raise ValueError("; ".join(filter(None, ("a file in the domain's folder", suggestion))))
    return file


def _similar_file(folder: Path, path: Path) -> str:
    """Return the hint for a missing file: one of its name elsewhere, or one beside it.

    A path that is relative to the file of a dialect has its name elsewhere.
    """
    files: dict[Path, str] = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != STACKS and name[0] not in "._")
        files |= {Path(root, name).relative_to(folder): name for name in sorted(names)}
    beside = {name: file for file, name in files.items() if file.parent == path.parent}
    same = [file for file, name in files.items() if name == path.name]
    similar = same[0] if same else beside.get(closest(path.name, beside))
    return f"did you mean '{similar.as_posix()}'?" if similar else ""


FileInFolder = Annotated[Path, AfterValidator(_beside_the_file)]
"""A path relative to the domain's folder; once loaded it is absolute and exists."""

Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]
"""A JSON pointer; "" is the whole document, "*" stands for every item of a list."""
