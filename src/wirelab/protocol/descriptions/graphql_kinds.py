"""The kinds of values that the variables of a GraphQL document take."""

from collections.abc import Iterator, Mapping

from graphql import (
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLSchema,
    OperationDefinitionNode,
    get_nullable_type,
    is_enum_type,
    type_from_ast,
)

from wirelab.domain.kinds import BOOLEAN, LIST, NUMBER, TABLE, TEXT, WHOLE, Kinds
from wirelab.protocol.key_case import to_camel
from wirelab.protocol.template import parameter_of

OF_SCALAR: Mapping[str, Kinds] = {
    "Int": WHOLE,
    "Float": NUMBER,
    "String": TEXT,
    "Boolean": BOOLEAN,
    "ID": TEXT | WHOLE,
}
"""The kinds of values of the scalars that every schema has; others may have any."""


def kinds_in_variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode, variables: Mapping[str, object]
) -> Iterator[tuple[str, Kinds]]:
    """Yield the parameters that are whole values of variables, and the kinds of these values."""
    declared = {each.variable.name.value: each for each in operation.variable_definitions or ()}
    for key, value in variables.items():
        definition = declared.get(key) or declared.get(to_camel(key))
        if definition is not None:
            yield from _in_value(type_from_ast(schema, definition.type), value)


def _in_value(type_: object, value: object) -> Iterator[tuple[str, Kinds]]:
    plain = get_nullable_type(type_)  # type: ignore[call-overload]
    if name := parameter_of(value):
        if kinds := _kinds(plain):
            yield name, kinds
    elif isinstance(value, Mapping) and isinstance(plain, GraphQLInputObjectType):
        for key, inner in value.items():
            field = plain.fields.get(key) or plain.fields.get(to_camel(key))
            if field is not None:
                yield from _in_value(field.type, inner)


def _kinds(type_: object) -> Kinds | None:
    """Return the kinds of JSON values of a nullable type; None if a schema may define them."""
    if isinstance(type_, GraphQLInputObjectType):
        return TABLE
    if isinstance(type_, GraphQLList):
        return LIST
    if is_enum_type(type_):
        return TEXT
    return OF_SCALAR.get(getattr(type_, "name", ""))
