"""Answers to the questions of a study, and the reasons why one has none."""
