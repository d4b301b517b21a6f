"""What machines found when they had stood everything up, brought together in one bundle."""

from collections.abc import Mapping, Sequence

from wirelab.bundle import Bundle, ContenderRecord, Finding
from wirelab.cluster.machine import Machine
from wirelab.cluster.messages import Standing
from wirelab.experiment import Outcome
from wirelab.study import Cell


def leader(machines: Sequence[Machine]) -> Machine:
    """Return the machine that speaks for all: the first of those that can measure the most."""
    return min(machines, key=lambda machine: len(machine.unusable))


def unusable_everywhere(machines: Sequence[Machine]) -> dict[Cell, str]:
    """Return the cells that no machine can measure, and why the first cannot."""
    first, *others = machines
    return {
        cell: reason
        for cell, reason in first.unusable.items()
        if all(cell in machine.unusable for machine in others)
    }


def write_standing(
    bundle: Bundle, outcome: Outcome, lead: Machine, machines: Sequence[Machine]
) -> None:
    """Write what machines built, ran in and verified: all of the first, of others what differs."""
    assert lead.standing is not None, "a machine that did not stand cannot lead"
    others = {
        machine.name: machine.standing
        for machine in machines
        if machine is not lead and machine.standing is not None
    }
    bundle.write_contenders(_contenders(lead.standing, others))
    environments = dict(lead.standing.environments)
    for name, standing in others.items():
        environments |= {
            f"{level} on {name}": facts
            for level, facts in standing.environments.items()
            if lead.standing.environments.get(level) != facts
        }
    bundle.write_environments(environments)
    findings = list(lead.standing.findings)
    outcome.refused.extend(lead.standing.refused)
    for name, standing in others.items():
        findings.extend(
            found.model_copy(update={"where": f"{found.where} on {name}"})
            for found in standing.findings
            if found not in lead.standing.findings
        )
        outcome.refused.extend(each for each in standing.refused if each not in outcome.refused)
    bundle.write_findings(_told(findings, lead, bundle))
    bundle.write_answers(lead.standing.answers)
    if lead.standing.equality:
        bundle.write_equality(lead.standing.equality)
    for event in lead.standing.events:
        fields = {key: value for key, value in event.items() if key not in ("event", "at_utc")}
        bundle.append_event(str(event["event"]), machine=lead.name, **fields)


def _contenders(lead: Standing, others: Mapping[str, Standing]) -> dict[str, ContenderRecord]:
    """Add versions of other machines to those of the first, where they are not the same."""
    records = {}
    for contender, record in lead.contenders.items():
        versions = dict(record.versions)
        for name, standing in others.items():
            for environment, found in standing.contenders[contender].versions.items():
                if found != record.versions.get(environment, found):
                    versions[f"{environment} on {name}"] = found
        records[contender] = record.model_copy(update={"versions": versions})
    return records


def _told(findings: Sequence[Finding], lead: Machine, bundle: Bundle) -> list[Finding]:
    return [
        found.model_copy(update={"reason": lead.told(found.reason, bundle.path)})
        for found in findings
    ]
