"""Why a command cannot continue: what happened, and what the user can do about it."""

NO_ANSWER = "does not answer at"
"""What follows the id of a contender that wirelab did not start, if it is silent. Analyses
recognise this reason of a run by it."""

WRONG_ANSWERS = "wrong answers under load"
"""What a run's reason contains if answers differ from the verified ones; analyses recognise it."""
NOT_VERIFIED = "verification failed"
"""What the reason of a run begins with if its contender was refused; the finding follows."""
OBSTACLE = "under load "
"""What a run's reason begins with if it names an obstacle, such as a rate limit, and its remedy."""


class CommandError(Exception):
    """A command cannot continue. `hint` names the remedy."""

    def __init__(self, what: str, hint: str = "") -> None:
        self.what = what
        self.hint = hint
        super().__init__(f"{what}\nhint: {hint}" if hint else what)


class LabError(CommandError):
    """This machine does not meet a requirement, or an operation on it failed."""


class MissingProgramError(LabError):
    """A required program is not installed; what needs it is skipped with this reason."""


class MeasureError(Exception):
    """A measurement failed; the text is recorded as a reason of the run."""
