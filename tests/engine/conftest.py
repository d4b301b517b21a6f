"""What the tests of the engine's contract share."""

from tests.support.jobs import make_job

__all__ = ["make_job"]
