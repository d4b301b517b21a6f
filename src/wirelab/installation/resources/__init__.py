"""The studies, the domains and the sources of stores that come with wirelab.

In a checkout they are its folders, to which the links beside this file lead. A wheel contains
copies in their place, which are copied into the cache before they are used: contenders are built
and started in the folders of domains, and an installation may not be writable.
"""

import shutil
from functools import cache
from pathlib import Path
from typing import Literal

from wirelab.installation.build_cache import build_once, content_hash
from wirelab.installation.programs import project_root

PACKAGED = Path(__file__).resolve().parent


@cache
def resource_folder(kind: Literal["studies", "domains", "stores"]) -> Path:
    """Return the folder of the resources.

    Raises `LabError` if they have to be copied and the cache folder cannot be created.
    """
    return (project_root() or copied(PACKAGED)) / kind


def copied(packaged: Path) -> Path:
    """Return a copy of the packaged folders in the cache, created once for each content."""
    files = [path for path in packaged.glob("*/**/*") if path.is_file()]

    def copy(target: Path) -> None:
        for path in files:
            place = target / path.relative_to(packaged)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)  # without its mode: the copy must be writable

    return build_once("resources", content_hash(files), copy)
