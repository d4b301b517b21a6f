"""`wirelab bisect`: find the commit that changed the time of a server."""

import fcntl
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import gettempdir

from pydantic import TypeAdapter

from wirelab.bundle import default_folder
from wirelab.commands.logs import log_folder
from wirelab.commands.progress import ProgressBar
from wirelab.compare.git import top_of
from wirelab.compare.git_trees import work_trees
from wirelab.inputs.output_folder import create_folder
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.lab.processes.process import stopping_everything
from wirelab.terminal import words
from wirelab.terminal.console import error, note, print_json, show
from wirelab.terminal.exit_codes import ExitCode
from wirelab.terminal.untrusted import visible
from wirelab.versions.command_line import BisectOptions
from wirelab.versions.lineage import Lineage
from wirelab.versions.measuring import VersionLab
from wirelab.versions.options import VersionsRequest, read_bisection
from wirelab.versions.outcome import BisectOutcome
from wirelab.versions.rounds import AnswersDifferError, BisectRecord, Rounds
from wirelab.versions.search import Search

HOW_TO_FIX = "make the answers equal, or leave out with --ignore PART what is meant to differ"


def bisect_command(options: BisectOptions) -> ExitCode:
    """Search, print what was found, and return the exit code."""
    if options.resume is not None:
        folder, record = options.resume, _resumed(options)
        begun = TypeAdapter(BisectOptions).validate_python(dict(record.options))
        request = read_bisection(replace(begun, json=options.json, ci=options.ci))
    else:
        request = read_bisection(options)
        lineage = Lineage(top_of(Path.cwd()))
        good, bad = (lineage.commit(side.version).id for side in request.sides)
        lineage.path(good, bad)  # before a folder is created
        folder = options.output or default_folder("bisect")
        create_folder(folder)
        record = BisectRecord(
            options=asdict(replace(options, output=None)),
            directory=os.fspath(Path.cwd()),
            trees=f"{gettempdir()}/wirelab-versions-{secrets.token_hex(8)}",
            good=good,
            bad=bad,
        )
        record.write(folder)
    with _kept(folder):
        try:
            outcome = _search(request, folder, record)
        except AnswersDifferError as differ:
            error(str(differ))
            note(f"hint: {HOW_TO_FIX}")
            return ExitCode.VERIFY_FAILED
    code = outcome.exit_code(strict=options.ci)
    if options.ci:
        sys.stdout.write(outcome.markdown())
    elif options.json:
        print_json({"folder": str(folder), "exit_code": int(code), **outcome.plain()})
    else:
        show("\n".join(map(visible, outcome.lines())))
    note(f"rounds: {folder}")
    return code


def _search(request: VersionsRequest, folder: Path, record: BisectRecord) -> BisectOutcome:
    """Search between the two commits of a record, with everything that this needs."""
    with ExitStack() as ends:
        scratch = ends.enter_context(log_folder("wirelab-bisect-")).path
        ends.enter_context(stopping_everything())
        bar = ends.enter_context(ProgressBar())
        place = Path(record.trees)
        trees = ends.enter_context(
            work_trees(request.build, scratch, bar, folder=place, limit_s=request.build_limit_s)
        )
        lineage = Lineage(trees.top)
        lab = VersionLab(request, lineage, trees, scratch, bar)
        rounds = Rounds(folder, lab, record, request.seconds)
        rounds.require_ends()
        found = Search(lineage, rounds).run(record.good, record.bad)
        named = {
            *found.path,
            *rounds.record.skipped,
            *(it for p in found.parts for it in p.commits),
        }
        return BisectOutcome(
            found,
            {commit: lineage.commit(commit) for commit in named},
            rounds.operation,
            rounds.record.skipped,
            rounds.count,
        )


def _resumed(options: BisectOptions) -> BisectRecord:
    """Return the record of the bisection that is resumed. Raises `ProblemsError`."""
    assert options.resume is not None
    if replace(options, resume=None, json=False, ci=False) != BisectOptions():
        sentence = "--resume takes no other options than --json and --ci"
        raise ProblemsError([Problem.stated(sentence, "the bisection keeps those that it had")])
    record = BisectRecord.read(options.resume)
    if Path.cwd() != Path(record.directory):
        sentence = f"the bisection was started in {record.directory}"
        folder = options.resume.absolute()
        command = words.command("wirelab", "bisect", "--resume", folder)
        hint = f"{words.command('cd', record.directory)} && {command}"
        raise ProblemsError([Problem.stated(sentence, hint)])
    return record


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Lock a folder while it is written; say how to continue after an interruption.

    It is removed again if nothing was measured.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        sentence = f"another wirelab is measuring in {folder}"
        raise ProblemsError([Problem.stated(sentence, "wait until it has ended")]) from None
    except BaseException as failed:
        if not any(folder.glob("round-*/blocks/*")):
            shutil.rmtree(folder, ignore_errors=True)
        elif isinstance(failed, KeyboardInterrupt):
            command = words.command("wirelab", "bisect", "--resume", folder)
            raise KeyboardInterrupt(f"interrupted; continue with: {command}") from None
        raise
    finally:
        os.close(descriptor)
