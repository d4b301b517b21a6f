"""Compare a study with the domain and the contenders that it names."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem, Problems, shown
from wirelab.installation.search_path import CONTENDER_FILES
from wirelab.study.experiment import OpenData
from wirelab.study.levels import OWN_STORE
from wirelab.study.mentions import Mentions
from wirelab.study.workload import Workload
from wirelab.terminal.words import listed

if TYPE_CHECKING:
    from wirelab.domain import Domain


def check_against(
    study: Mentions,
    domain: "Domain",
    contender_ids: Collection[str] | None,
    no_contenders: Collection[str] = (),
) -> list[Problem]:
    """List the names in a study that its domain or contenders do not have.

    `contender_ids` is None if not all of them are known. `no_contenders` are the folders in which
    a contender.toml may have been forgotten. A name in an invalid table of the domain
    is known, and nothing else is checked about it.
    """
    problems = Problems()
    where = study.where
    folders = [f"{CONTENDER_FILES.partition('/')[0]}/{name}" for name in no_contenders]
    forgotten = f"{listed(folders)} {'has' if len(folders) == 1 else 'have'} no contender.toml"

    def must_be_known(
        key: str, name: str, known: Collection[str], table: str = "", hint: str = ""
    ) -> None:
        if name not in known and not (table and domain.is_unread(table, name)):
            problems.add(
                where,
                key,
                name,
                f"{one_of(known)} (domain {domain.name})",
                hint or close_match(name, known),
            )

    if contender_ids is not None and not contender_ids:
        files = shown(domain.folder / CONTENDER_FILES)
        expected = f"a contender of {files}, but no such file exists"
        named = list(study.contenders.values())
        problems.add(where, "contenders", named, expected, forgotten if folders else "")
    for key, contender in study.contenders.items() if contender_ids else ():
        alike = any(f"-{name}-" in f"-{contender}-" for name in no_contenders)
        must_be_known(key, contender, contender_ids or (), hint=forgotten if alike else "")
    if not domain.is_unread("data") and not domain.is_unread("store"):
        stores = _stores(domain)
        for key, store in study.stores.items():
            must_be_known(key, store, stores)
        if not study.stores and "" not in study.unsure and stores != [OWN_STORE]:
            expected = f"a list of stores: {one_of(stores)} (domain {domain.name})"
            hint = f'write stores = ["{stores[0]}"]' if stores else ""
            problems.add(where, "stores", None, expected, hint)
    for key, state in _states(study):
        must_be_known(key, state, domain.states, "state")
    if domain.data.generator and not any(table[0] == "state" for table in domain.unread):
        for key, designs in _without_state(study):
            expected = f"a state: {one_of(domain.states)} (domain {domain.name})"
            of_designs = f"design{'s' if len(designs) > 1 else ''} {listed(designs)}"
            problems.add(where, key, None, expected, f"or set data.state in the {of_designs}")
    for name, workload in study.workloads.items():
        key = f"workload.{name}"
        if operation := workload.operation:
            must_be_known(f"{key}.operation", operation, domain.operations, "operation")
        if operation in domain.operations:
            _check_use(where, key, workload, domain, problems)
    return problems.found


def _states(study: Mentions) -> Iterator[tuple[str, str]]:
    """Yield every state that a study names, with the key of its name."""
    tables: dict[str, Workload | OpenData] = {
        **{f"workload.{name}": workload for name, workload in study.workloads.items()},
        **{f"design.{name}.data": data for name, data in study.data.items()},
    }
    for key, table in tables.items():
        if table.state:
            yield f"{key}.state", table.state
        if table.instances_from:
            yield f"{key}.instances_from", table.instances_from
    for name, data in study.data.items():
        for workload, state in data.states.items():
            yield f"design.{name}.data.states.{workload}", state


def _without_state(study: Mentions) -> Iterator[tuple[str, list[str]]]:
    """Yield the key of every state that is missing, with the designs that leave it open, too."""
    for name, workload in study.workloads.items():
        designs = [
            design
            for design, data in study.data.items()
            if not data.fill(name, workload).state and f"design.{design}" not in study.unsure
        ]
        if designs and f"workload.{name}" not in study.unsure:
            yield f"workload.{name}.state", designs


def _stores(domain: "Domain") -> list[str]:
    if not domain.data.generator:
        return [OWN_STORE]
    return [name for name in type(domain.stores).model_fields if getattr(domain.stores, name)]


def _check_use(
    where: str, key: str, workload: Workload, domain: "Domain", problems: Problems
) -> None:
    operation = domain.operations[workload.operation]
    if workload.instances and not domain.data.queries and not domain.is_unread("data"):
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
            continue
        for each in value if isinstance(value, list | tuple) else (value,):
            if expected := operation.why_unfit(name, each):
                problems.add(where, f"{key}.parameters.{name}", each, expected)
    touches_store = operation.effect != "none"
    if workload.control and touches_store:
        problems.add(
            where,
            f"{key}.control",
            True,
            f"false, since {workload.operation} touches the store",
            "a control needs an operation whose effect is none",
        )
