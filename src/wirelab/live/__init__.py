"""The live page of a study: what is measured, while it is measured, in a process of its own.

The study tells the page what happens over a pipe and never waits for it, so nothing that happens to
the page, or in a browser, happens to the study.
"""

from wirelab.live.feed import LivePage

__all__ = ["LivePage"]
