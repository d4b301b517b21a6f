"""The schedule of a study: which blocks, in which order. Study, design and seed determine it.

Randomised complete blocks: the cells of a block are compared with each other, run at the same time
and take turns, so that the machine's noise affects all alike. The seed alone determines the cells
and their order.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from random import Random

from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem, ProblemsError, add_unknown
from wirelab.planning.duration import block_seconds, search_seconds
from wirelab.study import FACTORS, Cell, Design, Factor, OpenLoad, Study, group_cells


@dataclass(frozen=True, slots=True)
class Run:
    """One cell in one block: a fresh server and its measurement."""

    id: str
    block: int
    cell: Cell


@dataclass(frozen=True, slots=True)
class Block:
    """Cells that are compared with one another, once. Numbers and positions count from 1.

    `group` names the cells: blocks of one group repeat each other. `seed` gives the order in which
    contenders start and take turns, the arrival times of their requests and the order of a mix.
    """

    id: str
    number: int
    position: int
    group: str
    runs: tuple[Run, ...]
    seed: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of its runs."""
        return tuple(run.cell for run in self.runs)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A level that the study declares and this schedule leaves out, and why.

    If `wanted`, the level was chosen, but this machine cannot offer it.
    """

    factor: Factor
    level: str
    reason: str
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """All blocks in the order of their execution, what is left out, and the estimated duration."""

    design: str
    seed: int
    blocks: tuple[Block, ...]
    skipped: tuple[Skipped, ...]
    estimated_seconds: float
    """The time of the blocks so far; further ones may be added if it is `until_decided`."""
    until_decided: bool = False
    """Whether blocks are added until all is decided, instead of a fixed number."""
    budget_minutes: float | None = None
    """Longest time for measuring; None: the design's, if it has one."""

    @property
    def left_out(self) -> dict[tuple[Factor, str, bool], tuple[str, ...]]:
        """What is skipped, grouped by factor and reason, and whether it was wanted."""
        together: dict[tuple[Factor, str, bool], tuple[str, ...]] = {}
        for each in self.skipped:
            kind = each.factor, each.reason, each.wanted
            together[kind] = (*together.get(kind, ()), each.level)
        return together

    @property
    def runs(self) -> tuple[Run, ...]:
        """Every run of every block."""
        return tuple(run for block in self.blocks for run in block.runs)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell once, in the order of the first blocks."""
        return tuple(dict.fromkeys(run.cell for run in self.runs))

    @property
    def repetitions(self) -> dict[str, int]:
        """How many blocks each group has."""
        counted: dict[str, int] = {}
        for block in self.blocks:
            counted[block.group] = max(block.number, counted.get(block.group, 0))
        return counted

    def remaining(self, finished: Collection[str]) -> tuple[Block, ...]:
        """Return the blocks that remain when those with the given ids are finished."""
        return tuple(block for block in self.blocks if block.id not in finished)


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
    """Schedule the blocks of a design.

    `only` names levels (contenders, workloads, stores, environments, loads): they take the place
    of the design's levels of the same factor. `unavailable` gives the reason for each level that
    this machine cannot offer, `start_seconds` how long a contender takes to become ready, as far as
    that is known. `blocks` replaces the design's number.

    Raises `ProblemsError` for a design or level that the study does not declare.
    """
    plan = find_design(study, design)
    study = study.in_design(design)
    chosen = chosen_levels(study, plan, only)
    reasons = unavailable or {}
    levels = {
        factor: tuple(level for level in names if level not in reasons)
        for factor, names in chosen.items()
    }
    cells = plan.cells(levels, study.baseline)
    groups = group_cells(study, plan, cells)
    seconds = {
        name: block_seconds(study, plan, members, start_seconds or {})
        for name, members in groups.items()
    }
    pilot = [[cell] for cell in cells if needs_pilot(study, cell)]
    count = blocks or plan.first_blocks
    return Schedule(
        design=design,
        seed=seed,
        blocks=_blocks(study, groups, dict.fromkeys(groups, (0, count)), seed),
        skipped=_skipped(study, design, chosen, only, reasons),
        estimated_seconds=count * sum(seconds.values())
        + sum(block_seconds(study, plan, cell, start_seconds or {}) for cell in pilot)
        + sum(search_seconds(study, cell) for cell in cells),
        until_decided=blocks is None and plan.until is not None,
        budget_minutes=plan.budget_minutes,
    )


def extend(study: Study, laid_out: Schedule, blocks: Mapping[str, int]) -> Schedule:
    """Add blocks to some groups until each has `blocks`; earlier blocks remain unchanged."""
    plan = study.designs[laid_out.design]
    groups = group_cells(study, plan, laid_out.cells)
    done = laid_out.repetitions
    more = {name: (done[name], count) for name, count in blocks.items() if count > done[name]}
    seconds = sum(
        (last - first) * block_seconds(study, plan, groups[name], {})
        for name, (first, last) in more.items()
    )
    return replace(
        laid_out,
        blocks=(*laid_out.blocks, *_blocks(study, groups, more, laid_out.seed)),
        estimated_seconds=laid_out.estimated_seconds + seconds,
    )


def default_design(study: Study) -> str:
    """Return the name of the design to take if none is named: the only one, or otherwise smoke."""
    return next(iter(study.designs)) if len(study.designs) == 1 else "smoke"


def find_design(study: Study, name: str) -> Design:
    """Return a design of the study. Raises `ProblemsError` with the known designs."""
    if name not in study.designs:
        problem = Problem(
            study.id, "design", name, one_of(study.designs), close_match(name, study.designs)
        )
        raise ProblemsError([problem])
    return study.designs[name]


def needs_pilot(study: Study, cell: Cell) -> bool:
    """Return whether a contender's capacity must be measured; a twin has that of its original."""
    load = study.loads[cell.load]
    return isinstance(load, OpenLoad) and load.share_of_capacity is not None and not cell.twin


