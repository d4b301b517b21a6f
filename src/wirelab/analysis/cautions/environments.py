"""Differences between the environments in which contenders ran."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wirelab.analysis.model import Caution
from wirelab.bundle import ContenderRecord
from wirelab.terminal import words


def verification_time(events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Describe how long the comparison with the reference took, before and outside the runs."""
    seconds = [float(event["seconds"]) for event in events if event.get("event") == "compared"]
    if not seconds:
        return {}
    longest, whole = words.significant(max(seconds)), words.significant(sum(seconds))
    return {"verification": f"{whole} s before any run, {longest} s of it for one contender"}


def different_versions(
    contenders: Mapping[str, ContenderRecord], labels: Mapping[str, str]
) -> Iterator[Caution]:
    """Find packages whose version depends on the environment, which can explain differences."""
    found = [
        f"{labels[name]}: {', '.join(contender.version_lines)}"
        for name, contender in contenders.items()
        if len({tuple(sorted(versions.items())) for versions in contender.versions.values()}) > 1
    ]
    if found:
        yield Caution(
            "serious",
            "Environments have different versions",
            f"this is part of any difference between environments: {words.listed(found)}",
        )
