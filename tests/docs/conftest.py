"""A browser for the site."""

from tests.support.chromium import browser

__all__ = ["browser"]
