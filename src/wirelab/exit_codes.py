"""Exit codes of the `wirelab` command: one place, documented in docs/reference/exit-codes.md."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the end of a command says to a script."""

    OK = 0
    """Everything asked for was done; "cannot tell" is a result, and noise is no failure."""
    FAILED = 1
    """wirelab itself failed: a defect, or the machine would not let it."""
    BAD_INPUT = 2
    """A file, option or setting is wrong; nothing was started."""
    NOT_READY = 3
    """Something that is needed is missing: a program, a store, a build."""
    VERIFY_FAILED = 4
    """A contender does not answer as the reference, or the others, do: it was not measured."""
    SLOWER = 10
    """`wirelab compare --ci`: something is slower, and not only negligibly."""
    CANNOT_TELL = 11
    """`wirelab compare`: too little was measured to judge a limit or, with --ci, to decide."""
    BEYOND_LIMIT = 12
    """`wirelab compare`: a figure is beyond a limit of --fail-if."""
    FAULTS = 5
    """The study ended, but some runs do not count for a fault; with --strict, or were disturbed."""
    ALTERED = 6
    """`wirelab report`: the bundle is not what it was when it was sealed."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C or a signal; the bundle can be resumed."""
