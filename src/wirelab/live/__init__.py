"""The live page of a running study, served by a separate process.

The study sends events to the page over a pipe and never waits for it, so the page and browsers
cannot affect the study.
"""

from wirelab.live.feed import LivePage

__all__ = ["LivePage"]
