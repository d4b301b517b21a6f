"""The reference shows every table of the files that people write, as a file that loads has it."""

import importlib.util
import inspect
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from wirelab.domain.model import DomainFile, Interface
from wirelab.domain.stores import Stores
from wirelab.domain_file import load_domain
from wirelab.domain_file.dialect import DialectFile
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.contenders.contender_file import StackFile
from wirelab.planning.plan import plan_study
from wirelab.study import load_study
from wirelab.study.claim import ClaimsFile
from wirelab.study.model import StudyFile
from wirelab.study.published import Published
from wirelab.study.workload import Workload

ROOT = Path(__file__).resolve().parents[2]
FILES = (DomainFile, Interface, Stores, DialectFile, StackFile, StudyFile, ClaimsFile, Published)
"""Models whose examples are only parts of their tables."""
COMPLETE = ("domain-file.md", "contender-file.md", "study-file.md")
"""Pages whose examples show every key."""
SHOWN_IN_OTHER_TABLES = {Interface: {"files"}, Workload: {"instances_from"}}
"""Keys without an example: the first is none, the second is shown with the data of designs."""


def docs_module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


table_examples = docs_module("table_examples")
generate = docs_module("generate")
EXAMPLES: Mapping[type[BaseModel], Any] = table_examples.EXAMPLES


def models_on(page: str) -> list[type[BaseModel]]:
    return [
        model
        for module in generate.FILES[page][1:]
        for model in vars(module).values()
        if inspect.isclass(model)
        and issubclass(model, BaseModel)
        and model.__module__ == module.__name__
        and model.model_fields
    ]


def tables_in(value: object) -> Iterator[dict[str, Any]]:
    """Yield the tables of a value, at any depth."""
    if isinstance(value, dict):
        yield value
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from tables_in(part)


def found(value: object, path: tuple[str, ...]) -> Iterator[object]:
    """Yield what a path leads to, in every table of an array of tables."""
    if isinstance(value, list) and path:
        for part in value:
            yield from found(part, path)
    elif not path:
        yield value
    elif isinstance(value, dict) and path[0] in value:
        yield from found(value[path[0]], path[1:])


def is_valid(model: type[BaseModel], table: Mapping[str, object], folder: Path) -> bool:
    for each in (model, *model.__subclasses__()):
        own = {key: table[key] for key in table.keys() & names_of(each)}
        try:
            each.model_validate(own, context={"folder": folder})
        except ValidationError:
            continue
        if own:
            return True
    return False


def names_of(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


@cache
def load(file: str) -> None:
    """Load a file as wirelab does, with all that belongs to it."""
    path = ROOT / file
    match path.name:
        case "study.toml" | "claims.toml" | "published.toml":
            load_study(path.parent)
        case "contender.toml":
            load_contenders(load_domain(path.parents[2]))
        case "domain.toml":
            load_domain(path.parent)
        case _:
            assert path.stem in load_domain(path.parents[1]).dialects


@pytest.mark.parametrize("file", sorted({it.file for them in EXAMPLES.values() for it in them}))
def test_the_files_of_examples_load(file: str) -> None:
    load(file)


def test_the_study_of_the_snippets_can_be_planned() -> None:
    folder = ROOT / "docs" / "snippets" / "catalogue" / "study"

    for design in load_study(folder).designs:
        assert plan_study(folder, design, 1, unavailable=lambda *_: {}).schedule.runs


@pytest.mark.parametrize(
    ("model", "example"),
    [
        pytest.param(model, example, id=f"{model.__name__}-{number}")
        for model, examples in EXAMPLES.items()
        for number, example in enumerate(examples)
    ],
)
def test_an_example_is_the_table_that_it_explains(model: type[BaseModel], example: Any) -> None:
    path = ROOT / example.file
    whole = tomllib.loads(path.read_text(encoding="utf-8"))
    folder = path.parents[1] if path.parent.name == "dialects" else path.parent
    shown = tomllib.loads(example.text)

    assert shown
    assert example.text.count("\n") < 30
    if model not in FILES:
        tables = [each for value in found(whole, example.path) for each in tables_in(value)]
        around = [each for each in found(whole, example.path[:-1]) if isinstance(each, dict)]
        assert any(is_valid(model, table, folder) for table in (*tables, *around))


@pytest.mark.parametrize("page", [*COMPLETE, "claims-file.md", "published-file.md"])
def test_every_table_has_an_example(page: str) -> None:
    assert [model.__name__ for model in models_on(page) if not EXAMPLES.get(model)] == []


@pytest.mark.parametrize("page", COMPLETE)
def test_every_key_is_in_an_example(page: str) -> None:
    missing = {
        f"{model.__name__}.{key}"
        for model in models_on(page)
        for key in keys_of(model) - shown_keys(model) - SHOWN_IN_OTHER_TABLES.get(model, set())
    }

    assert missing == set()


def keys_of(model: type[BaseModel]) -> set[str]:
    """The keys of a model itself, without those of tables that have separate examples."""
    bases = [base for base in EXAMPLES if base in model.__bases__]
    inherited = {name for base in bases for name in base.model_fields}
    return {
        field.alias or name
        for name, field in model.model_fields.items()
        if name not in inherited and field.annotation is not Any and not is_table(field.annotation)
    }


def is_table(annotation: Any) -> bool:
    return annotation in EXAMPLES or any(is_table(part) for part in get_args(annotation))


def shown_keys(model: type[BaseModel]) -> set[str]:
    names = names_of(model).union(*map(names_of, model.__subclasses__()))
    shown = set()
    for example in EXAMPLES[model]:
        content = tomllib.loads(example.text)
        shown |= names & set(example.path[-1:])
        if model in FILES:
            shown |= content.keys() | set(example.path[1:])
        for value in found(content, example.path):
            for table in tables_in(value):
                shown |= table.keys() if table.keys() <= names else set()
    return shown
