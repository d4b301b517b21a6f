"""A plan: a study with its domain and contenders, checked against one another, and its runs."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.close_match import one_of
from wirelab.domain import Domain
from wirelab.domain.read import shown
from wirelab.domain_file import find_domain, is_there, load_domain
from wirelab.lab.contender import Contender, by_protocol, load_contenders
from wirelab.lab.environment import Native
from wirelab.lab.environments import ENVIRONMENTS
from wirelab.lab.limits import why_no_limits
from wirelab.lab.link import REMEDY, why_no_link
from wirelab.lab.proxy import find_nginx, why_no_nginx
from wirelab.problems import Problem, ProblemsError
from wirelab.schedule import Schedule, chosen_levels, find_design, schedule
from wirelab.study import (
    NO_NETWORK,
    NO_PROXY,
    Cell,
    Design,
    Study,
    check_against,
    load_study,
)
from wirelab.study.load import STUDY_FILE

Unavailable = Callable[[Study, str, Collection[str], Mapping[str, Contender]], Mapping[str, str]]
"""Says which levels cannot be offered, and why: of a study, a design, chosen levels, contenders."""


@dataclass(frozen=True)
class PlannedStudy:
    """A study that can be carried out: its files agree with one another."""

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
        """The seed of the data: the study's own, or that of the schedule."""
        own = self.study.data_seed
        return self.schedule.seed if own is None else own


def unavailable_here(
    study: Study, design: str, only: Collection[str], contenders: Mapping[str, Contender]
) -> dict[str, str]:
    """Say which levels this machine cannot offer, and why.

    A contender is one of them only where no environment that takes part can run it: what is missing
    here may be in an image.
    """
    chosen = chosen_levels(study, find_design(study, design), tuple(only))
    limits = study.limits
    reasons = {}
    for name in chosen["environment"]:
        place = ENVIRONMENTS[name]
        natively = isinstance(place, Native)
        reasons[name] = place.missing() or (why_no_limits(limits.contender) if natively else "")
    places = [ENVIRONMENTS[name] for name, reason in reasons.items() if not reason]
    for name in chosen["contender"]:
        cannot = [place.cannot_run(contenders[name]) for place in places]
        reasons[name] = "; ".join(dict.fromkeys(cannot)) if all(cannot) else ""
        if limits.contender and contenders[name].address is not None:
            reasons[name] = "[limits.contender] cannot limit a server that wirelab does not start"
    for name in chosen["proxy"]:
        if name != NO_PROXY:
            natively = find_nginx() is not None
            reasons[name] = why_no_nginx(name) or (why_no_limits(limits.proxy) if natively else "")
    emulated = [name for name in chosen["network"] if name != NO_NETWORK]
    if emulated and (missing := why_no_link()):
        reasons |= dict.fromkeys(emulated, f"{missing}; {REMEDY}")
    return {level: reason for level, reason in reasons.items() if reason}


def plan_study(
    name_or_path: str | Path,
    design: str,
    seed: int,
    only: Collection[str] = (),
    *,
    blocks: int | None = None,
    unavailable: Unavailable = unavailable_here,
) -> PlannedStudy:
    """Load a study with its domain and contenders, and lay out its runs.

    `unavailable` says what cannot be offered where the study will be carried out. Raises
    `ProblemsError` with every mistake of the files.
    """
    study = load_study(name_or_path)
    domain, contenders = load_world(study)
    own = {name: it for name, it in contenders.items() if name in study.contenders}
    only = by_protocol(only, own)
    elsewhere = [
        Problem(
            "--only",
            "",
            name,
            one_of(own),
            f"{name} is a contender of {domain.name}; add it to contenders in the study.toml of"
            f" {study.id}",
        )
        for name in only
        if name in contenders and name not in own
    ]
    if elsewhere:
        raise ProblemsError(elsewhere)
    laid_out = schedule(
        study,
        design,
        seed,
        only,
        unavailable=unavailable(study, design, only, contenders),
        start_seconds=start_seconds(contenders),
        blocks=blocks,
    )
    if unbound := _unbound(study, domain, contenders, laid_out.cells):
        raise ProblemsError(unbound)
    return PlannedStudy(study.in_design(design), domain, contenders, laid_out, only)


def start_seconds(contenders: Mapping[str, Contender]) -> dict[str, float]:
    """Return how long contenders take to become ready, as far as their stacks say it."""
    return {
        name: contender.start_seconds
        for name, contender in contenders.items()
        if contender.start_seconds is not None
    }


def load_world(study: Study) -> tuple[Domain, dict[str, Contender]]:
    """Load a study's domain and contenders. Raises `ProblemsError` where they do not fit it."""
    _require_domain(study)
    domain = load_domain(study.domain)
    contenders = load_contenders(domain)
    problems = check_against(study, domain, contenders)
    if problems:
        raise ProblemsError(problems)
    return domain, contenders


def _unbound(
    study: Study, domain: Domain, contenders: Mapping[str, Contender], cells: Collection[Cell]
) -> list[Problem]:
    """List the operations of cells that are not bound to the protocols of their contenders.

    Without a reference, contenders may lack operations: those that have them are compared.
    """
    problems: dict[tuple[str, str], Problem] = {}
    for cell in cells if domain.has_reference else ():
        contender = contenders[cell.contender]
        spoken = domain.spoken(contender.dialect)
        for part in study.parts(cell.workload):
            operation = study.workloads[part].operation
            if contender.protocol not in spoken.operations[operation].bindings:
                where = shown(domain.folder / spoken.spelled_in)
                key = f"operation.{operation}.{contender.protocol}"
                expected = f"a binding, since {contender.id} is measured at workload {part}"
                hint = f"bind it, or leave {contender.id} or {part} out, in the design or by --only"
                problems.setdefault((where, key), Problem(where, key, None, expected, hint))
    return list(problems.values())


def _require_domain(study: Study) -> None:
    """Raise `ProblemsError` if there is no such domain; a path relative to the study is a hint."""
    try:
        find_domain(study.domain)
    except ProblemsError as error:
        paths = [f"{start}{study.domain}" for start in ("../", "./")]
        beside = [path for path in paths if is_there(study.folder / path)]
        where = str(study.folder / STUDY_FILE)
        raise ProblemsError(
            replace(
                problem,
                where=where,
                key="domain",
                hint=f'did you mean "{beside[0]}"?' if beside else problem.hint,
            )
            for problem in error.problems
        ) from None
