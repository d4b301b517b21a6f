"""Cautions about servers: what wirelab does not control, and versions that differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.bundle import ContenderRecord
from wirelab.terminal import words

MEANINGS = {
    "fresh_start": "wirelab did not start {}: the intervals do not contain the variation between"
    " two starts of a server",
    "restored_store": "the data of {} were not restored before each block, and may have changed"
    " meanwhile",
    "processes": "the processes of {} are not visible, so their CPU time and memory are unknown (on"
    " the same machine, --pid SIDE=PID names one)",
}


@dataclass(frozen=True)
class Uncontrolled(Caution):
    """A study does not control everything in servers that it did not start or fill."""

    TITLE = "wirelab did not control everything"
    contenders: Mapping[str, tuple[str, ...]]
    """Labels, by what is not controlled."""

    def _detail(self) -> str:
        return "; ".join(
            MEANINGS[what].format(words.listed(names)) for what, names in self.contenders.items()
        )


@dataclass(frozen=True)
class VersionsDiffer(Caution):
    """Packages have other versions in other environments, which can explain differences."""

    SEVERITY = "serious"
    TITLE = "Environments have different versions"
    contenders: Mapping[str, tuple[str, ...]]
    """Packages with their versions, by label."""

    def _detail(self) -> str:
        lines = (f"{label}: {', '.join(lines)}" for label, lines in self.contenders.items())
        return f"this is part of any difference between environments: {words.listed(lines)}"


def control(evidence: Evidence) -> Iterator[Caution]:
    """Find what is not controlled, and for which contenders."""
    uncontrolled = {}
    for what in MEANINGS:
        names = tuple(
            evidence.labels[name]
            for name, it in evidence.contenders.items()
            if what in it.not_controlled
        )
        if names:
            uncontrolled[what] = names
    if uncontrolled:
        yield Uncontrolled(uncontrolled)


def versions(evidence: Evidence) -> Iterator[Caution]:
    """Find packages whose version depends on the environment."""
    yield from different_versions(evidence.contenders, evidence.labels)


def different_versions(
    contenders: Mapping[str, ContenderRecord], labels: Mapping[str, str]
) -> Iterator[Caution]:
    """See `versions`."""
    differing = {
        labels[name]: tuple(record.version_lines)
        for name, record in contenders.items()
        if len({tuple(sorted(versions.items())) for versions in record.versions.values()}) > 1
    }
    if differing:
        yield VersionsDiffer(differing)
