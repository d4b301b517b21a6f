"""`wirelab history`: measure commits against an anchor, keep the ratios, draw how they changed."""

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from wirelab.bundle.files import write_atomically
from wirelab.commands.logs import log_folder
from wirelab.commands.progress import ProgressBar
from wirelab.compare.git import top_of
from wirelab.compare.git_trees import work_trees
from wirelab.errors import LabError
from wirelab.experiment.events import Note, Observer, StageStarted
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.lab.processes.process import stopping_everything
from wirelab.terminal import words
from wirelab.terminal.console import note, print_json, show
from wirelab.terminal.exit_codes import ExitCode
from wirelab.terminal.untrusted import visible
from wirelab.versions.command_line import HistoryOptions
from wirelab.versions.course import Course, courses
from wirelab.versions.drawing import description, history_page, picture
from wirelab.versions.ledger import LedgerLine, append_lines, read_ledger
from wirelab.versions.lineage import Lineage
from wirelab.versions.measuring import VersionLab
from wirelab.versions.options import VersionsRequest, read_history
from wirelab.versions.sessions import TOGETHER, measure_session


def history_command(options: HistoryOptions) -> ExitCode:
    """Measure what is to be measured, draw the file, print what changed."""
    lines = read_ledger(options.file)
    if options.sides:
        request = read_history(options)
        try:
            _measure(options, request, lines)
        except KeyboardInterrupt:
            continues = "interrupted; the same command continues with the commits that are left"
            raise KeyboardInterrupt(continues) from None
        lines = read_ledger(options.file)
    elif not lines:
        sentence = f"{options.file} has no history yet"
        hint = "give the commits to measure: wirelab history v1.0..main --start '…'"
        raise ProblemsError([Problem.stated(sentence, hint)])
    found = courses(lines, _order(lines))
    files = _draw(options.file, found)
    if options.json:
        print_json({"file": str(options.file), **files, "operations": list(map(_plain, found))})
    else:
        show("\n".join(map(visible, _text(found))))
    note(f"page: {files['html']}")
    return ExitCode.OK


def _measure(
    options: HistoryOptions, request: VersionsRequest, lines: Sequence[LedgerLine]
) -> None:
    """Measure the commits that the file does not have yet; append a line for each operation."""
    lineage = Lineage(top_of(Path.cwd()))
    chosen = _chosen(options, request, lineage)
    named = options.anchor or (lines[-1].anchor if lines else chosen[0])
    anchor = lineage.commit(named).id
    known = {line.commit for line in lines if line.anchor == anchor and not options.again}
    left = [commit for commit in chosen if commit != anchor and commit not in known]
    if not left:
        note("all of these commits are in the file; --again measures them again")
        return
    with ExitStack() as ends:
        scratch = ends.enter_context(log_folder("wirelab-history-")).path
        ends.enter_context(stopping_everything())
        bar = ends.enter_context(ProgressBar())
        limit_s = request.build_limit_s
        trees = ends.enter_context(work_trees(request.build, scratch, bar, limit_s=limit_s))
        lab = VersionLab(request, lineage, trees, scratch, bar)
        bar.on(StageStarted("Preparing", 2 * (1 + len(left))))
        if why := lab.try_out(anchor):
            title = lineage.commit(anchor).title
            hint = (
                "choose another anchor with --anchor, best a commit that the file has: its lines"
                " are then linked"
            )
            raise LabError(f"the anchor {title} cannot be measured: {why}", hint)
        usable = [commit for commit in left if _is_usable(lab, commit, bar)]
        for number, first in enumerate(range(0, len(usable), TOGETHER), start=1):
            commits = usable[first : first + TOGETHER]
            folder = _session_folder(options, scratch, number)
            append_lines(options.file, measure_session(lab, folder, anchor, commits))


def _is_usable(lab: VersionLab, commit: str, observer: Observer) -> bool:
    why = lab.try_out(commit)
    if why:
        observer.on(Note(f"skipped: {lab.lineage.commit(commit).title}: {why}"))
    return not why


def _session_folder(options: HistoryOptions, scratch: Path, number: int) -> Path:
    """Return where a session's bundle is written: kept only if --output names a folder."""
    return (options.output or scratch / "bundles") / f"session-{number}"


def _chosen(options: HistoryOptions, request: VersionsRequest, lineage: Lineage) -> list[str]:
    """Return the commits to measure, the oldest first."""
    (written, *others) = options.sides
    if others or ".." not in written:
        return [lineage.commit(side.version).id for side in request.sides]
    older, newer = (lineage.commit(side.version).id for side in request.sides)
    path = lineage.path(older, newer)
    if options.tags:
        tagged = lineage.tagged()
        path = [commit for commit in path if commit in tagged]
    kept = [*path[:: options.every], *path[-1:]]
    if not kept:
        sentence = f"no commit of {written} has a tag"
        raise ProblemsError([Problem.stated(sentence, "leave out --tags")])
    return list(dict.fromkeys(kept))


def _order(lines: Sequence[LedgerLine]) -> list[str]:
    """Return the commits of the current repository, the oldest first, if it has the history's."""
    with suppress(LabError):
        lineage = Lineage(top_of(Path.cwd()))
        return lineage.in_order([line.commit for line in lines])
    return []


def _draw(file: Path, found: Sequence[Course]) -> dict[str, str]:
    """Write the page, and a picture of each operation, beside the file; return their paths."""
    files = {"html": file.with_suffix(".html")}
    write_atomically(files["html"], history_page(found, title=file.stem).encode())
    drawn = [course for course in found if course.points]
    for number, course in enumerate(drawn, start=1):
        suffix = ".svg" if len(drawn) == 1 else f"-{number}.svg"
        files["svg" if len(drawn) == 1 else f"svg-{number}"] = svg = file.with_name(
            file.stem + suffix
        )
        write_atomically(svg, picture(course).encode())
    return {kind: str(path) for kind, path in files.items()}


def _text(found: Sequence[Course]) -> Iterator[str]:
    for course in found:
        yield description(course)
        for point in course.changes:
            change = math.nan if point.change is None else point.change
            yield f"  {words.times(change)} at {point.line.commit[:10]} {point.line.subject}"
        if course.points:
            last = course.points[-1]
            ratio = words.estimate(last.ratio, last.interval)
            yield f"  {last.line.commit[:10]} takes {ratio} the time of {course.anchor[:10]}"
        if course.left_out:
            yield f"  {words.plural(course.left_out, 'line')} left out"


def _plain(course: Course) -> dict[str, object]:
    return {
        "operation": course.operation,
        "anchor": course.anchor,
        "left_out": course.left_out,
        "commits": [
            {
                "commit": point.line.commit,
                "ratio": point.ratio,
                "interval": point.interval,
                "level": point.level,
                "change": point.change,
            }
            for point in course.points
        ],
    }
