"""Why a command cannot go on: what happened, and what a person can do about it."""


class CommandError(Exception):
    """A command cannot go on. `hint` names the remedy."""

    def __init__(self, what: str, hint: str = "") -> None:
        self.what = what
        self.hint = hint
        super().__init__(f"{what}\nhint: {hint}" if hint else what)


class LabError(CommandError):
    """Something on this machine is not as it must be."""


class MissingProgramError(LabError):
    """A program that is needed is not installed; what needs it is skipped with this reason."""


class MeasureError(Exception):
    """A measurement failed; the text says why, for the run's reasons."""
