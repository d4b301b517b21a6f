"""Merge the offers of several protocols into one operation with common parameter names."""

from collections.abc import Mapping
from typing import Any

from wirelab.scaffold.descriptions.offer import Offer, Parameter
from wirelab.scaffold.matching import Match, same_parameter
from wirelab.scaffold.projection import propose
from wirelab.scaffold.querying.agreeing import Spelling


def operation_table(match: Match, spelling: Spelling) -> tuple[dict[str, Any], Offer]:
    """Return an operation's table in domain.toml, and an offer that represents it.

    A parameter has the name that the first protocol gives it, in all bindings. One that only
    another protocol needs becomes a constant if it has an example, otherwise a parameter as well.
    """
    first = match.offers[0]
    parameters = {each.name: each for each in first.parameters}
    bindings: dict[str, Any] = {}
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
            elif each.examples:
                spelled[each.name] = each.examples[0]
            else:
                parameters[each.name] = each
                spelled[each.name] = f"{{{each.name}}}"
        bindings[offer.protocol] = _renamed(dict(offer.binding), spelled)
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


def _renamed(value: Any, spelled: Mapping[str, object]) -> Any:
    """Replace placeholders by others, or by constants."""
    if isinstance(value, Mapping):
        return {key: _renamed(item, spelled) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, spelled) for item in value]
    if isinstance(value, str):
        whole = value.removeprefix("{").removesuffix("}")
        if value == f"{{{whole}}}" and whole in spelled:
            return spelled[whole]
        for name, new in spelled.items():
            value = value.replace(f"{{{name}}}", str(new))
    return value
