"""Logs of what is done in passing: gone when it went well, and kept when a message names them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp


@dataclass(slots=True)
class LogFolder:
    """A folder for logs, and whether it is to stay."""

    path: Path
    kept: bool = False


@contextmanager
def log_folder(prefix: str) -> Iterator[LogFolder]:
    """Make a folder that stays where it is when an error names a log in it."""
    folder = LogFolder(Path(mkdtemp(prefix=prefix)))
    try:
        yield folder
    except Exception as error:
        folder.kept = str(folder.path) in str(error)
        raise
    finally:
        if not folder.kept:
            shutil.rmtree(folder.path)
