"""Where studies and domains are searched for: by path, near the working directory, in wirelab."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from wirelab.inputs.close_match import close_match
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


def similar_name(kind: Kind, name_or_path: str | Path) -> str:
    """Return the hint for a name or path at which there is nothing; "" if none is similar.

    Folders beside that path are suggested, too.
    """
    path, known = Path(name_or_path), known_names(kind)
    here = "./" if str(name_or_path).startswith("./") else ""
    folders = [path.parent / file.parent.name for file in path.parent.glob(f"*/{FILES[kind]}")]
    beside = [f"{here}{folder}" for folder in folders]
    if here:  # a name without it may be that of a folder of wirelab
        return close_match(f"{here}{path}", beside) or close_match(path.name, known)
    return close_match(path, [*known, *beside]) or close_match(path.name, known)


def _folders(kind: Kind) -> Iterator[Path]:
    """Find the nearest folder `kind` above the working directory, and wirelab's own."""
    working = Path.cwd()
    for folder in (working, *working.parents):
        if (folder / kind).is_dir():
            yield folder / kind
            break
    yield resource_folder(kind)
