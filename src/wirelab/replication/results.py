"""The compact results of a part: values by block, from which every claim can be judged again.

A bundle has a file of slices for every run. Claims are judged from one value for each block, so
these suffice: `values.csv` has those of single cells, `ratios.csv` the logarithms of ratios of
cells that took turns, `results.json` everything else that a page says, and `study/` the claims.
"""

import csv
import io
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from wirelab.analysis import Analysis
from wirelab.analysis.answers.headline import opening
from wirelab.analysis.comparing import method_of
from wirelab.analysis.figures.published import published_tables
from wirelab.analysis.synopsis import machine_of
from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.bundle.files import write_atomically
from wirelab.bundle.records import read_record
from wirelab.claims import ClaimEvidence, check_claims, decide_hypotheses
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.record import Record
from wirelab.statistics import BlockValue
from wirelab.study import Cell, Study, load_study
from wirelab.terminal import words

RESULTS = "results"
"""The folder of all compact results in that of a replication."""
FACTS, VALUES, RATIOS, STUDY = "results.json", "values.csv", "ratios.csv", "study"


class Facts(Record):
    """results.json: what was measured, where and when, and what a page says of it."""

    format: Literal["wirelab-results/2"] = "wirelab-results/2"
    bundle: str
    digest: str | None
    """The hash to cite the bundle by; None if it is not sealed, or was altered."""
    study: str
    design: str
    seed: int
    status: str
    created_utc: str
    wirelab_version: str
    machine: str
    labels: Mapping[str, str]
    protocols: Mapping[str, str]
    versions: Mapping[str, Mapping[str, str]]
    """The packages of contenders, with their versions."""
    cells: tuple[Cell, ...]
    counted: tuple[Cell, ...] = ()
    """Cells that were not planned, whose bytes are those of a planned one."""
    left_out: Mapping[str, str]
    """The levels that were not measured, and why."""
    wanted: tuple[str, ...]
    """Those of them that the machine could not offer."""
    is_until_decided: bool
    valid_runs: int
    planned_runs: int
    measured_s: float
    """The time of all blocks."""
    cpu_s: float
    """The CPU time of servers, stores and load generators in what was recorded of valid runs."""
    amount: tuple[str, ...]
    """How long measuring took, on which days, and what no longer counts, in sentences."""
    answers: tuple[str, ...]
    """The sentences that the report opens with."""
    cautions: tuple[tuple[str, str], ...]
    """The serious ones: title and detail."""
    lost: tuple[str, ...]
    """Why runs do not count, in sentences."""


@dataclass(frozen=True)
class Results:
    """The compact results of one part."""

    facts: Facts
    study: Study
    own_values: Mapping[tuple[str, Cell], Mapping[int, float]]
    own_ratios: Mapping[tuple[str, Cell, Cell], Mapping[int, BlockValue]]

    def values(self, metric: str, cell: Cell) -> Mapping[int, float]:
        """Return a metric's value by block; empty if it was not measured."""
        return self.own_values.get((metric, cell), {})

    def ratios(self, metric: str, a: Cell, b: Cell) -> Mapping[int, BlockValue]:
        """Return ln(A/B) of a metric by block; empty for cells that were never in one block."""
        return self.own_ratios.get((metric, a, b), {})


@dataclass
class _Recorder:
    """Notes every value that is asked for."""

    source: RunValues
    values: dict[tuple[str, Cell], Mapping[int, float]] = field(default_factory=dict)
    ratios: dict[tuple[str, Cell, Cell], Mapping[int, BlockValue]] = field(default_factory=dict)

    def value(self, metric: str, cell: Cell) -> Mapping[int, float]:
        return self.values.setdefault((metric, cell), self.source.values(metric, cell))

    def ratio(self, metric: str, a: Cell, b: Cell) -> Mapping[int, BlockValue]:
        return self.ratios.setdefault((metric, a, b), self.source.block_values(metric, a, b))


