"""Reasons of runs that do not count, for tests that need any of a kind."""

from wirelab.bundle.run_reasons import Failed, RuleBroken, WrongAnswers
from wirelab.errors import Failure
from wirelab.statistics import BrokenRule, Rule

IT_DIED = Failed(error="ContenderError", failure=Failure("it died"))
BUSY = RuleBroken(broken=BrokenRule(Rule.GENERATOR, 0.91, 0.85))
FEW_FAILED = RuleBroken(broken=BrokenRule(Rule.FAILURES, 0.0011, 0.001))


def wrong(count: int = 24, of: int = 1760) -> WrongAnswers:
    return WrongAnswers(wrong=count, transactions=of)
