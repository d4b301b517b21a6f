"""The live page of a running study, served by a separate process.

The study sends events to the page over a pipe and never waits for it, so the page and browsers
cannot affect the study.

Import `LivePage` from `wirelab.live.feed`: the page's process needs nothing of the experiment.
"""
