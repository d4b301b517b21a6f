"""The second stage: a contender whose answers differ from the reference is not measured."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from wirelab.bundle import AnswerRecord, EqualityRecord
from wirelab.bundle.run_reasons import (
    DoesNotOffer,
    Failed,
    NoneToCompare,
    NotVerified,
    Unplanned,
)
from wirelab.errors import LabError
from wirelab.experiment.blocks.mixing import plan_mix
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import Note, StageStarted, StepStarted
from wirelab.experiment.place import Place
from wirelab.experiment.preparation.recovery import ATTEMPTS, restart_failed_stores
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.shortage import require_free_port
from wirelab.study import Cell, Workload, family
from wirelab.terminal import words
from wirelab.verify import Finding, Plan, Verification, records
from wirelab.verify.consistency import ignored_seed
from wirelab.verify.equality.uncompared import uncompared


def verify(context: RunContext) -> None:
    """Compare every contender with the reference, or with each other; record the findings.

    Raises `LabError` if a store or this machine is at fault.
    """
    workloads_by_place = {
        place: context.workloads_of(cells) for place, cells in context.cells_by_place().items()
    }
    turns = context.laboratory.verifier.turns(workloads_by_place)
    context.observer.on(StageStarted("Verifying", len(turns)))
    findings: list[Finding] = [*_ignored_seed(context)]
    for place, workloads in turns:
        if cells := context.cells_by_place().get(place):  # otherwise refused in an earlier turn
            findings += _verify_at(context, place, cells, workloads)
    findings += _write_through_each(context)
    findings += _uncompared(context)
    findings += _plan_mixes(context)
    context.bundle.write_findings(findings)
    context.bundle.write_answers(_answer_records(context.laboratory.verifier.plans.values()))
    _leave_out_incomparable(context)
    _leave_out_the_last(context)
    context.bundle.append_event("verified", findings=len(findings))


def _verify_at(
    context: RunContext, place: Place, cells: Sequence[Cell], workloads: Mapping[str, Workload]
) -> Sequence[Finding]:
    """Verify a contender at a place, and leave out its cells that must not be measured."""
    contender, where = place.placement.contender, cells[0].place
    context.observer.on(StepStarted(f"{contender} on {place.store}, {where}"))
    began = time.monotonic()
    verification = verify_place(context, place, workloads)
    if isinstance(verification, LabError):
        what = f"{contender} ({where})"
        context.leave_out_for_now(cells, Failed.from_error(verification), what)
        return ()
    seconds = time.monotonic() - began
    context.bundle.append_event("compared", contender=contender, seconds=round(seconds, 2))
    _refuse(context, verification.findings, cells, f"{contender} ({where})")
    return verification.findings


def verify_place(
    context: RunContext, place: Place, workloads: Mapping[str, Workload]
) -> Verification | LabError:
    """Verify a contender, and again if a store failed, since that is not the contender's fault.

    Returns the error if it cannot be verified. Raises `LabError` if that is because of the store or
    of ports.
    """
    stores = context.laboratory.stores
    for _ in range(ATTEMPTS):
        verification: Verification | LabError
        try:
            verification = context.laboratory.verifier.verify(place, workloads)
        except LabError as error:
            verification = error
        failed = isinstance(verification, LabError) or bool(verification.findings)
        if failed:
            with suppress(StoreError):
                stores.require_working()
        if not restart_failed_stores(context):
            if isinstance(verification, StoreError):  # nor is an unreachable store its fault
                raise verification
            if failed:
                require_free_port()
            return verification
    raise StoreError(
        f"the store failed twice during the verification of {place.placement.contender}",
        "see the store's log in the bundle's folder `logs`",
    )


def _ignored_seed(context: RunContext) -> Iterator[Finding]:
    """Warn if the data should vary with the study's seed, but do not."""
    study, laboratory = context.study, context.laboratory
    used = {study.workloads[cell.workload].state for cell in context.plan.schedule.cells}
    datasets = map(laboratory.stores.dataset, used & laboratory.domain.states.keys())
    if study.data_seed is None and any(dataset.ignores_seed for dataset in datasets):
        yield ignored_seed("warning")


