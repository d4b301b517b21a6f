"""Doubt matches whose answers differ in kind: a list over one protocol, an object over another."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirelab.domain.model import Common, Domain
from wirelab.scaffold.matching import Match
from wirelab.scaffold.querying.repeating import Answered
from wirelab.verify.equality.common_shape import ShapeError, projected

LIST, OBJECT, NULL, VALUE = "a list", "an object", "null", "a value"

Kinds = Mapping[str, str]
"""By protocol, the kind of its answer to one request."""


def different_kinds(domain: Domain, answered: Mapping[str, Sequence[Answered]]) -> dict[str, Kinds]:
    """Return the kinds of the first answers that differ in kind, by operation."""
    doubtful = {}
    for name, answers in answered.items():
        common = domain.operations[name].common
        kinds = next(filter(None, (_different(common, each) for each in answers)), None)
        if kinds:
            doubtful[name] = kinds
    return doubtful


def doubted(matches: Sequence[Match], kinds: Mapping[str, Kinds]) -> list[Match]:
    """Make those matches doubtful whose answers differ in kind, and add the reason.

    `kinds` are those that `different_kinds` returns.
    """
    return [
        _doubted(match, kinds[match.name]) if match.name in kinds else match for match in matches
    ]


def _doubted(match: Match, kinds: Kinds) -> Match:
    (first, expected), *others = (
        (each.protocol, kinds[each.protocol]) for each in match.offers if each.protocol in kinds
    )
    added = {
        protocol: f"; {first} returns {expected}, {protocol} {kind}"
        for protocol, kind in others
        if kind != expected
    }
    reasons = {
        protocol: reason + added.get(protocol, "") for protocol, reason in match.reasons.items()
    }
    doubtful = tuple(dict.fromkeys([*match.doubtful, *added]))
    return replace(match, reasons=reasons, doubtful=doubtful)


def _different(common: Common, answers: Answered) -> Kinds:
    """Return the kinds of the answers to one request if they differ, otherwise none.

    Null and an empty value may represent the same; the type of a single value is no kind.
    """
    values = {
        protocol: _projected(common, protocol, answer[0]) for protocol, answer in answers.items()
    }
    kinds = {protocol: _kind(value) for protocol, value in values.items()}
    different = {*kinds.values()}
    is_alike = len(different) < 2 or not any(values.values()) or not different & {LIST, OBJECT}
    return {} if is_alike else kinds


def _projected(common: Common, protocol: str, answer: object) -> object:
    """Return what is compared of an answer; the answer itself if the expression does not fit it."""
    try:
        return projected(common, protocol, answer)
    except ShapeError:
        return answer


def _kind(value: object) -> str:
    if value is None:
        return NULL
    return LIST if isinstance(value, list) else OBJECT if isinstance(value, dict) else VALUE
