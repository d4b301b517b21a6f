"""Temporary logs: removed after success, kept if a message refers to them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    """Make a temporary folder; of it, only logs are kept that an error refers to."""
    folder = LogFolder(Path(mkdtemp(prefix=prefix)))
    try:
        yield folder
    except Exception as error:
        folder.kept = _keep_named(folder.path, str(error))
        raise
    finally:
        if not folder.kept:
            shutil.rmtree(folder.path)


def _keep_named(folder: Path, message: str) -> bool:
    """Remove everything from a folder but the files that a message names; return if any remains."""
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder comes before it
        if path.is_dir() and not path.is_symlink():
            with suppress(OSError):  # it contains a named file
                path.rmdir()
        elif str(path) not in message:
            path.unlink()
    return any(folder.iterdir())
