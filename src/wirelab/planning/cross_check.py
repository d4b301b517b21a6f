"""Compare a study with the domain and the contenders that it names."""

from collections.abc import Collection, Iterator

from wirelab.domain import Domain
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import add_problem, shown
from wirelab.installation.search_path import CONTENDER_FILES
from wirelab.study.experiment import OpenData
from wirelab.study.levels import OWN_STORE
from wirelab.study.load import STUDY_FILE, Study
from wirelab.study.workload import Workload
from wirelab.terminal.words import listed


def check_against(
    study: Study,
    domain: Domain,
    contender_ids: Collection[str],
    no_contenders: Collection[str] = (),
) -> None:
    """Note the names in a study that its domain or contenders do not have.

    `no_contenders` are the folders in which a contender.toml may have been forgotten.
    """
    where = shown(study.folder / STUDY_FILE)
    folders = [f"{CONTENDER_FILES.partition('/')[0]}/{name}" for name in no_contenders]
    forgotten = f"{listed(folders)} {'has' if len(folders) == 1 else 'have'} no contender.toml"

    def must_be_known(key: str, name: str, known: Collection[str], hint: str = "") -> None:
        if name not in known:
            expected = f"{one_of(known)} (domain {domain.name})"
            add_problem(where, key, name, expected, hint or close_match(name, known))

    if not contender_ids:
        files = shown(domain.folder / CONTENDER_FILES)
        expected = f"a contender of {files}, but no such file exists"
        named = list(study.contenders)
        add_problem(where, "contenders", named, expected, forgotten if folders else "")
    for number, contender in enumerate(study.contenders if contender_ids else ()):
        alike = any(f"-{name}-" in f"-{contender}-" for name in no_contenders)
        hint = forgotten if alike else ""
        must_be_known(f"contenders.{number}", contender, contender_ids, hint)
    stores = _stores(domain)
    if "stores" in study.model_fields_set:
        for number, store in enumerate(study.stores):
            must_be_known(f"stores.{number}", store, stores)
    elif stores != [OWN_STORE]:
        expected = f"a list of stores: {one_of(stores)} (domain {domain.name})"
        hint = f'write stores = ["{stores[0]}"]' if stores else ""
        add_problem(where, "stores", None, expected, hint)
    for key, state in _states(study):
        must_be_known(key, state, domain.states)
    if domain.data.generator:
        for key, designs in _without_state(study):
            expected = f"a state: {one_of(domain.states)} (domain {domain.name})"
            of_designs = f"design{'s' if len(designs) > 1 else ''} {listed(designs)}"
            add_problem(where, key, None, expected, f"or set data.state in the {of_designs}")
    for name, workload in study.workloads.items():
        key = f"workload.{name}"
        if operation := workload.operation:
            must_be_known(f"{key}.operation", operation, domain.operations)
        if operation in domain.operations:
            _check_use(where, key, workload, domain)


def _states(study: Study) -> Iterator[tuple[str, str]]:
    """Yield every state that a study names, with the key of its name."""
    data = {f"design.{name}.data": design.data for name, design in study.designs.items()}
    tables: dict[str, Workload | OpenData] = {
        **{f"workload.{name}": workload for name, workload in study.workloads.items()},
        **data,
    }
    for key, table in tables.items():
        if table.state:
            yield f"{key}.state", table.state
        if table.instances_from:
            yield f"{key}.instances_from", table.instances_from
    for key, open_data in data.items():
        for workload, state in open_data.states.items():
            yield f"{key}.states.{workload}", state


def _without_state(study: Study) -> Iterator[tuple[str, list[str]]]:
    """Yield the key of every state that is missing, with the designs that leave it open, too."""
    for name, workload in study.workloads.items():
        designs = [
            design_name
            for design_name, design in study.designs.items()
            if not design.data.fill(name, workload).state
        ]
        if designs:
            yield f"workload.{name}.state", designs


def _stores(domain: Domain) -> list[str]:
    if not domain.data.generator:
        return [OWN_STORE]
    declared = [name for name in type(domain.stores).model_fields if getattr(domain.stores, name)]
    variants = ("postgresql-container", "postgresql-defaults") if "postgresql" in declared else ()
    return [*declared, *variants] or [OWN_STORE]


def _check_use(where: str, key: str, workload: Workload, domain: Domain) -> None:
    operation = domain.operations[workload.operation]
    if workload.instances and not domain.data.queries:
        add_problem(
            where,
            f"{key}.instances",
            True,
            f"false, since the domain {domain.name} has no query generator ([data] queries)",
        )
    for name, value in workload.parameters.items():
        if name not in operation.parameters:
            add_problem(
                where,
                f"{key}.parameters.{name}",
                value,
                f"a parameter of {workload.operation}: {one_of(operation.parameters)}",
                close_match(name, operation.parameters),
            )
            continue
        for each in value if isinstance(value, list | tuple) else (value,):
            if expected := operation.why_unfit(name, each):
                add_problem(where, f"{key}.parameters.{name}", each, expected)
    touches_store = operation.effect != "none"
    if workload.control and touches_store:
        add_problem(
            where,
            f"{key}.control",
            True,
            f"false, since {workload.operation} touches the store",
            "a control needs an operation whose effect is none",
        )
