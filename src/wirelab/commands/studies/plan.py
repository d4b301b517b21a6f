"""`wirelab plan`: show what a study would do."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from rich.console import Group
from rich.table import Table
from rich.text import Text

from wirelab.inputs.problems import shown
from wirelab.planning.decidable_claims import (
    decides,
    deciding_designs,
    first_verdict_seconds,
)
from wirelab.planning.plan import PlannedStudy, plan_study, start_seconds
from wirelab.study import (
    FACTORS,
    NO_NETWORK,
    NO_PROXY,
    CapacityLoad,
    Factor,
    family,
    plural,
    unanswered,
    with_reason,
)
from wirelab.study.design import VERDICT_BLOCKS
from wirelab.study.load import STUDY_FILE
from wirelab.terminal.console import print_json, show
from wirelab.terminal.words import first_few, listed
from wirelab.terminal.words import plural as plural_of

NAMED = 3
"""Maximum number of levels outside a design to name; --json has all."""


def plan_command(
    study: str,
    *,
    design: str | None,
    only: Sequence[str],
    seed: int,
    blocks: int | None,
    as_json: bool,
) -> None:
    """Print the plan of a study."""
    planned = plan_study(study, design, seed, only, blocks=blocks)
    if as_json:
        print_json(asdict(planned.schedule))
    else:
        show(describe(planned))


def describe(planned: PlannedStudy) -> Group:
    """Render a plan for people: what is compared, how often, and how long it takes."""
    schedule, study = planned.schedule, planned.study
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column()
    table.add_row("study", f"{study.id} · {study.title}")
    table.add_row("design", f"{schedule.design}: {planned.design.summary}")
    for factor in FACTORS:
        levels = dict.fromkeys(cell.level(factor) for cell in schedule.cells)
        if list(levels) not in ([NO_PROXY], [NO_NETWORK]):
            table.add_row(plural(factor), ", ".join(levels))
    table.add_row("measured", _measured(planned))
    twins = sum(cell.twin for cell in schedule.cells)
    among = f" with {plural_of(twins, 'twin')} of the baseline" if twins else ""
    counts = planned.design.wire is not None
    before = "building, verifying and counting bytes" if counts else "building and verifying"
    table.add_row(
        "in all",
        f"{plural_of(len(schedule.cells), 'cell')}{among}, {plural_of(len(schedule.runs), 'run')},"
        f" seed {schedule.seed}, {_time(planned)}, after {before}",
    )
    for number, line in enumerate(_claims(planned)):
        table.add_row("" if number else "claims", line)
    skipped = (
        Text(f"left out: {_levels(factor, levels, complete=wanted)} ({reason})", style="dim")
        for (factor, reason, wanted), levels in schedule.left_out.items()
    )
    idle = list(_nothing_to_compare(planned)) or _not_answered(planned)
    return Group(table, *skipped, *idle, *_no_verdict(planned))


def _claims(planned: PlannedStudy) -> Iterator[str]:
    """Yield which designs decide which claims of the paper, one line for those with the same.

    For the design of the plan, it says how long the first blocks take that can decide them.
    """
    study, design, cells = planned.study, planned.schedule.design, planned.schedule.cells
    starts = start_seconds(planned.contenders)
    claims: dict[str, list[str]] = {}
    for name, designs in deciding_designs(study).items():
        by = f"decided by {listed(designs, 'or')}" if designs else "decided by no design"
        if designs and design in designs and not decides(study, design, name, cells):
            by += " (not here, since some of what it compares is left out)"
        elif designs and design in designs:
            seconds = first_verdict_seconds(study, design, name, starts)
            by += f" (here in {_about(seconds)} or more)" if seconds else " (here by counting)"
        claims.setdefault("not testable" if designs is None else by, []).append(name)
    for by, names in claims.items():
        yield f"{', '.join(names)}: {by}"


def _no_verdict(planned: PlannedStudy) -> Iterator[Text]:
    """Warn if too few blocks are planned for any verdict, or if its blocks exceed the budget."""
    schedule, budget = planned.schedule, planned.schedule.budget_minutes
    most = max(schedule.repetitions.values(), default=0)
    if 0 < most < VERDICT_BLOCKS and not schedule.until_decided:
        yield Text(
            f"no verdict: a verdict needs {VERDICT_BLOCKS} blocks; raise blocks, or add"
            f" --blocks {VERDICT_BLOCKS}",
            style="yellow",
        )
    if schedule.until_decided and budget and schedule.estimated_seconds > 60 * budget:
        yield Text(
            f"the budget of {budget:g} min is too short for {most} blocks of each setting, which"
            " are measured all the same: a verdict needs them",
            style="yellow",
        )


def _time(planned: PlannedStudy) -> str:
    """Estimate the time of measuring; say what it assumes, and what further blocks may add."""
    schedule, study = planned.schedule, planned.study
    least, most = _about(schedule.estimated_seconds), _about(_longest_s(planned))
    until = "" if most == least else f", up to {most} until all is decided,"
    workloads = dict.fromkeys(cell.workload for cell in schedule.cells)
    each = sorted({1000 * study.workloads[name].transaction_seconds for name in workloads})
    assumed = " to ".join(f"{ms:g}" for ms in dict.fromkeys((*each[:1], *each[-1:])))
    at = f" at {assumed} ms per transaction" if each else ""
    return f"about {least} of measuring{until}{at}"


def _longest_s(planned: PlannedStudy) -> float:
    """Estimate the time of measuring with all blocks that the design may add."""
    planned_s, budget = planned.schedule.estimated_seconds, planned.schedule.budget_minutes
    if not planned.schedule.until_decided or budget is None:
        return planned_s
    return max(planned_s, 60 * budget)


def _about(seconds: float) -> str:
    """Round a time to minutes, or to seconds if it is short."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _nothing_to_compare(planned: PlannedStudy) -> Iterator[Text]:
    """Warn if no setting has two contenders."""
    cells = planned.schedule.cells
    settings = Counter(
        (cell.workload, cell.store, cell.environment, cell.load, cell.proxy, cell.network)
        for cell in cells
        if not cell.twin
    )
    if not cells or max(settings.values()) >= 2 or family(planned.study, cells):
        return
    if len(planned.study.contenders) == 1:
        yield Text(f"nothing to compare: {_add_another(planned)}", style="yellow")
    else:
        yield Text("nothing to compare: no setting has more than one contender", style="yellow")
        baseline = planned.study.baseline
        if planned.only and baseline not in planned.only:
            named = ",".join([*planned.only, baseline])
            yield Text(f"hint: include the baseline: --only {named}", style="yellow")


