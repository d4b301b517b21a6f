"""The records of a bundle about its contenders."""

from collections.abc import Mapping

from wirelab.bundle import ContenderRecord
from wirelab.lab.contenders.external import not_controlled, shown_address
from wirelab.planning.plan import PlannedStudy

Versions = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Packages and versions, by contender and environment."""


def contender_records(
    plan: PlannedStudy, versions: Versions | None = None
) -> dict[str, ContenderRecord]:
    """Return a record for every contender; versions are known once they are built."""
    limits = plan.study.limits.contender.declared()
    taking_part = dict.fromkeys(cell.contender for cell in plan.schedule.cells)
    return {
        name: ContenderRecord(
            title=plan.contenders[name].title,
            protocol=plan.contenders[name].protocol,
            protocol_name=plan.contenders[name].protocol_name,
            stack=plan.contenders[name].stack,
            address=shown_address(plan.contenders[name]),
            not_controlled=not_controlled(plan.contenders[name], plan.domain),
            settings={**plan.contenders[name].settings, **limits},
            versions=(versions or {}).get(name, {}),
        )
        for name in taking_part
    }
