"""A folder of many bundles: copies of one, a day apart."""

import json
import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path

from wirelab.bundle import Bundle
from wirelab.bundle.files import write_json
from wirelab.bundle.seal import finish_seal, prepare_seal


def copy_bundle(bundle: Bundle, folder: Path, count: int) -> None:
    """Put so many copies of a bundle into a folder, each sealed and with a date of its own.

    The bundle is copied once; what the copies have in common are links to that copy's files, so
    that they take little space. Raises `OSError`.
    """
    folder.mkdir()
    first = folder / "bundle-000"
    shutil.copytree(bundle.path, first)
    for number in range(1, count):
        shutil.copytree(first, folder / f"bundle-{number:03}", copy_function=os.link)
    created = datetime.fromisoformat(bundle.info.created_utc)
    for number, copied in enumerate(sorted(folder.iterdir())):
        _date(copied, created - timedelta(days=number))


def _date(copied: Path, created: datetime) -> None:
    content = json.loads((copied / "bundle.json").read_text())
    content |= {"id": copied.name, "created_utc": created.isoformat(timespec="seconds")}
    write_json(copied / "bundle.json", content)  # A new file takes the place of the shared one.
    prepare_seal(copied)
    finish_seal(copied)
