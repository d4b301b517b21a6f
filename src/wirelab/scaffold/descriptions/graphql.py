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
    DefinitionNode,
    DocumentNode,
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    TypeDefinitionNode,
    TypeExtensionNode,
    build_ast_schema,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_required_argument,
    is_scalar_type,
    parse,
)
from graphql.language import ast

from wirelab.domain.model import Effect
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.graphql import located, schema_of
from wirelab.scaffold.descriptions.given import NO_DETAILS, Details
from wirelab.scaffold.descriptions.offer import (
    DOCUMENTS,
    LeftOut,
    Offer,
    OfferedInterface,
    Parameter,
)
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.names import KEYS, LIMIT, LIMITS, operation_name, spelled, words
from wirelab.terminal.words import shortened

DEEPEST = 3
MOST_FIELDS = 40
MOST_VALUES = 200
"""Maximum number of values in one document: types that refer to each other have no end."""
KINDS = {"Int": "integer", "Float": "number", "Boolean": "boolean"}


def lenient_schema(text: str) -> GraphQLSchema:
    """Return a schema that need not be entirely valid: that of a federated subgraph, for example.

    A type that is only extended is as good as defined. Raises errors of graphql-core.
    """
    document = parse(text)
    defined = {
        each.name.value for each in document.definitions if isinstance(each, TypeDefinitionNode)
    }
    definitions: list[DefinitionNode] = []
    for each in document.definitions:
        if isinstance(each, TypeExtensionNode) and each.name.value not in defined:
            defined.add(each.name.value)
            definitions.append(_definition(each))
        else:
            definitions.append(each)
    completed = DocumentNode(definitions=tuple(definitions))
    return build_ast_schema(completed, assume_valid=True, assume_valid_sdl=True)


def _definition(extension: TypeExtensionNode) -> DefinitionNode:
    """Return an extension of a type as its definition."""
    form = getattr(ast, type(extension).__name__.replace("Extension", "Definition"))
    known: DefinitionNode = form(**{key: getattr(extension, key) for key in extension.keys})
    return known


def read_sdl(file: Path, details: Details = NO_DETAILS) -> OfferedInterface:
    """Read the operations of a schema. Raises `ProblemsError` if it is not a schema."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        try:
            schema = schema_of(text)
        except TypeError:
            schema = lenient_schema(text)
    except (GraphQLError, TypeError, KeyError, UnicodeDecodeError, RecursionError) as error:
        problem = Problem.unreadable(file, "a valid GraphQL schema", located(error))
        raise ProblemsError([problem]) from None
    offers: list[Offer] = []
    left_out: list[LeftOut] = []
    names: set[str] = set()
    roots: tuple[tuple[str, Effect, GraphQLObjectType | None], ...] = (
        ("query", "read", schema.query_type),
        ("mutation", "write", schema.mutation_type),
    )
    for word, effect, root in roots:
        for name, field in (root.fields if root else {}).items():
            declared: Effect = "read" if details.is_read(name) else effect
            made = _offer(word, declared, name, field, names, details=details)
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
    word: str,
    effect: Effect,
    name: str,
    field: GraphQLField,
    names: set[str],
    *,
    details: Details,
) -> Offer | LeftOut:
    parameters, declared, passed, variables = [], [], [], {}
    for argument_name, argument in _chosen(field, details):
        kind = get_named_type(argument.type)
        if kind.name == "Upload":
            return LeftOut(f"{word} {name}", "uploads a file")
        is_limit = spelled(argument_name) in LIMITS
        parameters.append(
            Parameter(
                argument_name,
                _kind(argument.type),
                examples=_examples(argument.type, is_limit=is_limit),
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
        summary=shortened(field.description or name, 100),
        effect=effect,
        parameters=tuple(parameters),
        binding=binding,
        answer=values,
        lists=answers_list(values),
        documents={file: f"{head} {{\n{call}{body}\n}}\n"},
        names=(name,),
    )


def _chosen(field: GraphQLField, details: Details) -> Iterator[tuple[str, GraphQLArgument]]:
    """Yield the arguments that a document passes: required ones, limits, and those with values.

    Some servers require a limit, or one of several keys, although their schemas do not say so.
    """
    required = any(map(is_required_argument, field.args.values()))
    key_is_open = not required and not is_list_type(get_nullable_type(field.type))
    for name, argument in field.args.items():
        is_number = not is_list_type(get_nullable_type(argument.type)) and (
            "int" in get_named_type(argument.type).name.lower()
        )
        is_limit = is_number and spelled(name) in LIMITS
        is_key = (
            key_is_open
            and is_scalar_type(get_nullable_type(argument.type))
            and (words(name)[-1:] and words(name)[-1] in KEYS)
        )
        if is_required_argument(argument) or is_limit or is_key or details.has_values(name):
            key_is_open = key_is_open and not is_key
            yield name, argument


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
    if depth == 0 or named.name in above or is_leaf_type(named):
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


def _examples(kind: Any, *, is_limit: bool) -> tuple[object, ...]:
    """Return values of an argument that its type suggests; a limit may be a text, too."""
    named = get_named_type(kind)
    if is_limit and is_scalar_type(get_nullable_type(kind)):
        return (str(LIMIT),) if named.name in ("String", "ID") else (LIMIT,)
    if isinstance(named, GraphQLEnumType):
        return tuple(named.values)
    return (True, False) if named.name == "Boolean" else ()