def chosen_levels(
    study: Study, design: Design, only: Collection[str]
) -> dict[Factor, tuple[str, ...]]:
    """Return the levels to be measured, by factor: those of `only`, else the design's.

    Raises `ProblemsError` for a level that the study does not declare.
    """
    declared = study.levels
    add_unknown("--only", only, {level for factor in FACTORS for level in declared[factor]})
    chosen: dict[Factor, tuple[str, ...]] = {}
    for factor in FACTORS:
        named = tuple(level for level in declared[factor] if level in only)
        designed = design.levels(factor)
        own = declared[factor] if designed is None else designed
        chosen[factor] = named or tuple(level for level in own if _measured(design, factor, level))
    return chosen


def _measured(design: Design, factor: Factor, level: str) -> bool:
    """Return whether the design, or one of its experiments if it has any, has the level."""
    named = [each.levels(factor) for each in design.experiments.values()]
    return not named or any(levels is None or level in levels for levels in named)


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
        left_out = "left out by --only" if narrowed else f"not part of design {design}"
        for level in declared:
            if level not in chosen[factor]:
                skipped.append(Skipped(factor, level, left_out))
            elif level in reasons:
                skipped.append(Skipped(factor, level, reasons[level], wanted=True))
    return tuple(skipped)


def _blocks(
    study: Study,
    groups: Mapping[str, list[Cell]],
    numbers: Mapping[str, tuple[int, int]],
    seed: int,
) -> tuple[Block, ...]:
    """Schedule blocks first + 1 to last of every group, round by round in random order.

    Each block draws from its own stream of random numbers, so that it is the same one whatever
    else is measured. The standard library's generator will do, and saves every command that plans
    the import of numpy.
    """
    blocks: list[Block] = []
    for number in range(1, max((last for _, last in numbers.values()), default=0) + 1):
        names = [name for name, (first, last) in numbers.items() if first < number <= last]
        Random(f"{seed}/{number}").shuffle(names)
        for position, name in enumerate(names, start=1):
            random = Random(f"{seed}/{number}/{name}")
            cells = random.sample(groups[name], len(groups[name]))
            runs = tuple(Run(f"b{number:02}-{_name(study, cell)}", number, cell) for cell in cells)
            blocks.append(
                Block(
                    id=f"b{number:02}-{name}",
                    number=number,
                    position=position,
                    group=name,
                    runs=runs,
                    seed=random.getrandbits(32),
                )
            )
    return tuple(blocks)


def _name(study: Study, cell: Cell) -> str:
    """Return the levels that distinguish the cell from others of the study, for use in a path."""
    varied = [
        cell.level(factor)
        for factor in FACTORS
        if factor not in ("contender", "workload") and len(study.levels[factor]) > 1
    ]
    return "-".join((cell.registration, cell.workload, *varied))
