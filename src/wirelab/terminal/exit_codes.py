"""The exit codes of the `wirelab` command, documented in docs/reference/exit-codes.md."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit code means to a script."""

    OK = 0
    """Everything requested was done; "cannot tell" is a result, and noise is not a failure."""
    FAILED = 1
    """wirelab itself failed: a defect, or the machine refused something that it needs."""
    BAD_INPUT = 2
    """A file, option or setting is wrong, or a domain's generator or reference; nothing was
    measured."""
    NOT_READY = 3
    """Something is missing or cannot be started: a program, a store, a build, a server."""
    VERIFY_FAILED = 4
    """A contender's answers differ from those of the reference, or of the other contenders; it was
    not measured."""
    FAULTS = 5
    """Part of the measurement does not count, because of a fault; with `wirelab run --strict`, also
    if it was disturbed."""
    ALTERED = 6
    """`wirelab report`: the bundle has changed since it was sealed."""
    SLOWER = 10
    """`wirelab compare --ci`: something is slower; `wirelab bisect --ci`: a commit made it so."""
    CANNOT_TELL = 11
    """`wirelab compare`: nothing is slower, but a limit has no figure to judge it by or, with --ci,
    a comparison is "cannot tell", or an operation was not measured for lack of time."""
    BEYOND_LIMIT = 12
    """`wirelab compare --fail-if`: a figure exceeds its limit."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C or a signal; `wirelab run --resume` continues a bundle, `wirelab bisect
    --resume` a bisection."""
