"""Merge the offers of several protocols into one operation with common parameter names."""

from collections.abc import Mapping
from typing import Any

from wirelab.scaffold.descriptions.offer import Offer, Parameter
from wirelab.scaffold.matching import Match, same_parameter
from wirelab.scaffold.projection import propose
from wirelab.scaffold.querying.agreeing import Spelling

UNSET = object()
"""Stands for a parameter that a request lacks."""


def operation_table(match: Match, spelling: Spelling) -> tuple[dict[str, Any], Offer]:
    """Return an operation's table in domain.toml, and an offer that represents it.

    A parameter has the name that the first protocol gives it, in all bindings. One that not all
    protocols have stays unset if it is optional; otherwise it becomes a constant if it has an
    example, or else a parameter as well.
    """
    first = match.offers[0]
    own = {each.name: each for each in first.parameters}
    parameters = dict(own)
    bindings: dict[str, Any] = {}
    unshared: set[str] = set()
    for offer in match.offers:
        spelled: dict[str, object] = {}
        left = [name for name in parameters if offer is not first]
        for each in offer.parameters:
            alone = len(offer.parameters) == len(first.parameters) == 1
            known = each.name if offer is first else same_parameter(each.name, left, alone=alone)
            if known is not None:
                spelled[each.name] = f"{{{known}}}"
                if known in left:
                    left.remove(known)
                parameters[known] = _joined(parameters[known], each)
            elif _is_optional(offer, each):
                spelled[each.name] = UNSET
            elif each.examples:
                spelled[each.name] = each.examples[0]
            else:
                parameters[each.name] = each
                spelled[each.name] = f"{{{each.name}}}"
        unshared |= {name for name in left if name in own and _is_optional(first, own[name])}
        bindings[offer.protocol] = _renamed(dict(offer.binding), spelled)
    for name in unshared:
        del parameters[name]
        spelled = {name: UNSET}
        bindings = {key: _renamed(each, spelled) for key, each in bindings.items()}
    table: dict[str, Any] = {
        "summary": first.summary,
        "effect": first.effect,
        "parameters": list(parameters),
    }
    if common := _common(match, spelling):
        table["common"] = common
    merged = Offer(
        protocol=first.protocol,
        name=first.name,
        summary=first.summary,
        effect=first.effect,
        parameters=tuple(parameters.values()),
        binding=first.binding,
        answer=first.answer,
        lists=first.lists,
    )
    return {**table, **bindings}, merged


def _common(match: Match, spelling: Spelling) -> dict[str, Any]:
    """Return how answers are compared, with the reasons of parts that are not."""
    several = len(match.offers) > 1
    merged_fields = {
        "project": propose(match.offers, spelling.defaults) if several else {},
        "sorted": spelling.ordered,
        "tolerance": spelling.tolerance,
        "#": "\n".join(spelling.reasons_to_ignore()),
        "ignored": list(spelling.varying),
    }
    return {key: value for key, value in merged_fields.items() if value}


def _joined(one: Parameter, other: Parameter) -> Parameter:
    if one.examples or not other.examples:
        return one
    return Parameter(one.name, one.kind, one.required, other.examples, one.schema)


def _is_optional(offer: Offer, parameter: Parameter) -> bool:
    """Return whether a request may lack a parameter, as it may lack any field of a message."""
    return not parameter.required or (offer.protocol == "grpc" and offer.effect != "write")


def _renamed(value: Any, spelled: Mapping[str, object]) -> Any:
    """Replace placeholders by others, or by constants; leave out what stays unset."""
    if isinstance(value, Mapping):
        unset = {f"{{{name}}}" for name, new in spelled.items() if new is UNSET}
        return {
            key: _renamed(item, spelled)
            for key, item in value.items()
            if not isinstance(item, str) or item not in unset
        }
    if isinstance(value, list):
        return [_renamed(item, spelled) for item in value]
    if isinstance(value, str):
        whole = value.removeprefix("{").removesuffix("}")
        if value == f"{{{whole}}}" and whole in spelled:
            return spelled[whole]
        for name, new in spelled.items():
            if new is UNSET:
                value = _without(value, f"{{{name}}}")
            else:
                value = value.replace(f"{{{name}}}", str(new))
    return value


def _without(path: str, placeholder: str) -> str:
    """Return a path without the query parameters that have a value."""
    before, _, query = path.partition("?")
    left = [each for each in query.split("&") if not each.endswith(f"={placeholder}")]
    return f"{before}?{'&'.join(left)}" if any(left) else before
