"""Find a study and load its three files; all mistakes in them are reported together."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wirelab.inputs.close_match import similar_folder
from wirelab.inputs.problems import (
    Problem,
    ProblemsError,
    add_problem,
    add_problems,
    collected_problems,
    read_toml,
    shown,
)
from wirelab.inputs.validation import from_pydantic
from wirelab.installation.search_path import FILES, find_folder, known_names
from wirelab.study.claim import ClaimsFile
from wirelab.study.levels import (
    FACTORS,
    NO_NETWORK,
    NO_PROXY,
    OWN_STORE,
    Factor,
    Levels,
    is_environment,
    plural,
)
from wirelab.study.model import StudyFile
from wirelab.study.published import Published

STUDY_FILE = FILES["studies"]
CLAIMS_FILE = "claims.toml"
PUBLISHED_FILE = "published.toml"

DEFAULTS: Mapping[Factor, Sequence[str]] = {
    "proxy": [NO_PROXY],
    "store": [OWN_STORE],
    "network": [NO_NETWORK],
}
"""The levels of factors that a study may leave out."""
TABLES: Collection[Factor] = ("workload", "load")
"""The factors whose levels are tables; the levels of the others are in lists."""

Model = TypeVar("Model", bound=BaseModel)


COMPARE, OF_CAPACITY = "compare", "capacity"
"""The ids of the studies that the commands `compare` and `capacity` write."""


class Study(StudyFile):
    """A study as loaded: study.toml, the files beside it, and its folder."""

    folder: Path
    claims: ClaimsFile = ClaimsFile()
    published: Published = Published()

    @property
    def has_options(self) -> bool:
        """Whether a command wrote it, so that its options change what keys change in others."""
        return self.id in {COMPARE, OF_CAPACITY}

    @property
    def has_budget_option(self) -> bool:
        """Whether --budget sets how long is measured, and so no option the number of blocks."""
        return self.id == COMPARE

    @property
    def titles(self) -> dict[str, str]:
        """The titles of workloads whose ids a command chose, which users do not know; else {}."""
        return (
            {name: workload.title for name, workload in self.workloads.items()}
            if self.has_options
            else {}
        )

    @property
    def files(self) -> dict[str, Path]:
        """The files of the study by name; a bundle keeps a copy of them, but no code."""
        names = [STUDY_FILE, CLAIMS_FILE, PUBLISHED_FILE]
        if self.extension is not None:
            names.append(f"{self.extension}.toml")
        return {name: self.folder / name for name in names if (self.folder / name).is_file()}


def load_study(name_or_path: str | Path) -> Study:
    """Load a study by its name, its folder or its study.toml.

    claims.toml and published.toml beside it are optional; a study of your own has none. Raises
    `ProblemsError` with every mistake in all three files.
    """
    folder = find_study(name_or_path)
    with collected_problems():
        raw_study = _read(folder / STUDY_FILE)
        raw_claims = _read(folder / CLAIMS_FILE)
        raw_published = _read(folder / PUBLISHED_FILE)
        context: dict[str, object] = {"printed": _printed_names(raw_published)}
        if raw_study is not None:
            levels = _declared_levels(raw_study)
            _check_unambiguous(shown(folder / STUDY_FILE), levels)
            context["levels"] = levels
            own = raw_study.get("network")
            context["own_networks"] = own if isinstance(own, dict) else {}
        file = _validate(StudyFile, folder / STUDY_FILE, raw_study, context)
        claims = _validate(ClaimsFile, folder / CLAIMS_FILE, raw_claims, context)
        published = _validate(Published, folder / PUBLISHED_FILE, raw_published, context)
    assert file is not None
    written = {name: getattr(file, name) for name in file.model_fields_set}
    return Study(
        **{**written, "domain": _domain_beside(folder, file.domain)},
        folder=folder,
        claims=claims or ClaimsFile(),
        published=published or Published(),
    )


def load_extension_file(study: Study, model: type[Model]) -> Model:
    """Load the own file of a study's extension, `NAME.toml`.

    Names of levels in it are checked as in the study's other files. Raises `ProblemsError`.
    """
    file = study.folder / f"{study.extension}.toml"
    context = {"levels": study.levels, "printed": study.published.names.model_dump()}
    with collected_problems():
        loaded = _validate(model, file, _read(file), context)
    assert loaded is not None
    return loaded


def require_package(folder: Path, extension: str) -> Path:
    """Return the file with the code of an extension, in a study's folder that is trusted.

    Raises `ProblemsError` if there is none.
    """
    file = folder / extension / "__init__.py"
    if not file.is_file():
        expected = f"a Python package in the study's folder, but {shown(file)} does not exist"
        raise ProblemsError([Problem(shown(folder / STUDY_FILE), "extension", extension, expected)])
    return file


def _domain_beside(folder: Path, domain: str) -> str:
    """Return a domain's name, or its path if it is relative to the study's folder."""
    return str((folder / domain).resolve()) if domain.startswith(("./", "../")) else domain


def find_study(name_or_path: str | Path) -> Path:
    """Return the folder of a study. Raises `ProblemsError` with the known studies."""
    folder = find_folder("studies", name_or_path)
    if folder is not None:
        return folder
    known = list_studies()
    expected = f"a study's name ({', '.join(known)}) or the path of a folder with a {STUDY_FILE}"
    hint = similar_folder(name_or_path, STUDY_FILE, known)
    if os.path.isfile(Path(name_or_path) / "study" / STUDY_FILE):  # as `wirelab init` writes it
        hint = f"did you mean '{Path(name_or_path) / 'study'}'?"
    raise ProblemsError([Problem("study", "", str(name_or_path), expected, hint)])


def list_studies() -> list[str]:
    """Return the names of the studies that can be loaded by name."""
    return known_names("studies")


def _read(file: Path) -> dict[str, Any] | None:
    """Return a file's contents: empty without a file, None if it is not TOML."""
    return read_toml(file) if file.is_file() else {}


