"""Findings that are alike: of several calls, or of several contenders."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from wirelab.domain.refusal import FAULTS
from wirelab.terminal import words
from wirelab.verify.findings.finding import Finding
from wirelab.verify.findings.finding_reasons import Differs, WronglyAnswered, WronglyRefused


def grouped(findings: Iterable[Finding], calls: Mapping[str, int]) -> list[Finding]:
    """Merge the findings of calls that differ alike: for the same reason, at the same path.

    Paths that differ only in the indices of items are the same, with `*` as the index. Steps of
    sequences are merged with other calls, but not with each other: the steps before them may be
    the cause. `calls` is the number of calls of each operation.
    """
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for each in findings:
        place = each.contender, each.operation, _starred(each.path), each.workload
        key = each.severity, each.reason, each.when, *place
        alike.setdefault(key, []).append(each)
    return [
        _merged(same, calls.get(same[0].operation, 0))
        for each in alike.values()
        for same in _apart_from_steps(each)
    ]


def _merged(alike: Sequence[Finding], calls: int) -> Finding:
    """Return one finding for calls that differ alike, with the values of the first."""
    first = alike[0]
    is_same_path = len({each.path for each in alike}) == 1
    also = [where if is_same_path else _starred(where) for each in alike for where in each.also]
    return first.model_copy(
        update={
            "path": first.path if is_same_path else _starred(first.path),
            "times": len(alike),
            "calls": calls,
            "steps": tuple(step for each in alike for step in each.steps),
            "also": tuple(dict.fromkeys(also)),
            "log": next((each.log for each in alike if each.log), None),
        }
    )


def _starred(path: str) -> str:
    """Return a path with `*` for the indices of items."""
    return re.sub(r"/\d+(?=/|$)", "/*", path)


def _apart_from_steps(alike: Sequence[Finding]) -> list[list[Finding]]:
    """Return findings as one list that begins outside sequences; if all are steps, each alone."""
    ordered = sorted(alike, key=lambda each: bool(each.steps))
    return [[each] for each in ordered] if ordered[0].steps else [ordered]


def remarks_by_reason(findings: Iterable[Finding]) -> list[str]:
    """Render findings that refuse no contender: a line per reason, with contenders and operations.

    A finding that is the only one with its reason is rendered with its values.
    """
    by_reason: dict[str, list[Finding]] = {}
    for each in findings:
        if each.severity != "error":
            by_reason.setdefault(each.why() if each.when else str(each.reason), []).append(each)
    return [
        str(alike[0]) if len(alike) == 1 else f"{reason}: {'; '.join(_whom(alike))}"
        for reason, alike in by_reason.items()
    ]


def _whom(findings: Sequence[Finding]) -> Iterator[str]:
    """Name contenders with their operations, grouping those with the same operations."""
    operations: dict[str, list[str]] = {}
    for each in findings:
        of_contender = operations.setdefault(each.contender, [])
        place = f"{each.operation} {each.path}".strip()
        if place and place not in of_contender:
            of_contender.append(place)
    alike: dict[tuple[str, ...], list[str]] = {}
    for contender, names in operations.items():
        alike.setdefault(tuple(names), []).append(contender)
    for shared, contenders in alike.items():
        yield f"{words.listed(contenders)} ({words.listed(shared)})".removesuffix(" ()")


def shared_difference(findings: Iterable[Finding], contenders: Collection[str]) -> str:
    """Return a remark if all contenders, and at least two, differ alike from the reference.

    Then the reference is probably wrong. `contenders` are all that were verified. Returns "" if
    there is no such call. A server's fault is no answer, and refusals are alike if they are of the
    same kind.
    """
    whose: dict[tuple[object, ...], set[str]] = {}
    for each in findings:
        match each.reason:
            case WronglyRefused(refusal=refusal) if refusal not in FAULTS:
                got = ""
            case Differs() | WronglyAnswered():
                got = repr(each.got)
            case _:
                continue
        call = each.operation, each.path, each.reason, each.when, repr(each.expected), got
        whose.setdefault(call, set()).add(each.contender)
    alike = dict.fromkeys(str(call[0]) for call, them in whose.items() if them >= set(contenders))
    if not alike or len(contenders) < 2:
        return ""
    who = "both contenders" if len(contenders) == 2 else f"all {len(contenders)} contenders"
    return (
        f"{who} agree on an answer to {words.listed(alike)} that differs"
        " from the reference: check reference.py and the generator"
    )
