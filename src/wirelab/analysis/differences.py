"""Differences between bundles besides the measurements: machine, versions, settings, study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.synopsis import Synopsis
from wirelab.terminal import words

_OF_THE_MOMENT = {"cpu frequency mhz"}
"""Facts of a machine that always vary and carry no information."""

CONTENDER = "contender"
"""The fact that every bundle with a contender contains: the contender's id."""

ABSENT = ""
"""The value of a fact that a bundle does not contain."""

Facts = Mapping[tuple[str, str], str]
"""The values in a bundle, by subject and fact."""


@dataclass(frozen=True, slots=True)
class RecordDifference:
    """A fact that differs between bundles: its subject, its name, and each bundle's value."""

    subject: str
    fact: str
    values: tuple[str, ...]


def find_differences(synopses: Sequence[Synopsis]) -> Iterator[RecordDifference]:
    """Find every fact that is not the same in all bundles, subjects in the order of a report."""
    facts = [dict(_facts(each)) for each in synopses]
    keys = dict.fromkeys(key for each in facts for key in each)
    subjects = list(dict.fromkeys(subject for subject, _ in keys))
    for subject, fact in sorted(keys, key=lambda key: subjects.index(key[0])):
        values = tuple(each.get((subject, fact), ABSENT) for each in facts)
        if len(set(values)) > 1 and (fact == CONTENDER or _is_everywhere(subject, facts)):
            yield RecordDifference(subject, fact, values)


def _is_everywhere(subject: str, facts: Sequence[Facts]) -> bool:
    """Return whether all bundles contain a contender; otherwise its absence is the difference."""
    held = [(subject, CONTENDER) in each for each in facts]
    return all(held) or not any(held)


def _facts(synopsis: Synopsis) -> Iterator[tuple[tuple[str, str], str]]:
    info = synopsis.info
    yield ("execution", "design"), info.design
    yield ("execution", "seed"), str(info.seed)
    yield ("execution", "blocks"), str(synopsis.blocks)
    yield ("execution", "margin"), f"±{words.percent(synopsis.margin_ratio)}"
    yield ("execution", "wirelab"), info.wirelab_version
    yield ("execution", "status"), info.status
    for name, text in words.flat(synopsis.host):
        if name not in _OF_THE_MOMENT:
            yield ("machine", name), text
    for place, known in synopsis.environments.items():
        for name, text in words.flat(known):
            yield (place, name), text
    for contender, record in synopsis.contenders.items():
        label = synopsis.labels.get(contender, contender)
        yield (label, CONTENDER), contender
        yield (label, "stack"), record.stack
        for name, text in words.flat(record.settings):
            yield (label, name), text
        for package, version in _versions(record.versions):
            yield (label, package), version


def _versions(versions: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each package's version, or its version in each environment if they differ."""
    for package in dict.fromkeys(name for found in versions.values() for name in found):
        places = {place: found[package] for place, found in versions.items() if package in found}
        if len(set(places.values())) == 1:
            yield package, next(iter(places.values()))
        else:
            yield package, ", ".join(f"{place} {version}" for place, version in places.items())
