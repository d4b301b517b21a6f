"""Propose projections: from each protocol's answer to the values that all have in common."""

import re
from collections.abc import Mapping, Sequence

from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.names import words

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MOST = 30


def propose(
    offers: Sequence[Offer], defaults: Mapping[str, Mapping[str, str]] | None = None
) -> dict[str, str]:
    """Propose a JMESPath expression for each protocol; none if they have no values in common.

    `defaults` are the values that represent null, by protocol and name.
    """
    members = {offer.protocol: _members(offer, offers) for offer in offers}
    chosen = _shared([found for _, found in members.values()])
    if not chosen:
        return {}
    expressions = {}
    for protocol, (container, found) in members.items():
        unset = (defaults or {}).get(protocol, {})
        inner = ", ".join(
            f"{name}: {_path(found[name])}" + (f" || {unset[name]}" if name in unset else "")
            for name in chosen
        )
        nested = _path(container.removesuffix("*").strip("/"))
        if container.endswith("*"):
            nested = f"{nested}[]" if nested else "[]"
        dot = "." if nested else ""
        expressions[protocol] = f"{nested}{dot}{{{inner}}}"
    return expressions


def names_in_common(offers: Sequence[Offer]) -> list[str]:
    """Return the names of the values that proposed projections of all protocols contain."""
    return _shared([_members(offer, offers)[1] for offer in offers])


def _shared(members: Sequence[Mapping[str, str]]) -> list[str]:
    first = members[0] if members else {}
    return [name for name in first if all(name in found for found in members)][:MOST]


def _members(offer: Offer, all_of_them: Sequence[Offer]) -> tuple[str, dict[str, str]]:
    """Return the path of the object or objects in an answer, and their values by common name."""
    others = [
        {"_".join(words(part)) for path in each.answer for part in path.split("/")[-1:]}
        for each in all_of_them
        if each is not offer
    ]
    best: tuple[int, str, dict[str, str]] = (-1, "", {})
    for container in _containers(offer):
        inside = _inside(offer.answer, container)
        alike = sum(name in other for name in inside for other in others) if others else len(inside)
        if alike > best[0]:
            best = (alike, container, inside)
    return best[1], best[2]


def _containers(offer: Offer) -> list[str]:
    """Return possible paths of the objects: below the first list, or in an object near the root."""
    if offer.lists:
        return list(
            dict.fromkeys(path[: path.index("*") + 1] for path in offer.answer if "*/" in path)
        )
    tops = [path.partition("/")[0] for path in offer.answer if "/" in path]
    return ["", *dict.fromkeys(top for top in tops if top != "*")]


def _inside(answer: Mapping[str, str], container: str) -> dict[str, str]:
    """Return the values inside a container by common name, each with its path in the container."""
    prefix = f"{container}/" if container else ""
    paths: dict[str, str] = {}
    for path in answer:
        if not path.startswith(prefix):
            continue
        inside = path[len(prefix) :].removesuffix("/*")
        if not inside or "*" in inside:
            continue
        name = "_".join(word for part in inside.split("/") for word in words(part))
        if name and name not in paths and inside.count("/") < 3:
            paths[name] = inside
    return paths


def _path(path: str) -> str:
    """Write a path in JMESPath."""
    parts = [part for part in path.split("/") if part]
    return ".".join(part if _PLAIN.fullmatch(part) else f'"{part}"' for part in parts)
