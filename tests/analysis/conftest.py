"""Synthetic bundles and what is made of them, those of the tests of reports."""

from tests.support.bundles.fixtures import (
    analysis,
    apart,
    both,
    both_analysis,
    bundle,
    faulty,
    few,
    few_analysis,
    many,
    page,
    shared,
    three,
    throughput,
)

__all__ = [
    "analysis",
    "apart",
    "both",
    "both_analysis",
    "bundle",
    "faulty",
    "few",
    "few_analysis",
    "many",
    "page",
    "shared",
    "three",
    "throughput",
]
