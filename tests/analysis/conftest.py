"""Synthetic bundles and what is made of them, those of the tests of reports."""

from tests.report.bundles import analysis, both, bundle, faulty, few, many, page, throughput

__all__ = ["analysis", "both", "bundle", "faulty", "few", "many", "page", "throughput"]
