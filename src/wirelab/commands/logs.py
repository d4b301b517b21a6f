"""Temporary logs: removed after success, kept if a message quotes them."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from wirelab.errors import Log, StatedError


@dataclass(slots=True)
class LogFolder:
    """A folder for logs; `kept` are those that messages quote."""

    path: Path
    kept: list[Log | None] = field(default_factory=list)


@contextmanager
def log_folder(prefix: str) -> Iterator[LogFolder]:
    """Make a temporary folder; of it, only logs remain that messages quote, or an error does."""
    folder = LogFolder(Path(mkdtemp(prefix=prefix)))
    try:
        yield folder
    except StatedError as error:
        folder.kept.append(error.failure.log)
        raise
    except BaseException:
        folder.kept.clear()
        raise
    finally:
        _remove_all_but(folder.path, {Path(log.path) for log in folder.kept if log})


def _remove_all_but(folder: Path, kept: Collection[Path]) -> None:
    """Remove a folder, except for some of the files in it."""
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder comes before it
        if path.is_dir() and not path.is_symlink():
            with suppress(OSError):  # it contains a file that is kept
                path.rmdir()
        elif path not in kept:
            path.unlink()
    with suppress(OSError):
        folder.rmdir()