def export(bundle: Bundle, analysis: Analysis, folder: Path) -> None:
    """Write the compact results of a bundle to a folder, and replace older ones."""
    study, schedule = analysis.study, analysis.schedule
    recorder = _Recorder(RunValues.from_bundle(bundle, study))
    evidence = ClaimEvidence.from_schedule(
        schedule,
        recorder.value,
        study.margin,
        recorder.ratio,
        lambda metric: method_of(schedule, metric),
    )
    check_claims(study, evidence)
    decide_hypotheses(study, evidence)
    published_tables(study, schedule.cells, recorder.value, {}, analysis.labels)
    alone = (cell for _, cell in recorder.values)
    both = (cell for _, a, b in recorder.ratios for cell in (a, b))
    known = dict.fromkeys((*schedule.cells, *alone, *both))
    cells = {cell: number for number, cell in enumerate(known)}
    (folder / STUDY).mkdir(parents=True, exist_ok=True)
    for name, path in study.files.items():
        shutil.copyfile(path, folder / STUDY / name)
    _write_csv(
        folder / VALUES,
        ("metric", "cell", "block", "value"),
        (
            (metric, cells[cell], block, value)
            for (metric, cell), by_block in recorder.values.items()
            for block, value in by_block.items()
        ),
    )
    _write_csv(
        folder / RATIOS,
        ("metric", "cell", "other", "block", "log_ratio", "variance"),
        (
            (metric, cells[a], cells[b], block, value.value, value.variance)
            for (metric, a, b), by_block in recorder.ratios.items()
            for block, value in by_block.items()
        ),
    )
    counted = tuple(known)[len(schedule.cells) :]
    facts = _facts(bundle, analysis, counted).model_dump_json(indent=1)
    write_atomically(folder / FACTS, facts.encode() + b"\n")


def load_results(folder: Path) -> Results:
    """Read compact results. Raises `ProblemsError` if a file is missing or damaged."""
    facts = read_record(folder / FACTS, TypeAdapter(Facts))
    values: dict[tuple[str, Cell], dict[int, float]] = {}
    for metric, (cell,), block, value in _rows(folder / VALUES, facts, cells=1, numbers=1):
        values.setdefault((metric, cell), {})[block] = value[0]
    ratios: dict[tuple[str, Cell, Cell], dict[int, BlockValue]] = {}
    for metric, (a, b), block, numbers in _rows(folder / RATIOS, facts, cells=2, numbers=2):
        ratios.setdefault((metric, a, b), {})[block] = BlockValue(*numbers)
    return Results(facts, load_study(folder / STUDY), values, ratios)


def _facts(bundle: Bundle, analysis: Analysis, counted: tuple[Cell, ...]) -> Facts:
    info, schedule, records = analysis.info, analysis.schedule, bundle.current_records()
    used = (
        use.cpu_us or 0.0
        for record in records
        for run in record.runs
        for role, use in run.roles.items()
        if run.status == "valid" and not role.startswith("contender-")
    )
    return Facts(
        bundle=info.id,
        digest=analysis.digest,
        study=info.study,
        design=info.design,
        seed=info.seed,
        status=info.status,
        created_utc=info.created_utc,
        wirelab_version=info.wirelab_version,
        machine=machine_of(analysis.host),
        labels=analysis.labels,
        protocols={name: each.protocol for name, each in analysis.contenders.items()},
        versions={
            name: dict(next(iter(each.versions.values()), {}))
            for name, each in analysis.contenders.items()
        },
        cells=schedule.cells,
        counted=counted,
        left_out={it.level: it.reason.partition("\n")[0] for it in schedule.skipped},
        wanted=tuple(it.level for it in schedule.skipped if it.wanted),
        is_until_decided=schedule.until_decided,
        valid_runs=analysis.validity.valid,
        planned_runs=analysis.validity.planned,
        measured_s=math.fsum(record.seconds for record in records),
        cpu_s=math.fsum(used) / 1e6,
        amount=analysis.procedure.amount,
        answers=_answers(analysis),
        cautions=tuple(
            (each.title, each.detail) for each in analysis.cautions if each.severity == "serious"
        ),
        lost=(*analysis.refused, *(each.sentence for each in analysis.reasons)),
    )


def _write_csv(path: Path, heading: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())


def _rows(
    path: Path, facts: Facts, *, cells: int, numbers: int
) -> Iterator[tuple[str, tuple[Cell, ...], int, list[float]]]:
    """Yield metric, cells, block and numbers of each line of a file."""
    known = (*facts.cells, *facts.counted)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        for metric, *others in csv.reader(lines):
            own = tuple(known[int(each)] for each in others[:cells])
            block, *found = others[cells:]
            if len(found) != numbers:
                raise ValueError(f"{words.plural(len(found), 'number')} in a line")
            yield metric, own, int(block), [float(each) for each in found]
    except (OSError, ValueError, IndexError) as error:
        expected = "a table as `wirelab replicate` wrote it"
        raise ProblemsError([Problem(str(path), "", str(error), expected)]) from None


def _answers(analysis: Analysis) -> tuple[str, ...]:
    """Return what the report says first."""
    if analysis.stopped:
        return (analysis.stopped,)
    opens = opening(analysis)
    return (*opens.sentences, *(f"{asked} {said}" for asked, said in opens.reasons.items()))
