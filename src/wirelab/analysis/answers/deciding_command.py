"""The command that would probably decide a comparison that is undecided."""

import itertools
import shlex

from wirelab.analysis.cautions.budget import TooFewValid, TooImprecise
from wirelab.analysis.model import ComparedPair
from wirelab.analysis.result import Analysis
from wirelab.bundle import BundleInfo
from wirelab.terminal import words


def deciding_command(analysis: Analysis, pair: ComparedPair) -> str:
    """Return the command; "" with a verdict, or if more of the same is not known to help."""
    verdict = pair.verdict
    if verdict is None or verdict.is_decided:
        return ""
    if analysis.study.has_budget_option:
        budgets_s = [
            each.for_all_s if isinstance(each, TooImprecise) else each.budget_s
            for each in analysis.cautions
            if isinstance(each, TooImprecise | TooFewValid)
        ]
        return _with(analysis.rerun, "--budget", words.budget(max(budgets_s))) if budgets_s else ""
    if verdict.further_blocks is None or analysis.study.has_options:
        return ""
    comparison = pair.comparison
    blocks = comparison.blocks + comparison.dropped_blocks + verdict.further_blocks
    return _with(analysis.rerun, "--blocks", str(blocks))


def _with(command: str, option: str, value: str) -> str:
    """Give an option of a command this value."""
    parts = ["", *shlex.split(command)]
    kept = [
        part
        for before, part in itertools.pairwise(parts)
        if option not in (before, part) and not part.startswith(f"{option}=")
    ]
    return words.command(*kept, option, value)


def rerun_command(info: BundleInfo) -> str:
    """Return the command that runs the study again, into a new folder."""
    command = info.command or (
        *("wirelab", "run", info.study, "--design", info.design, "--seed", str(info.seed)),
    )
    elsewhere = [
        word
        for before, word in itertools.pairwise(("", *command))
        if "--output" not in (before, word) and not word.startswith("--output=")
    ]
    return words.command(*elsewhere)
