"""Write the results of `wirelab init`: a domain and a study, small, readable and editable."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wirelab.scaffold.access import Access
from wirelab.scaffold.descriptions.offer import DOCUMENTS, Offer, OfferedInterface
from wirelab.scaffold.matching import Match, intent, things_of
from wirelab.scaffold.merging import operation_table
from wirelab.scaffold.names import words
from wirelab.scaffold.projection import names_in_common
from wirelab.scaffold.querying.agreeing import Spelling
from wirelab.scaffold.toml_text import toml_text
from wirelab.terminal.words import protocol_title

PARAMETERS = "parameters.ndjson"
VARIABLES = {
    protocol: f"{protocol.upper()}_ADDRESS"
    for protocol in ("rest", "graphql", "grpc", "soap", "mcp")
}
PATHS = {"graphql": "/graphql", "mcp": "/mcp"}
"""The usual paths of servers, by protocol."""


def write_domain(
    folder: Path,
    name: str,
    interfaces: Sequence[OfferedInterface],
    descriptions: Mapping[str, Path],
    *,
    matches: Sequence[Match],
    addresses: Mapping[str, str],
    access: Access,
    spellings: Mapping[str, Spelling],
) -> dict[str, Offer]:
    """Write domain.toml, documents and contender.toml; return the operations by name.

    Documents of other operations, which were written before, are removed.
    """
    for earlier in (folder / DOCUMENTS).glob("*.graphql"):
        earlier.unlink()
    tables: dict[str, Any] = {}
    merged: dict[str, Offer] = {}
    for match in matches:
        table, offer = operation_table(match, spellings.get(match.name, Spelling()))
        reasons = [f"{protocol}: {why}" for protocol, why in match.reasons.items()]
        doubts = [f"doubtful: is {protocol} the same operation?" for protocol in match.doubtful]
        comments = {"#": "\n".join([*reasons, *doubts])} if reasons else {}
        tables[match.name] = {**comments, **table}
        merged[match.name] = offer
        for each in match.offers:
            for file, text in each.documents.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_text(text, encoding="utf-8")
    document = {
        "name": name,
        "title": name.replace("-", " ").replace("_", " ").capitalize(),
        "summary": f"{name}, as its servers offer it",
        "parameters": PARAMETERS,
        "one_backend": len(interfaces) > 1,
        "interface": {
            each.protocol: descriptions[each.protocol].relative_to(folder).as_posix()
            for each in interfaces
        },
        "operation": tables,
        "sequence": propose_sequences(matches, merged) if len(interfaces) > 1 else {},
    }
    (folder / "domain.toml").write_text(toml_text(document, inline_from=3), encoding="utf-8")
    (folder / PARAMETERS).touch()
    stack_folder = folder / "contenders" / "found"
    stack_folder.mkdir(parents=True, exist_ok=True)
    stack = {
        "stack": "found",
        "title": "Servers that are already running",
        "contender": {
            each.protocol: {
                "title": protocol_title(each.protocol),
                "protocol": each.protocol,
                "address": addresses.get(each.protocol, VARIABLES[each.protocol]),
                "path": declared_prefix(each.protocol, each.path),
                **access.keys(each.protocol, addresses.get(each.protocol)),
                **_hint(access.headers_of(each.protocol)),
            }
            for each in interfaces
        },
    }
    (stack_folder / "contender.toml").write_text(toml_text(stack), encoding="utf-8")
    return merged


def declared_prefix(protocol: str, path: str) -> str:
    """Return the prefix of paths in a description, whose own `path` may be empty."""
    return path or PATHS.get(protocol, "/")


def _hint(headers: Mapping[str, str]) -> dict[str, str]:
    return {} if headers else {"#": "headers = { authorization = 'Bearer ${TOKEN}' }"}


def write_parameters(
    folder: Path, parameters: Mapping[str, Sequence[Mapping[str, object]]]
) -> None:
    """Write the parameter sets, one per line, so that they can be read and edited."""
    lines = [
        json.dumps({"operation": name, "parameters": each}, ensure_ascii=False, default=str)
        for name, sets in parameters.items()
        for each in sets
        if each
    ]
    (folder / PARAMETERS).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_study(
    folder: Path, name: str, protocols: Sequence[str], operations: Mapping[str, Offer]
) -> None:
    """Write a study of the read operations."""
    folder.mkdir(parents=True, exist_ok=True)
    reads = {key: offer for key, offer in operations.items() if offer.effect == "read"}
    turns = {"milliseconds": 50}
    document = {
        "id": name,
        "title": f"{name}: {', '.join(map(protocol_title, protocols))}",
        "summary": "Which protocol answers faster?",
        "domain": "../domain",
        "contenders": list(protocols),
        "baseline": protocols[0],
        "environments": ["native"],
        "workload": {
            f"w-{key.replace('_', '-')}": {
                "title": offer.summary or key,
                "operation": key,
                "parameter_sets": 10,
            }
            for key, offer in reads.items()
        },
        "load": {"one-client": {"title": "one client", "kind": "closed", "clients": 1}},
        "design": {
            "smoke": {
                "summary": "six blocks, for a first answer",
                "blocks": 6,
                "warm_up": {"transactions": 50, "seconds": 0.1},
                "slices": {"permutations": 15, **turns},
            },
            "lab": {
                "summary": "ten blocks, for a reliable answer",
                "blocks": 10,
                "warm_up": {"transactions": 200, "seconds": 1.0},
                "slices": {"permutations": 30, **turns},
            },
        },
        "question": {"faster": {"text": "Which protocol answers faster?", "sentence": "{answer}."}},
    }
    (folder / "study.toml").write_text(toml_text(document), encoding="utf-8")


def propose_sequences(
    matches: Sequence[Match], merged: Mapping[str, Offer]
) -> dict[str, dict[str, Any]]:
    """Propose a sequence for each operation that creates or updates what another one reads.

    `merged` are the operations by name, with the parameters common to all protocols.
    """
    sequences = {}
    for write in matches:
        if intent(write.offers[0]) not in ("create", "update"):
            continue
        for read in matches:
            key = next(_keys(write, read, merged[read.name]), None)
            if key is not None:
                parameter, value = key
                sequences[write.name] = {
                    "summary": f"{read.name} returns the data that {write.name} wrote",
                    "steps": [
                        {"operation": write.name, "remember": {parameter: f"/{value}"}},
                        {"operation": read.name, "parameters": {parameter: f"{{{parameter}}}"}},
                    ],
                }
                break
    return sequences


def _keys(write: Match, read: Match, merged: Offer) -> Iterator[tuple[str, str]]:
    """Yield the only parameter of a read, and the value of a write's answer that may provide it."""
    writing, reading = write.offers[0], read.offers[0]
    things = things_of(writing)
    if intent(reading) != "get" or things_of(reading) != things or len(merged.parameters) != 1:
        return
    parameter = merged.parameters[0].name
    if named := words(parameter):
        known = names_in_common(write.offers)
        for name in (
            "_".join(named),
            named[-1],
            *(f"{thing}_{named[-1]}" for thing in sorted(things)),
        ):
            if name in known:
                yield parameter, name
