"""The oracle of the tests of statistics, which only the worker that runs them loads."""

import pytest
import scipy


@pytest.fixture(scope="session", autouse=True)
def loaded() -> None:
    """Load `scipy.stats` before tests whose examples have a time limit."""
    assert scipy.stats
