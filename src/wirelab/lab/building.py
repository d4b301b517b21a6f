"""Building something once: into the cache, under a name that says what it was made of."""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from wirelab.lab.errors import BuildError, with_log
from wirelab.lab.process import start_guarded
from wirelab.lab.programs import cache_folder

COMPLETE = ".complete"
"""The file that is written last: a build folder without it is what an interrupted build left."""
STEP_LIMIT_S = 1800.0


def build_once(name: str, key: str, make: Callable[[Path], None]) -> Path:
    """Return the build folder `<name>-<key>` in the cache, made by `make(folder)` when missing.

    Two laboratories that want the same build wait for each other; what an interrupted one left
    is removed and made again.
    """
    folder = cache_folder() / "builds" / f"{name}-{key}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f"{folder.name}.lock")):
        if not (folder / COMPLETE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / COMPLETE).touch()
    return folder


def run_step(
    command: Sequence[str | Path],
    *,
    what: str,
    log_path: Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run one command of a build to its end; raise `BuildError` with its last lines."""
    shown = " ".join(map(str, command))
    with log_path.open("a") as log:
        log.write(f"$ {shown}\n")
    process = start_guarded(command, role=what, log_path=log_path, cwd=cwd, environment=environment)
    try:
        code = process.wait(STEP_LIMIT_S)
    except TimeoutError as error:
        raise BuildError(
            with_log(
                f"{what}: `{shown}` did not end within {STEP_LIMIT_S / 60:.0f} minutes",
                log_path,
                process.log_tail(),
            )
        ) from error
    finally:
        process.stop()
    if code != 0:
        raise BuildError(
            with_log(
                f"{what}: `{shown}` failed with exit code {code}", log_path, process.log_tail()
            )
        )


def content_hash(files: Iterable[Path], *more: str) -> str:
    """Return 16 hexadecimal digits that change when a file's name or content or `more` does."""
    digest = hashlib.sha256()
    for part in more:
        digest.update(f"{len(part)}:{part}".encode())
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.name}:{len(content)}:".encode() + content)
    return digest.hexdigest()[:16]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the kernel gives it back when we die
        yield
