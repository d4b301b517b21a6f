"""What can go wrong while measuring; a run that ends with one of these is invalid."""

from wirelab.errors import MeasureError


class EngineError(MeasureError):
    """The engine did not do what it must."""


class JobRejectedError(EngineError):
    """The engine will not accept the job; the text lists every problem with it."""


class TargetUnreachableError(EngineError):
    """No connection to the contender could be made."""


class EngineDiedError(EngineError):
    """The engine ended without a result; the last lines of its log are in the text."""


class EngineHungError(EngineError):
    """The engine said nothing for too long, or did not end in time."""


class NoCapacityError(EngineError):
    """A search for capacity found no rate, since the contender answers nothing correctly."""


class AbortedError(MeasureError):
    """The run was broken off for a reason outside the engine, such as a dead contender."""
