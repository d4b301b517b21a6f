"""A study whose contenders go wrong in one way each."""

from tests.support.worlds import study

__all__ = ["study"]