def _refuse(
    context: RunContext, findings: Iterable[Finding], cells: Iterable[Cell], where: str
) -> None:
    """Leave out those of a contender's cells that findings forbid to measure."""
    parts = context.study.parts
    for wrong in (finding for finding in findings if finding.severity == "error"):
        context.outcome.refused.append(wrong)
        refused = [cell for cell in cells if wrong.workload in ("", *parts(cell.workload))]
        what = f"workload {wrong.workload} of {where}" if wrong.workload else where
        # The result has the values.
        why = f"{wrong.why()}; {wrong.log}" if wrong.log else wrong.why()
        reason = NotVerified(finding=wrong)
        context.observer.on(Note(f"{what} is left out: {reason.brief}: {why}"))
        context.leave_out(refused, reason)


def _write_through_each(context: RunContext) -> Sequence[Finding]:
    """Check that what one contender writes is what all of them read. Raises `LabError`."""
    places = context.cells_by_place()
    workloads = context.workloads_of(context.usable_cells())
    findings = context.laboratory.verifier.write_through_each(list(places), workloads)
    for place, cells in places.items():
        contender = place.placement.contender
        own = [finding for finding in findings if finding.contender == contender]
        _refuse(context, own, cells, contender)
    return findings


def _uncompared(context: RunContext) -> Sequence[Finding]:
    """Name what is not compared of the answers, and leave out what is compared too little."""
    equality = context.laboratory.verifier.equality
    places = context.cells_by_place()
    contenders = {place.placement.contender for place in places}
    findings = list(uncompared(equality.proofs.values(), contenders)) if equality else []
    for place, cells in places.items():
        contender = place.placement.contender
        _refuse(
            context,
            [finding for finding in findings if finding.contender == contender],
            cells,
            contender,
        )
    return findings


def _plan_mixes(context: RunContext) -> Iterator[Finding]:
    """Plan the mixed workloads; a mix is left out if one of its parts has no transactions."""
    study = context.study
    mixed = [cell for cell in context.usable_cells() if study.workloads[cell.workload].mix]
    for mix in dict.fromkeys(cell.workload for cell in mixed):
        for finding in plan_mix(context.laboratory, study, mix):
            if finding.severity == "error":
                context.outcome.refused.append(finding)
                cells = [cell for cell in mixed if cell.workload == mix]
                context.announce_left_out(cells, Unplanned(finding=finding), f"workload {mix}")
            yield finding


def _leave_out_incomparable(context: RunContext) -> None:
    """Leave out cells without a plan, and workloads that only one contender is left for."""
    verifier, study = context.laboratory.verifier, context.study
    if verifier.equality is None:
        return
    context.bundle.write_equality(
        EqualityRecord(**row) for row in records(verifier.equality.proofs.values())
    )
    for place, cells in context.cells_by_place().items():
        for cell in cells:
            if not all(verifier.plans.get((place, part)) for part in study.parts(cell.workload)):
                title = study.workloads[cell.workload].title
                context.leave_out([cell], DoesNotOffer(contender=cell.contender, title=title))
    left: dict[str, list[Cell]] = {}
    for cell in context.usable_cells():
        left.setdefault(cell.workload, []).append(cell)
    for workload, cells in left.items():
        if len({cell.contender for cell in cells}) < min(2, len(study.contenders)):
            what = f"workload {workload} of {cells[0].contender}"
            context.announce_left_out(cells, NoneToCompare(of="contender"), what)


def _leave_out_the_last(context: RunContext) -> None:
    """Leave out all cells if no planned comparison remains: they would answer no question."""
    study, left = context.study, context.usable_cells()
    if left and family(study, context.plan.schedule.cells) and not family(study, left):
        names = words.listed(dict.fromkeys(cell.contender for cell in left))
        context.announce_left_out(left, NoneToCompare(of="question"), names)


def _answer_records(planned: Iterable[Iterable[Plan]]) -> Iterator[AnswerRecord]:
    """Return the sizes of the correct answers, once each: they are the same for all contenders."""
    plans = {(plan.workload, plan.parameter_set): plan for each in planned for plan in each}
    for plan in plans.values():
        yield AnswerRecord(
            workload=plan.workload,
            operation=plan.operation,
            parameter_set=plan.parameter_set,
            leaves=plan.leaves,
        )
