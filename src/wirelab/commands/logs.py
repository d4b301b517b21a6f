"""Temporary logs: removed after success, kept if a message refers to them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp


@dataclass(slots=True)
class LogFolder:
    """A folder for logs, and whether to keep it."""

    path: Path
    kept: bool = False


@contextmanager
def log_folder(prefix: str) -> Iterator[LogFolder]:
    """Make a temporary folder that is kept if an error refers to a log in it."""
    folder = LogFolder(Path(mkdtemp(prefix=prefix)))
    try:
        yield folder
    except Exception as error:
        folder.kept = str(folder.path) in str(error)
        raise
    finally:
        if not folder.kept:
            shutil.rmtree(folder.path)
