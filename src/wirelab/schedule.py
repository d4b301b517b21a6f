"""The schedule of a study: which runs, in which order. A value, made from study, design and seed.

Randomised complete blocks: every block measures every cell once, in a random order of its own, so
that drift of the machine falls on all contenders alike. Whoever carries it out only walks the runs.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from numpy.random import PCG64, Generator

from wirelab.close_match import close_match, one_of
from wirelab.problems import Problem, ProblemsError
from wirelab.study import (
    FACTORS,
    Cell,
    ClosedLoad,
    Design,
    Factor,
    Load,
    OpenLoad,
    Study,
    Workload,
)

START_SECONDS = 0.8
"""A guess at what a contender takes to become ready, where nothing says it."""

AROUND_SECONDS = 0.2
"""A guess at what a run takes around start, warm-up and window: restore, connect, stop, record."""


@dataclass(frozen=True, slots=True)
class Run:
    """One cell in one block. Blocks and positions count from 1.

    All runs of a block share the seed: every contender meets the same order of parameters and the
    same arrival times, which leaves less noise in the comparisons within the block.
    """

    id: str
    block: int
    position: int
    cell: Cell
    seed: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A level that the study declares and this schedule leaves out, and why.

    One that is `wanted` has been chosen, and this machine cannot offer it.
    """

    factor: Factor
    level: str
    reason: str
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """All runs in the order they are to be carried out, what is left out, and how long it takes."""

    design: str
    seed: int
    blocks: int
    runs: tuple[Run, ...]
    skipped: tuple[Skipped, ...]
    estimated_seconds: float

    @property
    def left_out(self) -> dict[tuple[Factor, str, bool], tuple[str, ...]]:
        """What is skipped, levels of one factor with one reason together, and if it was wanted."""
        together: dict[tuple[Factor, str, bool], tuple[str, ...]] = {}
        for each in self.skipped:
            kind = each.factor, each.reason, each.wanted
            together[kind] = (*together.get(kind, ()), each.level)
        return together

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell once, in the order of the first block."""
        return tuple(run.cell for run in self.runs if run.block == 1)

    def remaining(self, finished: Collection[str]) -> tuple[Run, ...]:
        """Return the runs that are still to be done when those with the given ids are finished."""
        return tuple(run for run in self.runs if run.id not in finished)


def schedule(
    study: Study,
    design: str,
    seed: int,
    only: Collection[str] = (),
    *,
    unavailable: Mapping[str, str] | None = None,
    start_seconds: Mapping[str, float] | None = None,
    blocks: int | None = None,
) -> Schedule:
    """Lay out the runs of a design.

    `only` names levels (contenders, workloads, stores, environments, loads): they take the place
    of the design's levels of the same factor. `unavailable` gives the reason for each level that
    this machine cannot offer, `start_seconds` how long a contender takes to become ready, as far as
    that is known. `blocks` replaces the design's number, to go on to a later look: the
    earlier blocks stay exactly as they were.

    Raises `ProblemsError` for a design or level that the study does not declare.
    """
    plan = find_design(study, design)
    study = study.in_design(design)
    chosen = chosen_levels(study, plan, only)
    reasons, starts = unavailable or {}, start_seconds or {}
    levels = {
        factor: tuple(level for level in names if level not in reasons)
        for factor, names in chosen.items()
    }
    cells = plan.cells(levels, study.baseline)
    count = blocks or plan.blocks
    seconds = {
        cell: estimated_seconds(
            plan.at(cell),
            study.loads[cell.load],
            _with_all_its_sets(study, cell.workload),
            starts.get(cell.contender, START_SECONDS),
        )
        for cell in cells
    }
    pilot = [cell for cell in cells if needs_pilot(study, cell)]
    return Schedule(
        design=design,
        seed=seed,
        blocks=count,
        runs=_blocks(study, cells, count, seed),
        skipped=_skipped(study, design, chosen, only, reasons),
        estimated_seconds=count * sum(seconds.values()) + sum(seconds[cell] for cell in pilot),
    )


def find_design(study: Study, name: str) -> Design:
    """Return a design of the study. Raises `ProblemsError` naming those it has."""
    if name not in study.designs:
        problem = Problem(
            study.id, "design", name, one_of(study.designs), close_match(name, study.designs)
        )
        raise ProblemsError([problem])
    return study.designs[name]


def estimated_seconds(
    design: Design, load: Load, workload: Workload, start_seconds: float = START_SECONDS
) -> float:
    """Guess how long one run takes of a contender that is ready after `start_seconds`."""
    clients = load.clients if isinstance(load, ClosedLoad) else load.connections
    one = workload.transaction_seconds
    warm_up = max(
        design.warm_up.seconds,
        design.warm_up.transactions_of(workload.parameter_sets) * one / clients,
    )
    window = design.window
    counted = window.transactions_of(workload.parameter_sets)
    ends = [
        window.seconds,
        counted and counted * one / clients,
        window.transactions_per_client and window.transactions_per_client * one,
    ]
    measured = max(one, min(end for end in ends if end is not None))
    return AROUND_SECONDS + start_seconds + warm_up + measured


def needs_pilot(study: Study, cell: Cell) -> bool:
    """Tell whether a contender's capacity must be known; a twin has that of its original."""
    load = study.loads[cell.load]
    return isinstance(load, OpenLoad) and load.share_of_capacity is not None and not cell.twin