def _validate(
    model: type[Model], file: Path, raw: dict[str, Any] | None, context: Mapping[str, object]
) -> Model | None:
    """Convert contents to values; return None, and note the problems, if they are invalid."""
    if raw is None:
        return None
    try:
        return model.model_validate(raw, context=dict(context))
    except ValidationError as error:
        add_problems(from_pydantic(shown(file), error, model, raw))
        return None


def _declared_levels(raw: Mapping[str, Any]) -> dict[Factor, tuple[str, ...]]:
    """Collect the names that study.toml declares, of the factors that are readable."""
    levels: dict[Factor, tuple[str, ...]] = {}
    for factor in FACTORS:
        declared = raw.get(factor if factor in TABLES else plural(factor))
        if declared is None:
            declared = DEFAULTS.get(factor)
        if isinstance(declared, dict if factor in TABLES else list):
            names = tuple(name for name in declared or () if isinstance(name, str))
            valid = names if factor != "environment" else tuple(filter(is_environment, names))
            if len(valid) == len(declared or ()):
                levels[factor] = valid
    return levels


def _check_unambiguous(where: str, levels: Levels) -> None:
    """Note names that two factors share: `--only` takes bare names."""
    seen: dict[str, Factor] = {}
    for factor in FACTORS:
        for number, name in enumerate(levels.get(factor, ())):
            if name in seen:
                expected = f"a unique name; a {seen[name]} already has this name"
                key = f"{factor}.{name}" if factor in TABLES else f"{plural(factor)}.{number}"
                add_problem(where, key, name, expected)
            seen[name] = factor


def _printed_names(raw: Mapping[str, Any] | None) -> Mapping[str, Mapping[str, str]]:
    """Collect the paper's own names for levels, as far as published.toml is readable."""
    names = (raw or {}).get("names")
    if not isinstance(names, dict):
        return {}
    return {factor: table for factor, table in names.items() if isinstance(table, dict)}
