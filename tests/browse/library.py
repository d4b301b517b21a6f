"""Folders of bundles: one synthetic bundle, many times over and each a little different."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from wirelab.analysis.synopsis import Synopsis
from wirelab.browse.cache import Cache, Reading
from wirelab.browse.fingerprint import fingerprint
from wirelab.bundle import Bundle
from wirelab.bundle.files import write_json
from wirelab.bundle.seal import finish_seal, prepare_seal


def another(bundle: Bundle, folder: Path, *, seal: bool = True, **info: Any) -> Path:
    """Put a bundle with other facts in bundle.json into a folder; all else is shared with it."""
    shutil.copytree(bundle.path, folder, copy_function=os.link)
    content = json.loads((folder / "bundle.json").read_text()) | info
    write_json(folder / "bundle.json", content)  # A new file takes the place of the shared one.
    if seal:
        prepare_seal(folder)
        finish_seal(folder)
    return folder


def many(bundle: Bundle, folder: Path, count: int) -> list[Path]:
    """Put a number of bundles into a folder, a day apart."""
    return [
        another(
            bundle,
            folder / f"bundle-{number:03}",
            id=f"bundle-{number:03}",
            created_utc=f"2026-{1 + number // 28:02}-{1 + number % 28:02}T09:00:00Z",
        )
        for number in range(count)
    ]


def remember(cache: Cache, path: Path, synopsis: Synopsis) -> None:
    """Let the cache know a bundle as if it had been read."""
    info = Bundle.open(path).info
    cache.keep_reading(fingerprint(path).key, Reading(replace(synopsis, info=info)))
