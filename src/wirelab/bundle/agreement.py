"""Check that the files of a bundle agree with each other and with schedule.json."""

from collections.abc import Iterator

from wirelab.bundle.contents import Contents
from wirelab.inputs.problems import Problem, ProblemsError


def require_agreement(bundle: Contents) -> None:
    """Raise `ProblemsError` if a file of the bundle contradicts schedule.json."""
    problems = list(_disagreements(bundle))
    if problems:
        raise ProblemsError(problems)


def _disagreements(bundle: Contents) -> Iterator[Problem]:
    schedule, design = bundle.schedule, bundle.info.design
    if design != schedule.design:
        expected = f"{schedule.design}, the design of schedule.json"
        yield Problem(str(bundle.path / "bundle.json"), "design", design, expected)
    measured = {run.cell.contender for run in schedule.runs}
    if missing := sorted(measured - bundle.contenders.keys()):
        where, expected = str(bundle.path / "contenders.json"), "each contender of schedule.json"
        hint = "restore the file from a copy of the bundle"
        yield Problem(where, ", ".join(missing), None, expected, hint)
    planned = {run.id: run for run in schedule.runs}
    for block in bundle.block_records():
        for number, record in enumerate(block.runs):
            run = record.run
            if run != planned.get(run.id, run):
                where = f"block.json of {block.block.id}, attempt {block.attempt}"
                expected = f"{planned[run.id]}, as in schedule.json"
                yield Problem(f"{bundle.path}: {where}", f"runs.{number}.run", str(run), expected)
    cells = {(run.cell.contender, run.cell.workload) for run in schedule.runs}
    for number, counted in enumerate(bundle.wire_records):
        if (counted.contender, counted.workload) not in cells:
            what = f"{counted.contender}, {counted.workload}"
            expected = "a contender and a workload of schedule.json"
            yield Problem(str(bundle.path / "wire.json"), str(number), what, expected)
