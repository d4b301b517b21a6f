"""Merge the findings of all machines after setup into one bundle."""

from collections.abc import Mapping, Sequence

from wirelab.bundle import Bundle, ContenderRecord
from wirelab.bundle.run_reasons import RunReason
from wirelab.cluster.machine import ClusterMachine
from wirelab.cluster.station_messages import Event, SetupResult
from wirelab.experiment.context import StudyOutcome
from wirelab.study import Cell
from wirelab.verify import Finding


def leader(machines: Sequence[ClusterMachine]) -> ClusterMachine:
    """Return the machine that represents all: the first of those that can measure the most."""
    return min(machines, key=lambda machine: len(machine.unusable))


def unusable_everywhere(machines: Sequence[ClusterMachine]) -> dict[Cell, RunReason]:
    """Return the cells that no machine can measure, and why the first cannot."""
    first, *others = machines
    return {
        cell: reason
        for cell, reason in first.unusable.items()
        if all(cell in machine.unusable for machine in others)
    }


def write_setup_results(
    bundle: Bundle, outcome: StudyOutcome, machines: Sequence[ClusterMachine]
) -> None:
    """Write builds, environments and findings: those of one machine, and the differences of others.

    Every machine must be set up.
    """
    lead = leader(machines)
    setup = {machine: machine.setup for machine in machines if machine.setup is not None}
    first = setup.pop(lead)
    others = {machine.name: each for machine, each in setup.items()}
    bundle.write_contenders(_contenders(first, others))
    environments = dict(first.environments)
    for name, each in others.items():
        environments |= {
            f"{level} on {name}": facts
            for level, facts in each.environments.items()
            if first.environments.get(level) != facts
        }
    bundle.write_environments(environments)
    findings = _findings(lead, first, bundle)
    outcome.refused.extend(first.refused)
    for machine, each in setup.items():
        findings.extend(
            finding.model_copy(update={"machine": machine.name})
            for finding in _findings(machine, each, bundle)
            if finding not in findings
        )
        outcome.refused.extend(
            refused for refused in each.refused if refused not in outcome.refused
        )
    bundle.write_findings(findings)
    bundle.write_answers(first.answers)
    if first.equality:
        bundle.write_equality(first.equality)
    record_events(bundle, lead, first.events)


def record_events(bundle: Bundle, machine: ClusterMachine, events: Sequence[Event]) -> None:
    """Add the events of a machine to those of the bundle."""
    for event in events:
        fields = {key: value for key, value in event.items() if key not in ("event", "at_utc")}
        bundle.append_event(str(event["event"]), machine=machine.name, **fields)


def _findings(machine: ClusterMachine, setup: SetupResult, bundle: Bundle) -> list[Finding]:
    """Return the findings of verification on a machine, with the paths in the head's bundle."""
    return [machine.moved(finding, bundle.path) for finding in setup.findings]


def _contenders(lead: SetupResult, others: Mapping[str, SetupResult]) -> dict[str, ContenderRecord]:
    """Add versions of other machines to those of the first if they differ."""
    records = {}
    for contender, record in lead.contenders.items():
        versions = dict(record.versions)
        for name, setup in others.items():
            for environment, built in setup.contenders[contender].versions.items():
                if built != record.versions.get(environment, built):
                    versions[f"{environment} on {name}"] = built
        records[contender] = record.model_copy(update={"versions": versions})
    return records