def next_look(design: Design, blocks: int, half_width: float | None) -> int | None:
    """Say to how many blocks to go on after so many, or None to stop.

    `half_width` is half the width of the widest interval of the study's questions, as a share; None
    means that there is no interval yet. Precision decides, never significance: stopping at the
    first "significant" result would find differences where there are none.
    """
    later = next((look for look in design.looks if look > blocks), None)
    if later is None or design.precision is None:
        return None
    return None if half_width is not None and half_width <= design.precision else later


def chosen_levels(
    study: Study, design: Design, only: Collection[str]
) -> dict[Factor, tuple[str, ...]]:
    """Return the levels that are to take part, by factor: those of `only`, else the design's.

    Raises `ProblemsError` for a level that the study does not declare.
    """
    declared = study.levels
    known = [level for factor in FACTORS for level in declared[factor]]
    unknown = [name for name in only if name not in known]
    if unknown:
        raise ProblemsError(
            Problem("--only", "", name, one_of(known), close_match(name, known)) for name in unknown
        )
    chosen: dict[Factor, tuple[str, ...]] = {}
    for factor in FACTORS:
        named = tuple(level for level in declared[factor] if level in only)
        designed = design.levels(factor)
        own = declared[factor] if designed is None else designed
        chosen[factor] = named or tuple(level for level in own if _measured(design, factor, level))
    return chosen


def _measured(design: Design, factor: Factor, level: str) -> bool:
    """Tell whether some experiment of the design, where it has any, has the level."""
    named = [each.where.levels(factor) for each in design.experiments.values()]
    return not named or any(levels is None or level in levels for levels in named)


def _with_all_its_sets(study: Study, workload: str) -> Workload:
    """Return a workload with the parameter sets of all that it is made of."""
    sets = sum(study.parts(workload).values())
    return study.workloads[workload].model_copy(update={"parameter_sets": sets})


def _skipped(
    study: Study,
    design: str,
    chosen: Mapping[Factor, tuple[str, ...]],
    only: Collection[str],
    reasons: Mapping[str, str],
) -> tuple[Skipped, ...]:
    skipped = []
    for factor, declared in study.levels.items():
        narrowed = any(level in only for level in declared)
        left_out = "left out by --only" if narrowed else f"no part of design {design}"
        for level in declared:
            if level not in chosen[factor]:
                skipped.append(Skipped(factor, level, left_out))
            elif level in reasons:
                skipped.append(Skipped(factor, level, reasons[level], wanted=True))
    return tuple(skipped)


def _blocks(study: Study, cells: list[Cell], blocks: int, seed: int) -> tuple[Run, ...]:
    random = Generator(PCG64(seed))
    runs = []
    for block in range(1, blocks + 1):
        block_seed = int(random.integers(2**32))
        for position, index in enumerate(random.permutation(len(cells)), start=1):
            cell = cells[index]
            name = f"b{block:02}-{position:03}-{_name(study, cell)}"
            runs.append(Run(name, block, position, cell, block_seed))
    return tuple(runs)


def _name(study: Study, cell: Cell) -> str:
    """Spell the levels that tell the cell from others of the study, in a form fit for a path."""
    varied = [
        cell.level(factor)
        for factor in FACTORS
        if factor not in ("contender", "workload") and len(study.levels[factor]) > 1
    ]
    return "-".join((cell.registration, cell.workload, *varied))
