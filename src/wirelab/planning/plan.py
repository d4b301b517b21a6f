"""A plan: a study with its domain and contenders, checked for consistency, and its schedule."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.domain import Domain
from wirelab.domain.model import COUNT
from wirelab.domain.parameter_sets import require_values
from wirelab.domain.parameters import StoredColumn, StoredRow, parse
from wirelab.domain_file import find_domain_of, load_domain
from wirelab.inputs.bounds import MOST_BLOCKS
from wirelab.inputs.close_match import one_of
from wirelab.inputs.problems import (
    Problem,
    add_problems,
    add_unknown,
    captured_problems,
    collected_problems,
    noting_problems,
    require_at_least,
    shown,
)
from wirelab.installation.k6 import NO_K6, find_k6
from wirelab.lab.contenders.contender import (
    Contender,
    by_protocol,
    load_contenders,
    without_contender_file,
)
from wirelab.lab.environments.container.environment import Container
from wirelab.lab.environments.environment import Native
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.network.link import REMEDY, why_no_link
from wirelab.lab.network.proxy import find_nginx, why_no_nginx
from wirelab.lab.processes.limits import why_no_limits
from wirelab.lab.stores.open_store import IN_CONTAINERS
from wirelab.planning.cross_check import check_against
from wirelab.planning.schedule import Schedule, chosen_levels, default_design, find_design, schedule
from wirelab.study import (
    NO_NETWORK,
    NO_PROXY,
    Cell,
    ClosedLoad,
    Design,
    Study,
    load_study,
    never_answered,
    require_package,
)
from wirelab.study.workload import Workload

Unavailable = Callable[[Study, str, Collection[str], Mapping[str, Contender]], Mapping[str, str]]
"""Says which levels cannot be offered, and why: of a study, a design, chosen levels, contenders."""


@dataclass(frozen=True)
class PlannedStudy:
    """A study that can be run: its files are consistent."""

    study: Study
    domain: Domain
    contenders: Mapping[str, Contender]
    schedule: Schedule
    only: tuple[str, ...] = ()

    @property
    def design(self) -> Design:
        """The design that was chosen."""
        return self.study.designs[self.schedule.design]

    @property
    def data_seed(self) -> int:
        """The seed of the data: the study's, or otherwise that of the schedule."""
        own = self.study.data_seed
        return self.schedule.seed if own is None else own

    def within(self, budget_minutes: float | None) -> "PlannedStudy":
        """Return the plan with another budget than the design's; None changes nothing."""
        if budget_minutes is None:
            return self
        return replace(self, schedule=replace(self.schedule, budget_minutes=budget_minutes))


def unavailable_here(
    study: Study, design: str, only: Collection[str], contenders: Mapping[str, Contender]
) -> dict[str, str]:
    """Return which levels this machine cannot offer, and why.

    A contender is one of them only if no environment of the study can run it: a program that is
    missing here may be in an image.
    """
    chosen = chosen_levels(study, find_design(study, design), tuple(only))
    limits = study.in_design(design).limits
    reasons = {}
    for name in chosen["environment"]:
        environment = ENVIRONMENTS[name]
        natively = isinstance(environment, Native)
        no_limits = why_no_limits(limits.contender) if natively else ""
        reasons[name] = environment.missing() or no_limits
    usable = [ENVIRONMENTS[name] for name, reason in reasons.items() if not reason]
    for name in chosen["contender"]:
        cannot = [each.cannot_run(contenders[name]) for each in usable]
        reasons[name] = "; ".join(dict.fromkeys(cannot)) if all(cannot) else ""
        if limits.contender and contenders[name].address is not None:
            reasons[name] = "[limits.contender] cannot limit a server that wirelab does not start"
    for name in chosen["proxy"]:
        if name != NO_PROXY:
            natively = find_nginx(name) is not None
            reasons[name] = why_no_nginx(name) or (why_no_limits(limits.proxy) if natively else "")
    for name in chosen["load"]:
        load = study.loads[name]
        if isinstance(load, ClosedLoad) and load.client == "k6" and find_k6() is None:
            reasons[name] = NO_K6
    for name in chosen["store"]:
        if name in IN_CONTAINERS:
            reasons[name] = Container().missing()
    emulated = [name for name in chosen["network"] if name != NO_NETWORK]
    if emulated and (missing := why_no_link()):
        reasons |= dict.fromkeys(emulated, f"{missing}; {REMEDY}")
    return {level: reason for level, reason in reasons.items() if reason}


