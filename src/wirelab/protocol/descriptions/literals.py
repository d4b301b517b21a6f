"""Operations that send literals, apart from what needs graphql-core, which takes long to import."""

from dataclasses import replace

from wirelab.domain.model import Operation

GRAPHQL = "graphql"


def with_literals(operation: Operation) -> Operation:
    """Return an operation whose GraphQL documents contain literals instead of variables."""
    binding = operation.bindings.get(GRAPHQL)
    if binding is None:
        return operation
    rounds = tuple(
        tuple(request.model_copy(update={"inline": True}) for request in round_)
        for round_ in binding.rounds
    )
    return replace(
        operation, bindings={**operation.bindings, GRAPHQL: replace(binding, rounds=rounds)}
    )
