"""Turn the errors of pydantic about a file into problems that name its keys and values."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from wirelab.inputs import file_model
from wirelab.inputs.close_match import close_match, closest, one_of
from wirelab.inputs.problems import Problem, shorten
from wirelab.terminal.words import listed

NUMBER_TYPES = {"int_type", "float_type"}
"""Errors of pydantic about values that are not written as numbers."""
SIMILAR = "; did you mean "
"""What separates a hint from the text of an error of pydantic."""
ALTERNATIVES = {
    ("str", "string_type"): "a text",
    ("int", "int_type"): "a number",
    ("float", "float_type"): "a number",
    ("bool", "bool_type"): "true or false",
}
"""What is expected, by the name that pydantic gives an alternative and the type of its error."""
LIST = 'a list, such as ["a", "b"]'
TABLE = 'a table, such as { name = "value" }'
LISTS = {"tuple_type", "list_type"}
"""Errors of pydantic about values that are no list."""
KINDS = {
    "string_type": "a text",
    "path_type": "a text",
    "tuple_type": LIST,
    "list_type": LIST,
    "dict_type": TABLE,
    "mapping_type": TABLE,
}
"""What is expected, by the type of an error of pydantic."""
MODELS = {"model_type", "model_attributes_type"}
"""Errors of pydantic about values that are not the table that a model describes."""
FORMS = {
    "^/": "a path that begins with /",
    "^(/.*)?$": "nothing, or a path that begins with /",
    "^[a-z0-9][a-z0-9-]*$": "an id of lower-case letters, digits and hyphens",
    "^[a-z][a-z0-9-]*$": "a lower-case letter, then lower-case letters, digits and hyphens",
    "^[a-z][a-z0-9_]*$": "a name of lower-case letters, digits and underscores",
    "^[a-z0-9][a-z0-9_-]*$": "a name of lower-case letters, digits, hyphens and underscores",
    "^[a-z0-9][a-z0-9._-]*$": "a name of lower-case letters, digits, dots, hyphens and underscores",
    "^[A-Za-z0-9][A-Za-z0-9_-]*$": "an id of letters, digits, hyphens and underscores",
    r"^[A-Za-z0-9._+-]+(>=\d+(\.\d+)*)?$": (
        "the name of a program, or with its minimum version, such as mvn or java>=21"
    ),
}
"""What is expected, by the pattern of a text."""


def from_pydantic(
    where: str,
    error: ValidationError,
    model: type[BaseModel] | None = None,
    content: object = None,
    within: str = "",
) -> list[Problem]:
    """Turn a pydantic error into problems with dotted keys, and suggest similar names.

    `content` is that of the file, if keys shall be shown as it has them.
    `within` is the table of the file that the model describes; "" is the whole file.
    """
    problems: list[Problem] = []
    unions: dict[str, tuple[object, set[tuple[str, str]]]] = {}
    meant: set[str] = set()
    for item in error.errors():
        parts = _as_written([part for part in item["loc"] if part != "[key]"], content)
        alternative = (parts[-1], item["type"]) if parts else ("", "")
        if alternative in ALTERNATIVES:
            unions.setdefault(".".join(parts[:-1]), (item["input"], set()))[1].add(alternative)
            continue
        key = ".".join(parts)
        if special := _of_special_type(where, key, item):
            problems += special
        elif item["type"] == "missing":
            table = ".".join(part for part in (within, key) if part)
            of_table = model if where.endswith(".toml") else None
            expected = _what_is_missing(of_table, item["loc"], table) if of_table else "a value"
            problems.append(Problem(where, key, None, expected))
        elif item["type"] == "extra_forbidden":
            known = _keys(model, item["loc"][:-1]) if model else ()
            name = item["loc"][-1]
            hint = "" if name in known else close_match(name, known)  # one of another kind of table
            problems.append(Problem(where, key, item["input"], "no such key", hint))
            if hint:
                meant.add(".".join([*parts[:-1], closest(name, known)]))
        else:
            expected = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
            expected = expected.replace("a valid boolean", "true or false")
            pattern = item.get("ctx", {}).get("pattern", "")
            if item["type"] in MODELS:
                expected = _table_of(model, item["loc"], item["input"])
            words = item["input"].split() if isinstance(item["input"], str) else []
            if item["type"] in LISTS and words:
                expected = f"a list, such as {json.dumps(words, ensure_ascii=False)}"
            else:
                expected = FORMS.get(pattern) or KINDS.get(item["type"]) or expected
            if item["type"].startswith(("greater_than", "less_than")):
                expected = f"a number {expected}"
            expected, similar, name = expected.partition(SIMILAR)
            quoted = item["type"] in NUMBER_TYPES and _is_number(item["input"])
            hint = "write it without quotes" if quoted else similar.removeprefix("; ") + name
            problems.append(Problem(where, key, item["input"], expected, hint))
    for key, (value, missed) in unions.items():
        forms = [words for alternative, words in ALTERNATIVES.items() if alternative in missed]
        problems.append(Problem(where, key, value, ", ".join(dict.fromkeys(forms))))
    # A required key that is misspelt is one mistake, not also a missing key.
    return [each for each in problems if each.value is not None or each.key not in meant]


def _is_number(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[-+]?[0-9]+(\.[0-9]+)?", value) is not None


def _as_written(location: Sequence[int | str], content: object) -> list[str]:
    """Return the keys that lead to a value, without what pydantic adds to those of the file.

    That is the kinds of tables, and the index of a value that may be a list of one.
    """
    parts = []
    of_kind: object = None
    for part in location:
        if (
            isinstance(content, Mapping)
            and content.get("kind") == part
            and part not in content
            and content is not of_kind
        ):
            of_kind = content  # the next part of this name is a key that is missing
            continue
        if isinstance(part, int) and isinstance(content, str | Mapping):
            continue
        parts.append(str(part))
        if isinstance(content, Mapping):
            content = content.get(part)
        elif isinstance(content, list) and isinstance(part, int):
            content = content[part]
        else:
            content = None
    return parts


def _of_special_type(where: str, key: str, item: ErrorDetails) -> list[Problem]:
    """Return the problems of an error that is not about one value; [] for any other error."""
    match item["type"]:
        case "json_invalid":
            broken = item["msg"].removeprefix("Invalid JSON: ")
            return [Problem(where, key, f"not valid JSON: {broken}", "")]
        case "union_tag_invalid" | "union_tag_not_found":
            return [_wrong_kind(where, key, item)]
        case file_model.MISFITS:
            return [
                Problem(
                    where,
                    f"{key}.{misfit.key}".strip("."),
                    misfit.value,
                    misfit.expected,
                    misfit.hint,
                )
                for misfit in item["ctx"][file_model.MISFITS]
            ]
    return []


def _wrong_kind(where: str, key: str, item: ErrorDetails) -> Problem:
    """Return the problem of a table whose `kind` is missing or unknown."""
    context = item.get("ctx", {})
    key = f"{key}.{context['discriminator'].strip(chr(39))}"
    if "tag" not in context:
        return Problem(where, key, None, "a value")
    known = re.findall(r"'([^']+)'", context["expected_tags"])
    return Problem(where, key, context["tag"], one_of(known), close_match(context["tag"], known))


def _keys(model: type[BaseModel], path: Sequence[int | str]) -> set[str]:
    """Return the keys of the table that a path leads to, as files spell them."""
    return {name for each in _models_at(model, path) for name, _ in _fields(each)}


def _what_is_missing(model: type[BaseModel], path: Sequence[int | str], table: str) -> str:
    """Return the words for a missing value: for a table, its header and the keys that it needs."""
    declared = [
        field.annotation
        for each in _models_at(model, path[:-1])
        for name, field in _declared(each)
        if name == path[-1] and field.is_required()
    ]
    form = get_origin(declared[0]) or declared[0] if len(declared) == 1 else None
    models = list(_models_in(declared[0])) if form else []
    named = form in {dict, Mapping}
    if not named and (not models or form in {list, tuple}):
        return "a value"
    keys = [[name for name, field in _declared(each) if field.is_required()] for each in models]
    common = [name for name in keys[0] if all(name in each for each in keys)] if keys else []
    header = f"at least one table [{table}.NAME]" if named and models else f"a table [{table}]"
    if any(isinstance(part, int) for part in path):  # a header cannot have the number of an entry
        header = "a table"
    return f"{header} with {listed(common)}" if common else header


def _table_of(model: type[BaseModel] | None, path: Sequence[int | str], value: object) -> str:
    """Return the words for an expected table, with a key whose value the given one may be."""
    models = _models_at(model, path) if model else set()
    fields = (
        [annotation for each in models for annotation in _fields(each)] if len(models) == 1 else []
    )
    key = next((name for name, annotation in fields if annotation is type(value)), "")
    return f"a table, such as {{ {key} = {shorten(value)} }}" if key else "a table"


def _models_at(model: type[BaseModel], path: Sequence[int | str]) -> set[type[BaseModel]]:
    """Return the models of the table that a path leads to."""
    models = {model}
    for part in path:
        below = {
            found
            for each in models
            for name, annotation in _fields(each)
            if name == part
            for found in _models_in(annotation)
        }
        models = below or models  # the name of one of several tables leads no deeper
    return models


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    for name, declared in _declared(model):
        yield name, declared.annotation


def _declared(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the keys of a table, as files spell them, with their declarations."""
    for name, declared in model.model_fields.items():
        yield declared.alias or name, declared


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a type is made of: those of a union, or of a collection's items."""
    if hasattr(annotation, "model_fields"):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
