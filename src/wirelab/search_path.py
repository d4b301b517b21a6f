"""Where studies and domains are looked for: by path, near the working directory, and with us."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from wirelab.resources import resource_folder

Kind = Literal["studies", "domains"]


def find_folder(kind: Kind, name_or_path: str | Path, file: str) -> Path | None:
    """Return the folder that holds `file`: the path itself (or its file), or one of that name."""
    path = Path(name_or_path)
    if path.name == file and path.is_file():
        return path.parent
    for candidate in (path, *(folder / path for folder in _folders(kind))):
        if (candidate / file).is_file():
            return candidate
    return None


def known_names(kind: Kind, file: str) -> list[str]:
    """Return the names by which `find_folder` finds something."""
    return sorted(
        {path.parent.name for folder in _folders(kind) for path in folder.glob(f"*/{file}")}
    )


def _folders(kind: Kind) -> Iterator[Path]:
    """Find the nearest folder `kind`, seen from the working directory, and the one that is ours."""
    working = Path.cwd()
    for folder in (working, *working.parents):
        if (folder / kind).is_dir():
            yield folder / kind
            break
    yield resource_folder(kind)
