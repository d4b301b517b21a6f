"""Temporary logs: removed after success, kept if a message refers to them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp


@dataclass(slots=True)
class LogFolder:
    """A folder for logs, and the messages that may name some of them."""

    path: Path
    messages: list[str] = field(default_factory=list)


@contextmanager
def log_folder(prefix: str) -> Iterator[LogFolder]:
    """Make a temporary folder; of it, only logs are kept that a message or an error names."""
    folder = LogFolder(Path(mkdtemp(prefix=prefix)))
    try:
        yield folder
    except Exception as error:
        folder.messages.append(str(error))
        raise
    except BaseException:
        folder.messages.clear()
        raise
    finally:
        _keep_named(folder.path, "\n".join(folder.messages))


def _keep_named(folder: Path, message: str) -> None:
    """Remove a folder, except for the files in it that a message names."""
    if str(folder) not in message:
        shutil.rmtree(folder)
        return
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder comes before it
        if path.is_dir() and not path.is_symlink():
            with suppress(OSError):  # it contains a named file
                path.rmdir()
        elif str(path) not in message:
            path.unlink()
    with suppress(OSError):
        folder.rmdir()