def _not_answered(planned: PlannedStudy) -> Iterator[Text]:
    """Warn of the questions that compare nothing in this plan, with the reasons."""
    study, cells = planned.study, planned.schedule.cells
    if cells and (names := unanswered(study, cells)):
        named = first_few([with_reason(study, name, cells) for name in names])
        yield Text(f"not answered, because nothing is compared: {named}", style="yellow")


def _add_another(planned: PlannedStudy) -> str:
    """Name the only contender of a study, and say how to add another one."""
    study, (only,) = planned.study, planned.study.contenders
    file = shown(study.folder / STUDY_FILE)
    if others := [name for name in planned.contenders if name != only]:
        named = listed(others[:NAMED], "or")
        return f"the only contender is {only}; add {named} to contenders in {file}"
    stack = shown(planned.contenders[only].folder / "contender.toml")
    return (
        f"the only contender is {only}; add another one, [contender.NAME], to {stack}, and NAME to"
        f" contenders in {file}"
    )


def _measured(planned: PlannedStudy) -> str:
    """Describe the number of blocks, and how contenders take turns in them."""
    schedule, design = planned.schedule, planned.design
    repetitions = schedule.repetitions.values()
    low, high = min(repetitions, default=0), max(repetitions, default=0)
    each = plural_of(high, "block") if low == high else f"{low} to {high} blocks"
    text = f"{each} of {plural_of(len(schedule.repetitions), 'setting')}"
    if schedule.until_decided:
        compared = plural_of(len(family(planned.study, schedule.cells)), "comparison")
        what = "a claim" if design.until == "claims" else f"any of {compared}"
        text += f", and more where {what} is undecided"
    if design.separate:
        return f"{text}, each run by itself"
    counts = {design.at(cell).slices.permutations for cell in schedule.cells} or {0}
    low, high = min(counts), max(counts)
    turns = plural_of(high, "turn") if low == high else f"{low} to {high} turns"
    budget = schedule.budget_minutes
    spent = f", within {budget:g} min" if budget is not None else ""
    finds = any(isinstance(planned.study.loads[cell.load], CapacityLoad) for cell in schedule.cells)
    trials = " after trials of the rates that they sustain" if finds else ""
    return f"{text}{spent}; in each the contenders take {turns}{trials}"


def _levels(factor: Factor, levels: Sequence[str], *, complete: bool) -> str:
    """Name levels of a factor: all if they were chosen, otherwise only some."""
    if complete or len(levels) <= NAMED:
        return f"{factor if len(levels) == 1 else plural(factor)} {', '.join(levels)}"
    return f"{len(levels)} {plural(factor)}, among them {', '.join(levels[:NAMED])}"
