"""Which tables of domain.toml are declared but not valid.

Other files may refer to them: that the domain lacks them is no further mistake.
"""

from collections.abc import Collection, Mapping
from typing import Any

from wirelab.domain.model import Domain, DomainFile
from wirelab.protocol import registry

Table = tuple[str, ...]

REFERRED: tuple[Table, ...] = (("data",), ("store",), ("state",), ("operation",))
"""The tables that studies and contenders refer to."""


def unread_tables(
    raw: Mapping[str, Any], domain: Domain, invalid: Collection[Table]
) -> frozenset[Table]:
    """Return the tables that the content of domain.toml has and the domain read from it lacks.

    `invalid` are tables in whose place the domain has an empty one.
    """
    if raw.keys() - DomainFile.model_fields.keys():  # a misspelt name may stand for any of them
        return frozenset(REFERRED)
    read = {
        *(("state", name) for name in domain.states),
        *(("operation", name) for name in domain.operations),
        *(
            ("operation", name, protocol)
            for name, operation in domain.operations.items()
            for protocol in operation.bindings
        ),
    }
    return frozenset((_declared(raw) - read) | set(invalid))


def _declared(raw: Mapping[str, Any]) -> set[Table]:
    declared: set[Table] = set()
    for kind in ("state", "operation"):
        tables = raw.get(kind, {})
        if not isinstance(tables, Mapping):
            declared.add((kind,))
            continue
        declared |= {(kind, name) for name in tables}
        if kind == "operation":
            declared |= {
                (kind, name, protocol)
                for name, table in tables.items()
                for protocol in registry.NAMES
                if isinstance(table, Mapping) and protocol in table
            }
    return declared
