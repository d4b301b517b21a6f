"""Errors of a measurement; a run that ends with one of these is invalid."""

from wirelab.errors import MeasureError


class EngineError(MeasureError):
    """The engine failed."""


class JobRejectedError(EngineError):
    """The engine rejected the job; the text lists every problem with it."""


class TargetUnreachableError(EngineError):
    """The engine could not connect to the contender."""


class EngineDiedError(EngineError):
    """The engine ended without a result; the text contains the last lines of its log."""


class EngineHungError(EngineError):
    """The engine was silent for too long, or did not end in time."""


class NoCapacityError(EngineError):
    """A search for capacity found no rate, since the contender answers nothing correctly."""


class AbortedError(MeasureError):
    """The run was aborted for a reason outside the engine, such as a dead contender."""
