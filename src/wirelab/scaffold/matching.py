"""Find operations that are the same in several protocols: by name, type and values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.names import LIMITS, VERBS, nouns, spelled, words

SURE = 0.6
DOUBTFUL = 0.35
METHODS = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
METHOD = re.compile(r"[\w.]+/\w+")
"""The name of a method with its service: KV/Put."""


@dataclass(frozen=True, slots=True)
class Match:
    """One operation in several protocols; `reasons` by protocol, for all but the first."""

    offers: tuple[Offer, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    doubtful: tuple[str, ...] = ()
    """Protocols whose offer may be a different operation."""

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.offers[0].name


@dataclass(frozen=True, slots=True)
class Similarity:
    """The similarity of two offers, from 0 to 1, and the reason."""

    score: float
    reason: str
    has_same_keys: bool = False
    """Whether both require the same parameters."""


def match_offers(interfaces: Sequence[Sequence[Offer]]) -> list[Match]:
    """Match the offers of several interfaces; the first names the operations.

    The most similar are matched first, each offer once; among equally similar ones, those that
    require the same parameters. An offer without a counterpart is a match by itself.
    """
    matches = [[offer] for offer in interfaces[0]] if interfaces else []
    reasons: list[dict[str, str]] = [{} for _ in matches]
    doubtful: list[list[str]] = [[] for _ in matches]
    for others in interfaces[1:]:
        ranked = sorted(
            (
                (similarity, index, other)
                for index, offers in enumerate(matches)
                for other in others
                if (similarity := similarity_of(offers[0], other)).score >= DOUBTFUL
            ),
            key=lambda each: (-each[0].score, not each[0].has_same_keys),
        )
        indices: set[int] = set()
        taken: set[str] = set()
        for similarity, index, other in ranked:
            if index in indices or other.name in taken:
                continue
            indices.add(index)
            taken.add(other.name)
            matches[index].append(other)
            reasons[index][other.protocol] = similarity.reason
            if similarity.score < SURE:
                doubtful[index].append(other.protocol)
        for other in others:
            if other.name not in taken:
                matches.append([other])
                reasons.append({})
                doubtful.append([])
    return [
        Match(tuple(offers), why, tuple(doubts))
        for offers, why, doubts in zip(matches, reasons, doubtful, strict=True)
    ]


def similarity_of(one: Offer, other: Offer) -> Similarity:
    """Return the similarity of two offers of different protocols."""
    if one.effect != other.effect:
        return Similarity(0.0, "one reads, the other writes")
    if method := _same_method(one, other):
        return Similarity(1.0, f"both are {method}", keys_of(one) == keys_of(other))
    intents = intent(one), intent(other)
    if intents[0] != intents[1]:
        return Similarity(0.0, f"one is {intents[0]}, the other {intents[1]}")
    things = things_of(one), things_of(other)
    shared = things[0] & things[1]
    by_name = len(shared) / max(1, min(map(len, things)))
    fields = fields_of(one), fields_of(other)
    common = fields[0] & fields[1]
    by_type = len(common) / max(1, min(map(len, fields)))
    keys = keys_of(one), keys_of(other)
    by_keys = 1.0 if keys[0] == keys[1] or not (keys[0] and keys[1]) else 0.5
    reason = (
        f"both {intents[0]} {' '.join(sorted(shared)) or 'something'}; {len(common)} of"
        f" {min(map(len, fields))} values have the same name"
    )
    score = (0.6 * by_name + 0.4 * by_type) * by_keys
    return Similarity(score, reason, keys[0] == keys[1])


def _same_method(one: Offer, other: Offer) -> str:
    """Return the method of a service that two offers are, as KV/Put and KV_Put; "" if none."""
    known = {spelled(name): name for name in one.names}
    alike = [(known[spelled(name)], name) for name in other.names if spelled(name) in known]
    return next((name for pair in alike for name in pair if METHOD.fullmatch(name)), "")


def intent(offer: Offer) -> str:
    """Return what an operation does: get, list, create, update or delete."""
    if offer.effect != "write":
        return "list" if offer.lists else "get"
    if method := METHODS.get(str(offer.binding.get("method"))):
        named = next((VERBS[word] for word in words(offer.name) if word in VERBS), "")
        return named if named in ("update", "delete", "create") else method
    return next((VERBS[word] for word in words(offer.name) if word in VERBS), "create")


def things_of(offer: Offer) -> set[str]:
    """Return the nouns of an operation's name and path, in the singular."""
    named = [*words(offer.name)]
    if path := str(offer.binding.get("path", "")):
        named += words(re.sub(r"\{[^}]*\}|\?.*", " ", path))
    return {*nouns(named)}


def fields_of(offer: Offer) -> set[str]:
    """Return the names of the values of an answer, in a common spelling."""
    return {spelled(_last(path)) for path in offer.answer}


def keys_of(offer: Offer) -> set[str]:
    """Return the required parameters of an operation, except limits of the number of results."""
    named = {spelled(each.name) for each in offer.parameters}
    return {name.rpartition("_")[2] for name in named if name not in LIMITS}


def same_parameter(one: str, others: Sequence[str], *, alone: bool) -> str | None:
    """Return the counterpart of a parameter; with `alone`, there is only one on each side."""
    known = {spelled(other): other for other in others}
    mine = spelled(one)
    if mine in known:
        return known[mine]
    if mine in LIMITS:
        return next((other for name, other in known.items() if name in LIMITS), None)
    ends = [other for name, other in known.items() if name.split("_")[-1] == mine.split("_")[-1]]
    if len(ends) == 1:
        return ends[0]
    return others[0] if alone and len(others) == 1 else None


def _last(path: str) -> str:
    return next((part for part in reversed(path.split("/")) if part != "*"), path)
