"""Servers that answer as any description says: equal requests get equal answers.

Each module reads descriptions of one kind with somebody else's library, or by itself, and never
with wirelab's own readers, so that a mistake of theirs is not repeated by the server.
"""

from tests.support.mocks import graphql, grpc, rest, soap

MOCKS = {
    "rest": rest.serving,
    "graphql": graphql.serving,
    "grpc": grpc.serving,
    "soap": soap.serving,
}
"""By protocol: a context manager that takes a description and yields the server's address."""
