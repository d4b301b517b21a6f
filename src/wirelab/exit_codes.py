"""Exit codes of the `wirelab` command: one place, documented in docs/reference/exit-codes.md."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the end of a command says to a script."""

    OK = 0
    """Everything asked for was done, and every run is valid."""
    FAILED = 1
    """wirelab itself failed: a defect, or the machine would not let it."""
    BAD_INPUT = 2
    """A file, option or setting is wrong; nothing was started."""
    NOT_READY = 3
    """Something that is needed is missing: a program, a store, a build."""
    VERIFY_FAILED = 4
    """A contender does not answer as the reference does; nothing was measured."""
    INVALID_RUNS = 5
    """The study ended, but some runs are invalid or were skipped for a fault."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C or a signal; the bundle can be resumed."""