def plan_study(
    name_or_path: str | Path,
    design: str | None,
    seed: int,
    only: Collection[str] = (),
    *,
    blocks: int | None = None,
    unavailable: Unavailable = unavailable_here,
) -> PlannedStudy:
    """Load a study with its domain and contenders, and schedule its runs.

    `design` None takes the study's only one, or otherwise "smoke".
    `unavailable` returns what the machines of the study cannot offer. Raises `ProblemsError` with
    every mistake in the study's files, then in those of its domain, then in how they fit together
    and in the arguments.
    """
    study = load_study(name_or_path)
    domain, contenders = load_world(study)
    design = default_design(study) if design is None else design
    with collected_problems():
        add_problems(never_answered(study))
        require_at_least("--blocks", blocks, 1, MOST_BLOCKS)
        with noting_problems():
            find_design(study, design)
        if study.extension is not None:
            with noting_problems():
                require_package(study.folder, study.extension)
        only = _contenders_in(only, study, domain, contenders)
    laid_out = schedule(
        study,
        design,
        seed,
        only,
        unavailable=unavailable(study, design, only, contenders),
        start_seconds=start_seconds(contenders),
        blocks=blocks,
    )
    in_design = study.in_design(design)
    measured = dict.fromkeys(part for cell in laid_out.cells for part in study.parts(cell.workload))
    with collected_problems():
        add_problems(_unbound(study, domain, contenders, laid_out.cells))
        add_problems(without_rows((in_design.workloads[workload] for workload in measured), domain))
    return PlannedStudy(in_design, domain, contenders, laid_out, tuple(only))


def _contenders_in(
    only: Collection[str],
    study: Study,
    domain: Domain,
    contenders: Mapping[str, Contender],
) -> tuple[str, ...]:
    """Replace protocols in `--only` by their contenders, and note unknown names."""
    own = {name: it for name, it in contenders.items() if name in study.contenders}
    only = by_protocol(only, own)
    levels = {level for names in study.levels.values() for level in names}
    elsewhere = [name for name in only if name in contenders and name not in levels]
    add_problems(
        Problem(
            "--only",
            "",
            name,
            one_of(own),
            f"{name} is a contender of {domain.name}; add it to contenders in the study.toml of"
            f" {study.id}",
        )
        for name in elsewhere
    )
    protocols = {contender.protocol for contender in own.values()}
    add_unknown("--only", [level for level in only if level not in elsewhere], levels | protocols)
    return only


def start_seconds(contenders: Mapping[str, Contender]) -> dict[str, float]:
    """Return how long contenders take to become ready, as far as that is known.

    Their stacks may declare it; those at an address are running.
    """
    known = {
        name: contender.start_seconds if contender.address is None else 0.0
        for name, contender in contenders.items()
    }
    return {name: seconds for name, seconds in known.items() if seconds is not None}


def load_world(study: Study) -> tuple[Domain, dict[str, Contender]]:
    """Load a study's domain and contenders. Raises `ProblemsError` if they contradict it."""
    domain = load_domain(find_domain_of(study.folder, study.domain))
    contenders = load_contenders(domain)
    with collected_problems():
        check_against(study, domain, contenders, without_contender_file(domain.folder))
        add_problems(without_values(study.workloads.values(), domain))
    return domain, contenders


def without_values(workloads: Iterable[Workload], domain: Domain) -> Collection[Problem]:
    """List the parameters of workloads that neither they nor the domain's files give a value.

    A generator has values for all of them.
    """
    with captured_problems() as problems:
        for workload in () if domain.data.generator else workloads:
            if operation := domain.operations.get(workload.operation):
                with noting_problems():
                    require_values(domain, operation, workload.parameters)
    return dict.fromkeys(problems)


def without_rows(workloads: Iterable[Workload], domain: Domain) -> Collection[Problem]:
    """List the states without records in which workloads take parameters from rows."""
    data, where = domain.data, shown(domain.folder / "domain.toml")
    problems: dict[str, Problem] = {}
    for workload in workloads if data.tables and data.size == COUNT else ():
        state = domain.states.get(workload.state)
        operation = domain.operations.get(workload.operation)
        if state is None or operation is None or state.records or workload.instances:
            continue
        for name, written in operation.parameters.items():
            source = None if name in workload.parameters else parse(written)
            if isinstance(source, StoredColumn | StoredRow) and source.table == data.tables[0]:
                key, taken = f"state.{workload.state}.records", f"{operation.name}.{name}"
                expected = f"at least 1, since {taken} is taken from a row ({written!r})"
                problems.setdefault(key, Problem(where, key, state.records, expected))
    return problems.values()


def _unbound(
    study: Study, domain: Domain, contenders: Mapping[str, Contender], cells: Collection[Cell]
) -> list[Problem]:
    """List the operations of cells that are not bound to the protocols of their contenders.

    Without a reference, contenders may lack operations: those that have them are compared.
    """
    problems: dict[tuple[str, str], Problem] = {}
    for cell in cells if domain.has_reference else ():
        contender = contenders[cell.contender]
        in_dialect = domain.in_dialect(contender.dialect)
        for part in study.parts(cell.workload):
            operation = study.workloads[part].operation
            bound = in_dialect.operations.get(operation)
            if bound is not None and contender.protocol not in bound.bindings:
                where = shown(domain.folder / in_dialect.spelled_in)
                key = f"operation.{operation}.{contender.protocol}"
                expected = f"a binding, since {contender.id} is measured at workload {part}"
                hint = f"bind it, or leave {contender.id} or {part} out, in the design or by --only"
                problems.setdefault((where, key), Problem(where, key, None, expected, hint))
    return list(problems.values())
