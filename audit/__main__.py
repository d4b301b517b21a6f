"""Audit what wirelab is made of: `python -m audit [licences | notices | all]`."""

import argparse
import sys

from audit.checks import Outcome, State, checks
from audit.components import Component, locked
from audit.licences import Policy, licences_of
from audit.notices import PAGE, page, read, stale

FETCH = "fetch these components (cargo fetch, go mod download, pip install, mvn) and repeat"
"""How to make the licences of locked components readable on this machine."""


def main() -> int:
    """Do what is asked; 1: something must be mended."""
    parser = argparse.ArgumentParser(prog="python -m audit", description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=("licences", "notices", "all"))
    parser.add_argument("--check", action="store_true", help="only tell whether the page is stale")
    chosen = parser.parse_args()
    if chosen.what == "notices":
        return _check_notices() if chosen.check else _write_notices()
    outcomes = [_licences()]
    _print(outcomes[0])
    if chosen.what == "all":
        for outcome in checks():
            outcomes.append(outcome)
            _print(outcome)
    return 1 if any(outcome.state == State.FOUND for outcome in outcomes) else 0


def _print(outcome: Outcome) -> None:
    print(f"{outcome.name}: {outcome.state}: {outcome.summary}", flush=True)
    for line in outcome.details.splitlines():
        print(f"    {line}")


def _known() -> tuple[dict[Component, str], list[Component]]:
    """Return licences, and what is not on this machine, whose licence THIRD-PARTY.md remembers."""
    policy, before = Policy.read(), read()
    licences, absent = {}, []
    for component, words in licences_of(locked()).items():
        if words is None:
            absent.append(component)
        licences[component] = policy.licence(
            component, before.get(component, "") if words is None else words
        )
    return licences, absent


def _licences() -> Outcome:
    policy = Policy.read()
    licences, absent = _known()
    unread = [it for it in absent if not licences[it]]
    bad = [
        f"{it.kind} {it.name} {it.version}: {licence or 'none is named'}"
        for it, licence in licences.items()
        if it not in unread and not policy.allows(it, licence)
    ]
    summary = f"{len(licences) - len(unread)} components"
    if unread:
        summary += f"; {len(unread)} are not on this machine, so their licences were not read"
    hint = "allow a licence, or a component, in audit/policy.toml, or do without it"
    details = "\n".join([*bad, hint]) if bad else ""
    return Outcome("licences", State.FOUND if bad else State.CLEAN, summary, details)


def _write_notices() -> int:
    licences, _ = _known()
    PAGE.write_text(page(locked(), licences))
    unknown = [it for it, licence in licences.items() if not licence]
    for it in unknown:
        print(f"{PAGE.name}: no licence of {it.kind} {it.name} {it.version} found", file=sys.stderr)
    if unknown:
        print(f"hint: {FETCH}, or enter the licence in audit/policy.toml", file=sys.stderr)
    return 1 if unknown else 0


def _check_notices() -> int:
    differences = stale(locked())
    for line in differences:
        print(f"{PAGE.name}: {line}", file=sys.stderr)
    if differences:
        print("hint: `make docs` writes it anew", file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
