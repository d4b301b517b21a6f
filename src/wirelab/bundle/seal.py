"""The seal of a bundle: the content hash of every file, to check and cite the bundle by."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from wirelab.bundle import files
from wirelab.bundle.records import read_record
from wirelab.inputs.problems import ProblemsError

HASHES = "hashes.json"
UNFINISHED = f"{files.PARTIAL}{HASHES}"

REPORT = "report"
"""The folder for reports. They can be rendered again from the bundle, so no seal covers them."""


@dataclass(frozen=True, slots=True)
class AlteredFile:
    """A file of a bundle that is missing, changed or new since the bundle was sealed."""

    path: str
    reason: str

    def __str__(self) -> str:
        """Render as one line."""
        return f"{self.path}: {self.reason}"


def prepare_seal(folder: Path, **to_come: bytes) -> None:
    """Write the content hash of every file below `folder`, but not yet under the seal's name.

    `to_come`: the content that files will have when the seal is finished.
    """
    hashes = {name: files.sha256(path) for name, path in _covered(folder).items()}
    hashes |= {name: hashlib.sha256(content).hexdigest() for name, content in to_come.items()}
    files.write_json(folder / UNFINISHED, hashes)


def finish_seal(folder: Path) -> None:
    """Give a prepared seal its name."""
    (folder / UNFINISHED).replace(folder / HASHES)
    files.flush_folder(folder)


def break_seal(folder: Path) -> None:
    """Rename the seal, if there is one, so that files can be added."""
    if was_sealed(folder):
        (folder / HASHES).replace(folder / UNFINISHED)


def was_sealed(folder: Path) -> bool:
    """Return whether a bundle has a seal that can be checked, intact or not."""
    return (folder / HASHES).exists()


def was_prepared(folder: Path) -> bool:
    """Return whether a crash left a prepared seal without its final name."""
    return (folder / UNFINISHED).exists() and not was_sealed(folder)


def check_seal(folder: Path, seal: str = HASHES) -> list[AlteredFile]:
    """List every file that is missing, changed or new since sealing; empty if intact."""
    if not (folder / seal).exists():
        return [AlteredFile(HASHES, "missing: the bundle was never sealed")]
    try:
        expected = read_record(folder / seal, TypeAdapter(dict[str, str]))
    except ProblemsError:
        return [AlteredFile(HASHES, "unreadable: not the list of hashes that was written")]
    covered = _covered(folder)
    problems = [AlteredFile(name, "missing") for name in sorted(expected.keys() - covered.keys())]
    for name, path in covered.items():
        if name not in expected:
            problems.append(AlteredFile(name, "not there when the bundle was sealed"))
        elif files.sha256(path) != expected[name]:
            problems.append(AlteredFile(name, "changed since the bundle was sealed"))
    return problems


def digest(folder: Path) -> str | None:
    """Return one hash for everything that the seal covers; None before sealing."""
    path = folder / HASHES
    return files.sha256(path) if path.exists() else None


def _covered(folder: Path) -> dict[str, Path]:
    """Return all files that a seal covers, by name: not the seal itself, and no reports."""
    return {
        str(name): path
        for path in files.regular_files(folder)
        if (name := path.relative_to(folder)).parts[0] not in (HASHES, REPORT)
    }
