"""Read a GraphQL schema: its queries and mutations, with documents that select all values.

A document selects the scalar values of an answer and of its nested objects, as deep as DEEPEST,
since schemas may be recursive.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    build_schema,
    get_named_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_required_argument,
)

from wirelab.domain.model import Effect
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.graphql import schema_of
from wirelab.scaffold.descriptions.offer import (
    DOCUMENTS,
    LeftOut,
    Offer,
    OfferedInterface,
    Parameter,
)
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import operation_name

DEEPEST = 3
MOST_FIELDS = 40
MOST_VALUES = 200
"""Maximum number of values in one document: types that refer to each other have no end."""
KINDS = {"Int": "integer", "Float": "number", "Boolean": "boolean"}
PAGES = {"first": 20, "limit": 20, "pagesize": 20, "take": 20, "perpage": 20}
"""Arguments that limit the number of results: some servers require them despite their schemas."""


def read_sdl(file: Path) -> OfferedInterface:
    """Read the operations of a schema. Raises `ProblemsError` if it is not a schema."""
    try:
        text = file.read_text(encoding="utf-8")
        try:
            schema = schema_of(text)
        except TypeError:
            schema = build_schema(text, assume_valid=True, assume_valid_sdl=True)
    except (GraphQLError, TypeError, KeyError, UnicodeDecodeError, RecursionError) as error:
        broken = " ".join(str(error).split())[:300]
        raise ProblemsError([Problem(str(file), "", broken, "a GraphQL schema")]) from None
    offers: list[Offer] = []
    left_out: list[LeftOut] = []
    names: set[str] = set()
    roots: tuple[tuple[str, Effect, GraphQLObjectType | None], ...] = (
        ("query", "read", schema.query_type),
        ("mutation", "write", schema.mutation_type),
    )
    for word, effect, root in roots:
        for name, field in (root.fields if root else {}).items():
            made = _offer(word, effect, name, field, names)
            (offers if isinstance(made, Offer) else left_out).append(made)  # type: ignore[arg-type]
    if schema.subscription_type:
        left_out += [
            LeftOut(f"subscription {name}", "is a stream of events")
            for name in schema.subscription_type.fields
        ]
    if not offers and not left_out:
        raise ProblemsError([Problem(str(file), "Query", None, "a schema with queries")])
    return OfferedInterface("graphql", tuple(offers), tuple(left_out))


def _offer(
    word: str, effect: Effect, name: str, field: GraphQLField, names: set[str]
) -> Offer | LeftOut:
    parameters, declared, passed, variables = [], [], [], {}
    for argument_name, argument in field.args.items():
        page = PAGES.get(argument_name.lower())
        if not is_required_argument(argument) and page is None:
            continue
        kind = get_named_type(argument.type)
        if kind.name == "Upload":
            return LeftOut(f"{word} {name}", "uploads a file")
        parameters.append(
            Parameter(
                argument_name,
                _kind(argument.type),
                examples=_examples(kind, page),
            )
        )
        declared.append(f"${argument_name}: {argument.type}")
        passed.append(f"{argument_name}: ${argument_name}")
        variables[argument_name] = f"{{{argument_name}}}"
    selection = "\n".join(_selected(field.type, DEEPEST, "    ", set(), _Remaining()))
    if not selection and not is_leaf_type(get_named_type(field.type)):
        return LeftOut(f"{word} {name}", "returns no value that can be selected without arguments")
    chosen = operation_name(name, names)
    title = "".join(part.capitalize() for part in chosen.split("_"))
    head = f"{word} {title}" + (f"({', '.join(declared)})" if declared else "")
    call = f"  {name}" + (f"({', '.join(passed)})" if passed else "")
    body = f" {{\n{selection}\n  }}" if selection else ""
    file = f"{DOCUMENTS}/{chosen}.graphql"
    binding = {
        "document": file,
        **({"variables": variables} if variables else {}),
        "answer": f"/data/{name}",
    }
    values = dict(islice(_leaves(field.type, "", DEEPEST, set()), MOST_VALUES))
    return Offer(
        protocol="graphql",
        name=chosen,
        summary=" ".join((field.description or name).split())[:100],
        effect=effect,
        parameters=tuple(parameters),
        binding=binding,
        answer=values,
        lists=answers_list(values),
        documents={file: f"{head} {{\n{call}{body}\n}}\n"},
    )


def _members(kind: Any) -> Iterator[tuple[str, GraphQLField]]:
    """Yield the fields of a type that can be selected without arguments."""
    if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
        for name, field in kind.fields.items():
            if not any(is_required_argument(argument) for argument in field.args.values()):
                yield name, field


@dataclass
class _Remaining:
    """How many more values a document may select."""

    values: int = MOST_VALUES


def _selected(
    kind: Any, depth: int, indent: str, above: set[str], remaining: _Remaining
) -> Iterator[str]:
    """Yield the lines of a selection: first the scalar values, then the nested objects."""
    named = get_named_type(kind)
    if depth == 0 or named.name in above:
        return
    members = list(_members(named))
    plain = [name for name, field in members if is_leaf_type(get_named_type(field.type))]
    chosen = plain[: min(MOST_FIELDS, remaining.values)]
    remaining.values -= len(chosen)
    yield from (f"{indent}{name}" for name in chosen)
    for name, field in members:
        if remaining.values > 0 and name not in plain and not field.args:
            below = above | {named.name}
            inner = list(_selected(field.type, depth - 1, f"{indent}  ", below, remaining))
            if inner:
                yield f"{indent}{name} {{"
                yield from inner
                yield f"{indent}}}"
    if not chosen and not isinstance(named, GraphQLObjectType | GraphQLInterfaceType):
        yield f"{indent}__typename"


def _leaves(kind: Any, path: str, depth: int, above: set[str]) -> Iterator[tuple[str, str]]:
    inner = kind.of_type if is_non_null_type(kind) else kind
    if is_list_type(inner):
        yield from _leaves(inner.of_type, f"{path}/*", depth, above)
        return
    named = get_named_type(inner)
    if is_leaf_type(named):
        if path:
            yield path.removeprefix("/"), _kind(inner)
        return
    if depth and named.name not in above:
        for name, field in _members(named):
            if is_leaf_type(get_named_type(field.type)) or not field.args:
                yield from _leaves(field.type, f"{path}/{name}", depth - 1, above | {named.name})


def _kind(kind: Any) -> str:
    inner = kind.of_type if is_non_null_type(kind) else kind
    if is_list_type(inner):
        return "array"
    if isinstance(inner, GraphQLEnumType):
        return "enum"
    if isinstance(inner, GraphQLInputObjectType):
        return "object"
    return KINDS.get(get_named_type(inner).name, "string")


def _examples(kind: Any, page: int | None) -> tuple[object, ...]:
    if page is not None:
        return (page,)
    if isinstance(kind, GraphQLEnumType):
        return tuple(kind.values)
    return (True, False) if kind.name == "Boolean" else ()
