"""`wirelab verify`: check that contenders answer like the reference, without measuring."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from wirelab.commands.logs import log_folder
from wirelab.commands.own_api.own_servers import announce_writes
from wirelab.commands.progress import ProgressBar
from wirelab.commands.studies.verify_workloads import (
    offered_workloads,
    state_of,
    without_state,
    workloads_of,
)
from wirelab.compare.options import check_restorable
from wirelab.domain import Domain
from wirelab.domain_file import check_unambiguous, load_domain
from wirelab.errors import Failure, LabError
from wirelab.experiment.events import StageStarted, StepStarted
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place, Placement
from wirelab.experiment.preparation.outages import OutageTrial, outage_trials
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import (
    add_problem,
    add_problems,
    add_unknown,
    collected_problems,
    noting_problems,
)
from wirelab.lab.contenders.build import require_programs
from wirelab.lab.contenders.contender import (
    Contender,
    by_protocol,
    load_contenders,
    without_contender_file,
)
from wirelab.lab.environments.kinds import ENVIRONMENTS, is_native
from wirelab.lab.errors import ContenderError
from wirelab.lab.processes.process import stopping_everything
from wirelab.lab.stores.store_manager import StoreState
from wirelab.planning.plan import without_rows, without_values
from wirelab.study import OWN_STORE, Workload
from wirelab.terminal import words
from wirelab.terminal.console import error, note, print_json, show
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify import Equality, Finding, Sent
from wirelab.verify.consistency import ignored_seed
from wirelab.verify.equality.uncompared import uncompared
from wirelab.verify.findings.equality_reasons import NotProved, only_with_refused
from wirelab.verify.findings.grouping import remarks_by_reason, shared_difference

OUTAGES_AT_ONCE = 2
"""The number of contenders whose services fail at the same time; most of it is waiting."""


def verify_command(
    name: str,
    *,
    only: Sequence[str],
    environment: str,
    seed: int,
    stores: Mapping[str, str],
    data: Path | None,
    as_json: bool,
    allow_writes: bool = False,
    reset: str | None = None,
    scratch: bool = False,
) -> ExitCode:
    """Verify every contender of a domain on every store, or only those named.

    Without a reference, operations that write are sent only with `allow_writes`, which needs the
    command `reset` or a `scratch` copy of the data.

    Variants are left out, except those of several services, which are made to fail one by one.

    A user's server that cannot be reached is skipped; this is an error only if it was named.

    Raises `ProblemsError` with what is wrong with the domain, or else with the options.
    """
    check_unambiguous(name)
    domain = load_domain(name)
    contenders = load_contenders(domain)
    for folder in without_contender_file(domain.folder):
        note(f"note: contenders/{folder} has no contender.toml, which describes its contenders")
    kinds = [kind for kind in type(domain.stores).model_fields if getattr(domain.stores, kind)]
    only = by_protocol(only, contenders)
    protocols = {contender.protocol for contender in contenders.values()}
    own = [
        each
        for each, contender in contenders.items()
        if contender.services or not contender.variant_of
    ]
    chosen = [each for each in contenders if each in only] or own
    workloads = workloads_of(domain, allow_writes=allow_writes)
    with collected_problems():
        if environment not in ENVIRONMENTS:
            hint = close_match(environment, ENVIRONMENTS)
            add_problem("--environment", "", environment, one_of(ENVIRONMENTS), hint)
        add_unknown("--only", only, {*contenders, *protocols, *kinds})
        _check_sources(domain, stores, kinds, data)
        if allow_writes:
            _check_writes(domain, reset, scratch=scratch)
        add_problems(without_values(workloads.values(), domain))
        add_problems(without_rows(workloads.values(), domain))
        add_problems(without_state(domain))
        with noting_problems():
            _require_programs([contenders[each] for each in chosen], environment)
    if reset and not domain.data.generator:
        stores = {**stores, OWN_STORE: f"{OWN_STORE}?reset={reset}"}
    announce_writes(
        [workload for workload in workloads if domain.operations[workload].effect == "write"], reset
    )
    chosen_stores = [kind for kind in kinds if kind in only or kind in stores] or kinds[:1]
    if not domain.data.generator:
        chosen_stores = [OWN_STORE]
    with log_folder("wirelab-verify-") as logs, stopping_everything():
        laboratory = Laboratory.create(
            domain, contenders, seed, logs.path, store_addresses=stores, data=data
        )
        findings, skipped, failed = _verify(
            laboratory, contenders, chosen, chosen_stores, environment, workloads=workloads
        )
        wrong = {finding.contender for finding in findings if finding.severity == "error"}
        if laboratory.verifier.equality is not None:
            sound = [
                contender
                for contender in chosen
                if contender not in failed.keys() | skipped.keys() | wrong
            ]
            findings += _unproved(laboratory.verifier.equality, sound, skipped)
        logs.kept += [failure.log for failure in (*failed.values(), *skipped.values())]
        logs.kept += [finding.log for finding in findings]
    verified = [each for each in chosen if each not in failed.keys() | skipped.keys()]
    if as_json:
        print_json(
            {
                "equal": [each for each in verified if each not in wrong],
                "refused": [each for each in verified if each in wrong],
                "failed": {name: str(each) for name, each in failed.items()},
                "skipped": {name: str(each) for name, each in skipped.items()},
                "sent": {name: asdict(it) for name, it in laboratory.verifier.sent.items()},
                "findings": [finding.model_dump(mode="json") for finding in findings],
            }
        )
    else:
        _show(
            domain,
            contenders,
            chosen,
            findings,
            unverified={"failed": failed, "skipped": skipped},
            sent=laboratory.verifier.sent,
        )
    if wrong:
        return ExitCode.VERIFY_FAILED
    missing = [each for each in skipped if each in only or contenders[each].address is None]
    if len(verified) < (1 if domain.has_reference else 2):
        error(_nothing_verified(domain, workloads))
        return ExitCode.NOT_READY
    return ExitCode.NOT_READY if failed or missing else ExitCode.OK


def _nothing_verified(domain: Domain, workloads: Mapping[str, Workload]) -> str:
    if domain.has_reference:
        return "nothing was verified: no contender could be built and started"
    if not workloads:
        hint = "--allow-writes sends those that write, and needs --reset COMMAND or --scratch"
        return f"nothing was verified: no operation of {domain.name} only reads\nhint: {hint}"
    return (
        "nothing was verified: without a reference, at least two contenders must answer the same"
        " read"
    )


def _require_programs(contenders: Sequence[Contender], environment: str) -> None:
    if environment in ENVIRONMENTS and is_native(environment):
        for missing in require_programs(contenders):
            note(f"warning: {missing}")


def _check_sources(
    domain: Domain,
    stores: Collection[str],
    kinds: Collection[str],
    data: Path | None,
) -> None:
    """Check the options that name stores and data; `kinds` are the stores of the domain."""
    for kind in stores:
        if kind not in kinds:
            expected = f"a store of domain {domain.name}: {one_of(kinds)}"
            add_problem("--store", "", kind, expected, close_match(kind, kinds))
    if data is not None and not domain.data.generator:
        expected = "none: the servers of this domain use their own stores"
        add_problem("--data", "", str(data), expected)


def _check_writes(domain: Domain, reset: str | None, *, scratch: bool) -> None:
    if domain.has_reference:
        expected = "no value, since wirelab verifies the writes of this domain on its own databases"
        add_problem("--allow-writes", "", "given", expected)
    else:
        check_restorable(reset, scratch=scratch)


def _verify(
    laboratory: Laboratory,
    contenders: Mapping[str, Contender],
    chosen: Sequence[str],
    stores: Sequence[str],
    environment: str,
    *,
    workloads: Mapping[str, Workload],
) -> tuple[list[Finding], dict[str, Failure], dict[str, Failure]]:
    """Return the findings, and why contenders were skipped or could not be built or run."""
    domain = laboratory.domain
    state = state_of(domain)
    findings: list[Finding] = []
    skipped: dict[str, Failure] = {}
    failed: dict[str, Failure] = {}
    offered = {name: offered_workloads(workloads, domain, contenders[name]) for name in chosen}
    with laboratory, ProgressBar() as bar:
        can_fail = bool(domain.outages) and is_native(environment)
        frail = [name for name in chosen if contenders[name].services and can_fail]
        effects = {domain.operations[workload.operation].effect for workload in workloads.values()}
        turns = 1 if domain.has_reference else max(1, len(effects))
        steps = len(chosen) + (1 + turns * len(chosen) + bool(frail)) * len(stores)
        bar.on(StageStarted("Verifying", steps + bool(domain.data.generator)))
        if domain.data.generator:  # first, since its mistakes make everything else useless
            bar.on(StepStarted(f"rows of {domain.name}"))
            every = {key: it for each in offered.values() for key, it in each.items()}
            laboratory.verifier.require_consistent(every)
        for contender in chosen:  # first, since the store must listen where they can reach it
            bar.on(StepStarted(f"building {contender} for {environment}"))
            try:
                reason = laboratory.builder.build(Placement(contender, environment))
                if reason:
                    skipped[contender] = Failure(reason)
            except LabError as error:  # the others can be verified all the same
                failed[contender] = error.failure
        ready = [name for name in chosen if name not in failed.keys() | skipped.keys()]
        for store in stores if ready else ():
            bar.on(StepStarted(f"{store}: state {state}"))
            laboratory.stores.prepare(StoreState(store, state))
            workloads_by_place = {
                Place(Placement(name, environment), store): offered[name] for name in ready
            }
            for place, part in laboratory.verifier.turns(workloads_by_place):
                contender = place.placement.contender
                if contender in failed.keys() | skipped.keys():
                    continue
                bar.on(StepStarted(f"{contender} on {store}"))
                try:
                    findings += laboratory.verifier.verify(place, part).findings
                except ContenderError as error:  # the others can be verified all the same
                    started = contenders[contender].address is None
                    (failed if started else skipped)[contender] = error.failure
            refused = {each.contender for each in findings if each.severity == "error"}
            sound = [
                Place(Placement(name, environment), store)
                for name in ready
                if name not in refused | failed.keys() | skipped.keys()
            ]
            findings += laboratory.verifier.write_through_each(sound, workloads)
            findings += _uncompared(laboratory.verifier.equality, sound, findings)
            can_fail_here = [each for each in sound if each.placement.contender in frail]
            if can_fail_here:
                bar.on(
                    StepStarted(
                        f"{store}: services that fail, of"
                        f" {words.plural(len(can_fail_here), 'contender')}"
                    )
                )
                trials = outage_trials(laboratory, can_fail_here, state)
                findings += _run_outages(trials, failed)
        if ready and state in domain.states and laboratory.stores.dataset(state).ignores_seed:
            findings.append(ignored_seed("note"))
    return findings, skipped, failed


def _uncompared(
    equality: Equality | None, places: Sequence[Place], findings: Sequence[Finding]
) -> list[Finding]:
    """Return what is not compared of the answers of contenders that were not refused."""
    refused = {each.contender for each in findings if each.severity == "error"}
    sound = {place.placement.contender for place in places} - refused
    return list(uncompared(equality.proofs.values(), sound)) if equality else []


def _unproved(
    equality: Equality, sound: Sequence[str], skipped: dict[str, Failure]
) -> list[Finding]:
    """Return findings about operations of `sound` contenders that no accepted one answers, too.

    A contender that was compared with no accepted one at all is `skipped`.
    """
    compared, findings = equality.compared(), []
    refused: dict[str, list[str]] = {}
    for contender, proof in equality.unproved():
        refused.setdefault(contender, []).extend(proof.refused)
        if contender in sound and contender in compared:
            reason = NotProved(refused=tuple(dict.fromkeys(proof.refused)))
            finding = Finding(
                severity="warning",
                contender=contender,
                operation=proof.operation.name,
                reason=reason,
            )
            findings.append(finding)
    for contender in sound:
        if contender not in compared:
            names = tuple(dict.fromkeys(refused.get(contender, ())))
            alone = "none of its operations was compared with another contender"
            skipped[contender] = Failure(only_with_refused(names) if names else alone)
    return findings


def _run_outages(trials: Sequence[OutageTrial], failed: dict[str, Failure]) -> list[Finding]:
    """Run several outages at the same time."""
    findings: list[Finding] = []
    pool = ThreadPoolExecutor(OUTAGES_AT_ONCE)
    try:
        running = {pool.submit(trial.run): trial for trial in trials}
        for done in as_completed(running):
            try:
                findings += done.result()
            except ContenderError as error:
                failed[running[done].place.placement.contender] = error.failure
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return findings


def compared(sent: Sent, protocol: str) -> str:
    """Describe how much of a contender was compared with the reference."""
    counts = {
        "operation": sent.operations,
        "declared error": sent.declared_errors,
        "sequence": sent.sequences,
        "malformed request": sent.malformed_requests,
    }
    counted = [words.plural(count, what) for what, count in counts.items() if count]
    unsent = ""
    if sent.inexpressible_errors:
        errors = words.plural(sent.inexpressible_errors, "further declared error")
        unsent = f"; {errors} cannot be expressed in {words.protocol_title(protocol)}"
    return f" ({words.listed(counted)}{unsent})" if counted else ""


def _show(
    domain: Domain,
    contenders: Mapping[str, Contender],
    chosen: Sequence[str],
    findings: Sequence[Finding],
    *,
    unverified: Mapping[str, Mapping[str, Failure]],
    sent: Mapping[str, Sent],
) -> None:
    for name in chosen:
        mine = [finding for finding in findings if finding.contender == name]
        errors = [finding for finding in mine if finding.severity == "error"]
        why = [(how, each[name]) for how, each in unverified.items() if name in each]
        if why:
            how, reason = why[0]
            show(f"{how:<9}{name}: {str(reason).removeprefix(f'{name} ')}")
        elif errors:
            show(f"refused  {name}: {contenders[name].title}")
        else:
            counts = compared(sent.get(name, Sent()), contenders[name].protocol)
            show(f"equal    {name}: {contenders[name].title}{counts}")
        for finding in errors:
            error(str(finding))
    for severity in ("warning", "note"):
        for remark in remarks_by_reason(
            finding for finding in findings if finding.severity == severity
        ):
            note(f"{severity}: {remark}")
    verified = [name for name in chosen if not any(name in each for each in unverified.values())]
    if domain.has_reference and (shared := shared_difference(findings, verified)):
        note(f"hint: {shared}")
