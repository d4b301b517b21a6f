"""Load the extension of a study, and apply it to a bundle.

A bundle may come from anybody, so code never does: it is part of a study that comes with wirelab,
or of a study's folder that the user has named.
"""

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.extension import Additions, Extended, Extension, Measurements
from wirelab.inputs.problems import Problem, ProblemsError, shown
from wirelab.inputs.python_file import DEFECTS, load_module, raised_at
from wirelab.installation.resources import PACKAGED
from wirelab.study import Study, require_package

METHODS = ("check", "additions")
"""The methods of `Extension`."""


def load_extension(folder: Path, name: str) -> Extension:
    """Load an extension from a study's folder, whose code is executed.

    Raises `ProblemsError` if it cannot be loaded or is no extension.
    """
    file = require_package(folder, name).resolve()
    module_name = f"wirelab_extension_{hashlib.sha256(str(file).encode()).hexdigest()[:16]}"
    try:
        module = sys.modules.get(module_name) or load_module(module_name, file)
    except DEFECTS as error:
        raise ProblemsError([_problem(file, error, "a package that can be imported")]) from error
    extension: Extension | None = getattr(module, "EXTENSION", None)
    if extension is None:
        expected = "an object that implements wirelab.analysis.extension.Extension"
        raise ProblemsError([Problem(shown(file), "EXTENSION", None, expected)])
    if isinstance(extension, type):
        expected = f"an object, such as {extension.__name__}()"
        raise ProblemsError([Problem(shown(file), "EXTENSION", extension, expected)])
    missing = [method for method in METHODS if not callable(getattr(extension, method, None))]
    if missing:
        expected = "a method of wirelab.analysis.extension.Extension"
        raise ProblemsError(
            Problem(shown(file), f"EXTENSION.{method}", None, expected) for method in missing
        )
    return extension


def check_extension(study: Study) -> None:
    """Load the extension of a study, if it has one, and let it check its own file.

    The study's folder is trusted, as are its contenders. Raises `ProblemsError`.
    """
    if study.extension is None:
        return
    extension = load_extension(study.folder, study.extension)
    try:
        extension.check(study)
    except ProblemsError:
        raise
    except DEFECTS as error:
        folder = (study.folder / study.extension).resolve()
        raise ProblemsError([_problem(folder, error, "no error but ProblemsError")]) from error


def extend(measurements: Measurements, trusted: Path | None = None) -> Extended:
    """Apply the extension of a study to its bundle, or say why there is nothing of it.

    `trusted` is the study's folder if the user has named it. Otherwise only the code of studies
    that come with wirelab is executed.
    """
    study = measurements.study
    if study.extension is None:
        return Extended()
    folder = trusted or PACKAGED / "studies" / study.id
    templates = folder / study.extension
    if trusted is None and not templates.is_dir():
        return _without(
            False,
            f"“{study.extension}” does not come with wirelab, and no code of a bundle is executed",
            "if you trust the study’s folder, name it with `wirelab report --study`",
        )
    try:
        additions = load_extension(folder, study.extension).additions(measurements)
        _require_complete(additions, templates)
    except ProblemsError as error:
        return _without(True, str(error))
    except DEFECTS as error:  # The bundle may hold what its author has not thought of.
        return _without(True, str(_problem(templates.resolve(), error, "")))
    return Extended(additions, templates)


def _require_complete(additions: object, templates: Path) -> None:
    """Require a result of the right type, with templates. Raises `ProblemsError`."""
    if not isinstance(additions, Additions):
        kind = type(additions).__name__
        expected = "wirelab.analysis.extension.Additions"
        raise ProblemsError([Problem(shown(templates), "EXTENSION.additions()", kind, expected)])
    files = [
        templates / f"{section.name}.{ending}"
        for section in additions.sections
        for ending in ("html", "md")
    ]
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise ProblemsError(Problem(shown(file), "", None, "a template") for file in missing)


@dataclass(frozen=True)
class ExtensionMissing(Caution):
    """The report lacks what the study's own code adds; `failed`: it was executed."""

    failed: bool
    why: str
    remedy: str = ""

    @property
    def title(self) -> str:
        """What happened."""
        return f"The study’s extension {'failed' if self.failed else 'is not available'}"

    def _detail(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.why}: the report lacks what it adds{remedy}"


def _without(failed: bool, why: str, remedy: str = "") -> Extended:
    return Extended(cautions=(ExtensionMissing(failed, why, remedy),))


def _problem(inside: Path, error: BaseException, expected: str) -> Problem:
    place = raised_at(error, inside if inside.is_dir() else inside.parent)
    where = f"{shown(place[0])}:{place[1]}" if place else shown(inside)
    return Problem(where, "", f"{type(error).__name__}: {error}", expected)
