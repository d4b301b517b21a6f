"""Compare a study with the domain and the contenders that it names."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from wirelab.close_match import close_match, one_of
from wirelab.problems import Problem, Problems
from wirelab.search_path import CONTENDER_FILES
from wirelab.study.levels import OWN_STORE
from wirelab.study.load import STUDY_FILE, Study
from wirelab.study.workload import Workload

if TYPE_CHECKING:
    from wirelab.domain import Domain


def check_against(study: Study, domain: "Domain", contender_ids: Collection[str]) -> list[Problem]:
    """List the names in a study that its domain or contenders do not have."""
    problems = Problems()
    where = str(study.folder / STUDY_FILE)

    def must_be_known(key: str, name: str, known: Collection[str]) -> None:
        if name not in known:
            problems.add(
                where,
                key,
                name,
                f"{one_of(known)} (domain {domain.name})",
                close_match(name, known),
            )

    if not contender_ids:
        expected = f"a contender of {domain.folder / CONTENDER_FILES}, and there is no such file"
        problems.add(where, "contenders", list(study.contenders), expected)
    for number, contender in enumerate(study.contenders if contender_ids else ()):
        must_be_known(f"contenders.{number}", contender, contender_ids)
    for number, store in enumerate(study.stores):
        must_be_known(f"stores.{number}", store, _stores(domain))
    for name, workload in study.workloads.items():
        key = f"workload.{name}"
        if not workload.mix:
            must_be_known(f"{key}.operation", workload.operation, domain.operations)
        for state in ("state", "instances_from"):
            if named := getattr(workload, state):
                must_be_known(f"{key}.{state}", named, domain.states)
        if workload.operation in domain.operations:
            _check_use(where, key, workload, domain, problems)
    for name, design in study.designs.items():
        for state in ("state", "instances_from"):
            if named := getattr(design.data, state):
                must_be_known(f"design.{name}.data.{state}", named, domain.states)
        for workload_name, named in design.data.states.items():
            key = f"design.{name}.data.states.{workload_name}"
            must_be_known(key, named, domain.states)
    return problems.found


def _stores(domain: "Domain") -> list[str]:
    if not domain.data.generator:
        return [OWN_STORE]
    return [name for name in type(domain.stores).model_fields if getattr(domain.stores, name)]


def _check_use(
    where: str, key: str, workload: Workload, domain: "Domain", problems: Problems
) -> None:
    operation = domain.operations[workload.operation]
    if workload.instances and not domain.data.queries:
        problems.add(
            where,
            f"{key}.instances",
            True,
            f"false, since the domain {domain.name} has no query generator ([data] queries)",
        )
    for name, value in workload.parameters.items():
        if name not in operation.parameters:
            problems.add(
                where,
                f"{key}.parameters.{name}",
                value,
                f"a parameter of {workload.operation}: {one_of(operation.parameters)}",
                close_match(name, operation.parameters),
            )
    touches_store = operation.effect != "none"
    if workload.control and touches_store:
        problems.add(
            where,
            f"{key}.control",
            True,
            f"false, since {workload.operation} touches the store",
            "a control needs an operation whose effect is none",
        )
