"""Histograms of the load engine: decode them, add them up, and read quantiles off the sum."""

import math
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from hdrh.codec import HdrCookieException, HdrLengthException
from hdrh.histogram import HdrHistogram

from wirelab.engine.result import RESULT
from wirelab.inputs.problems import Problem, ProblemsError


def decode_histogram(text: str) -> HdrHistogram:
    """Decode one of the histograms; its values are in nanoseconds.

    Raises `ProblemsError` if the text is not a histogram.
    """
    try:
        return HdrHistogram.decode(text)
    except (HdrCookieException, HdrLengthException, ValueError, TypeError, zlib.error) as error:
        what = f"a histogram in {RESULT} is damaged: {error or type(error).__name__}"
        raise ProblemsError([Problem.stated(what)]) from None


def add_up(texts: Iterable[str]) -> HdrHistogram | None:
    """Decode histograms and add them up; None without any."""
    total: HdrHistogram | None = None
    for text in texts:  # one at a time: each takes 0.4 MB
        histogram = decode_histogram(text)
        if total is None:
            total = histogram
        else:
            total.add(histogram)
    return total


def quantiles_ns(histogram: HdrHistogram, shares: Sequence[float]) -> list[int]:
    """Return the smallest values with each share at or below, as the engine does, in nanoseconds.

    A histogram without values has none.
    """
    seen = np.cumsum(np.ctypeslib.as_array(histogram.counts))
    total = histogram.get_total_count()
    if not total:
        return []
    ranks = [max(1, math.ceil(share * total)) for share in shares]
    return [
        histogram.get_highest_equivalent_value(histogram.get_value_from_index(int(index)))
        for index in np.searchsorted(seen, ranks)
    ]
