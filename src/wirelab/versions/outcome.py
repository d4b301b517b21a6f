"""What a bisection found: for people, for pull requests as Markdown, for scripts as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.report.markdown import cell_text
from wirelab.statistics import SIGNIFICANCE, Comparison
from wirelab.terminal import words
from wirelab.terminal.exit_codes import ExitCode
from wirelab.versions.lineage import Commit
from wirelab.versions.search import MOST_CHECKS, Bisection, Stretch

MOST_NAMED = 10
"""Maximum number of candidates of a part that are listed."""


@dataclass(frozen=True, slots=True)
class BisectOutcome:
    """A bisection with all that its result names; `operation` is the one that was searched."""

    found: Bisection
    commits: Mapping[str, Commit]
    operation: str
    skipped: Mapping[str, str]
    rounds: int

    def exit_code(self, *, strict: bool) -> ExitCode:
        """Return the exit code; with `strict`, a slower commit is a failure, too."""
        if not strict:
            return ExitCode.OK
        changed = [*self.found.accused, *self.found.unresolved]
        if any(part.step and part.step.comparison.ratio > 1.0 for part in changed):
            return ExitCode.SLOWER
        return ExitCode.OK if changed or self.found.is_same else ExitCode.CANNOT_TELL

    @property
    def headline(self) -> str:
        """The answer in one line."""
        accused = self.found.accused
        if self.found.is_same:
            return f"no change beyond the margin: {_ratio(self.found.whole)}"
        if not accused and self.found.unresolved:
            return "the time changed, but no commit could be shown to have changed it"
        if not accused:
            return "cannot tell whether the time changed"
        found = ", ".join(f"{self._named(part)} {_times(part)}" for part in accused)
        steps = "" if len(accused) == 1 else f"{len(accused)} steps: "
        return f"{steps}{found}"

    def lines(self) -> Iterator[str]:
        """Yield the answer for people, line by line."""
        yield self.headline
        if self.operation:
            yield f"operation: {self.operation}"
        for part in self.found.accused:
            yield from self._accusation(part)
        if self.found.accused:
            yield (
                f"Confidence {words.percent(1 - SIGNIFICANCE)}: a commit that changes nothing is"
                f" accused in at most {words.percent(SIGNIFICANCE, 1)} of bisections."
            )
        for part in self.found.parts:
            if part not in self.found.accused and part.step is not None:
                yield f"{self._range(part)}: {_judgement(part)}"
        for commit, why in self.skipped.items():
            yield f"skipped: {self.commits[commit].title}: {why}"

    def markdown(self) -> str:
        """Render it for a pull request; text from commits cannot become markup."""
        first, *rest = self.lines()
        listed = "".join(f"* {cell_text(line.strip())}\n" for line in rest)
        return f"### wirelab bisect: {cell_text(first)}\n\n{listed}"

    def plain(self) -> dict[str, Any]:
        """Return it for programs."""
        found = self.found
        accused = [self._plain(part) for part in found.accused]
        return {
            "good": found.path[0],
            "bad": found.path[-1],
            "steps": len(found.path) - 1,
            "rounds": self.rounds,
            "operation": self.operation,
            "is_same": found.is_same,
            "bad_against_good": found.whole and _figures(found.whole),
            "changes": accused,
            "confidence": 1 - SIGNIFICANCE if accused else None,
            "unresolved": [self._plain(part) for part in found.unresolved],
            "rest": [
                self._plain(part)
                for part in found.parts
                if part not in found.accused and part not in found.unresolved
            ],
            "skipped": dict(self.skipped),
        }

    def _plain(self, part: Stretch) -> dict[str, Any]:
        step = part.step
        known = {} if step is None else _figures(step.comparison)
        return {
            "older": part.commits[0],
            "candidates": list(part.candidates),
            "titles": [self.commits[each].title for each in part.candidates[:MOST_NAMED]],
            **known,
            "p_value": step and min(1.0, step.p_value * MOST_CHECKS),
            "differs": bool(step and step.differs),
            "is_same": bool(step and step.is_same),
        }

    def _accusation(self, part: Stretch) -> Iterator[str]:
        last = self.commits[part.commits[-1]]
        before = self.commits[part.commits[0]]
        yield f"{last.title}"
        if len(part.candidates) == 1:
            yield f"  by {last.author}, {last.committed[:10]}"
        else:
            others = [self.commits[each].title for each in part.candidates[:-1]]
            yield f"  or, since they could not be measured: {words.first_few(others, MOST_NAMED)}"
        yield f"  {_judgement(part, before.title)}"

    def _named(self, part: Stretch) -> str:
        last = self.commits[part.commits[-1]].short
        many = len(part.candidates)
        return last if many == 1 else f"one of {many} commits up to {last}"

    def _range(self, part: Stretch) -> str:
        first, last = self.commits[part.commits[0]].short, self.commits[part.commits[-1]].short
        return f"{first}..{last} ({words.plural(len(part.candidates), 'commit')})"


def _times(part: Stretch) -> str:
    return words.times(part.step.comparison.ratio) if part.step else ""


def _ratio(comparison: Comparison | None) -> str:
    return "" if comparison is None else words.estimate(comparison.ratio, comparison.interval95)


def _judgement(part: Stretch, before: str = "") -> str:
    """Say how a part's time changes from the commit before: its ratio, and what is shown."""
    step = part.step
    if step is None:
        return "not measured"
    of = f" of {before}" if before else ""
    takes = f"takes {_ratio(step.comparison)} the time{of}"
    if step.differs:
        small = ", less than the margin" if step.is_same else ""
        return f"{takes} ({words.p_value(min(1.0, step.p_value * MOST_CHECKS))}{small})"
    return f"{takes} ({'practically the same' if step.is_same else 'cannot tell'})"


def _figures(comparison: Comparison) -> dict[str, Any]:
    return {
        "ratio": comparison.ratio,
        "interval": comparison.interval95,
        "blocks": comparison.blocks,
    }
