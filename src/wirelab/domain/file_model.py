"""What the tables of a domain's files have in common."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from wirelab.close_match import close_match


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    folder = (info.context or {}).get("folder")
    if folder is None:
        return path
    found = Path(folder) / path
    if not os.path.isfile(found):  # also if the path is too long to exist
        suggestion = close_match(path.name, (entry.name for entry in found.parent.glob("*")))
        raise ValueError("; ".join(filter(None, ("a file in the domain's folder", suggestion))))
    return found


FileInFolder = Annotated[Path, AfterValidator(_beside_the_file)]
"""A path relative to the domain's folder; once loaded it is absolute and exists."""

Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]
"""A JSON pointer; "" is the whole document, "*" stands for every item of a list."""
