"""Where studies and domains are searched for: by path, near the working directory, in wirelab."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from wirelab.installation.resources import resource_folder

Kind = Literal["studies", "domains"]
FILES: Mapping[Kind, str] = {"studies": "study.toml", "domains": "domain.toml"}
"""What makes a folder a study, or a domain."""
CONTENDER_FILES = "contenders/*/contender.toml"
"""Where a domain's contenders are described, relative to its folder."""


def find_folder(kind: Kind, name_or_path: str | Path) -> Path | None:
    """Return the folder of something: the path itself (or its file's), or one of that name."""
    path, file = Path(name_or_path), FILES[kind]
    if path.name == file and path.is_file():
        return path.parent
    for candidate in (path, *(folder / path for folder in _folders(kind))):
        if os.path.isfile(candidate / file):
            return candidate
    return None


def known_names(kind: Kind) -> list[str]:
    """Return the names by which `find_folder` finds something."""
    return sorted(
        {path.parent.name for folder in _folders(kind) for path in folder.glob(f"*/{FILES[kind]}")}
    )


def _folders(kind: Kind) -> Iterator[Path]:
    """Find the nearest folder `kind` above the working directory, and wirelab's own."""
    working = Path.cwd()
    for folder in (working, *working.parents):
        if (folder / kind).is_dir():
            yield folder / kind
            break
    yield resource_folder(kind)
