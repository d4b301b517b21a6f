"""The notes domain, for the tests of this folder."""

from tests.domain.fixtures import cache, dataset, notes

__all__ = ["cache", "dataset", "notes"]
