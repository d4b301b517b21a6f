"""The kinds of findings of a comparison without a reference; see the module `reasons`."""

from typing import Literal

from wirelab.terminal.words import first_few, listed, percent, plural
from wirelab.verify.findings.finding_reasons import FindingReason


class NoCommonShape(FindingReason):
    """An expression of the domain does not fit an answer; `protocol` is "" in a sequence."""

    detail: str
    protocol: str = ""

    def _words(self) -> str:
        over = f" over {self.protocol}" if self.protocol else ""
        return f"its answer{over} has no common shape: {self.detail}"


class NothingAnswered(FindingReason):
    """No request was answered."""

    requests: int

    def _words(self) -> str:
        return f"none of {plural(self.requests, 'request')} was answered"


class SomeRefused(FindingReason):
    """Some parameter sets are refused."""

    answered: int
    sent: int
    says = "{answered} of {sent} parameter sets are answered, the others refused"


class Varies(FindingReason):
    """A part differs between two answers to the same request."""

    says = "differs between two answers to the same request: not compared"


class OnlyStatusCompared(FindingReason):
    """Nothing of the answers can be compared but their status, and whether they are text."""

    of: Literal["write", "text", "values"]
    """Answers to writes, answers that are texts, or answers with values: an error."""

    def _words(self) -> str:
        because = "all else is ignored or differs between two answers to the same request"
        match self.of:
            case "write":
                return (
                    "only the status of its answers is compared: they are empty, differ each time,"
                    " or come only once"
                )
            case "text":
                return f"only the status is compared, and that the answer is text: {because}"
        return (
            f"nothing of its answers can be compared but the status: {because}; choose what to"
            " compare with `common` (project, ignored, sorted)"
        )


class AllEmpty(FindingReason):
    """All answers are empty."""

    says = "all answers are empty: two empty answers are equal and prove nothing"


class AllAlike(FindingReason):
    """All parameter sets have the same answer."""

    parameter_sets: int
    says = (
        "all {parameter_sets} parameter sets have the same answer, so equality proves nothing:"
        " give values with different answers, or one set only"
    )


class PartlyCompared(FindingReason):
    """Some of the values in the answers are not compared."""

    whose: str
    """The contender."""
    share: float
    """The share of the values that are not compared."""
    only: tuple[str, ...]
    """Parts that no other contender has."""
    shared: tuple[str, ...]
    """Parts that are ignored, vary, or are not projected, although others have them, too."""
    is_error: bool = False

    def _words(self) -> str:
        only = f"{first_few(self.only)}, only {self.whose} has it" if self.only else ""
        if len(self.only) > 1:
            only = only.removesuffix("it") + "them"
        parts = "; ".join(filter(None, (only, first_few(self.shared) if self.shared else "")))
        what = f"not compared: {parts or 'the answer'}: {percent(self.share)} of its values"
        if not self.is_error:
            return what
        return (
            f"{what}, so less than half is compared: choose with `project` what to compare, or"
            " declare what is not with `ignored`"
        )


class OtherHeaders(FindingReason):
    """Headers differ from those of another contender over the same protocol."""

    other: str
    names: tuple[str, ...]

    def _words(self) -> str:
        return f"other headers than from {self.other}: {first_few(self.names)}"


PSEUDO_HEADERS = {":status": "the status", ":events": "the sequence of types and ids of events"}
"""What is compared like a header."""


class HeaderDiffers(FindingReason):
    """A header that belongs to the answer differs from that of another contender."""

    other: str
    name: str
    differing: int
    compared: int
    """Numbers of parameter sets."""

    def _words(self) -> str:
        what = PSEUDO_HEADERS.get(self.name, f"the header {self.name}")
        return f"{what} differs from that of {self.other}, {self.often}"

    @property
    def often(self) -> str:
        """In how many parameter sets, in words."""
        return f"in {self.differing} of {self.compared} parameter sets"


class RefusesAlso(FindingReason):
    """Both refuse the same, for different reasons."""

    refusal: str
    other: str
    other_refusal: str
    times: int

    def _words(self) -> str:
        return (
            f"refuses as {self.refusal} what {self.other} refuses as {self.other_refusal},"
            f" {plural(self.times, 'time')}"
        )


class FewSets(FindingReason):
    """There are fewer parameter sets than usual."""

    parameter_sets: int
    usual: int

    def _words(self) -> str:
        return (
            f"compared with {plural(self.parameter_sets, 'parameter set')} instead of {self.usual}"
        )


class DiffersFromOthers(FindingReason):
    """Answers differ from those of other contenders, which agree with each other."""

    others: tuple[str, ...]
    differing: int
    compared: int
    """Numbers of parameter sets."""

    def _words(self) -> str:
        whose = "answer" if len(self.others) == 1 else "answers"
        return f"differs from the {whose} of {listed(self.others)}, {self.often}"

    @property
    def often(self) -> str:
        """In how many parameter sets, in words."""
        return f"in {self.differing} of {self.compared} parameter sets"


class OneRefuses(FindingReason):
    """One contender refuses what another one answers."""

    refusing: str
    refusal: str
    answering: str
    times: int

    def _words(self) -> str:
        return (
            f"{self.refusing} refuses as {self.refusal} what {self.answering} answers,"
            f" {plural(self.times, 'time')}"
        )


class NotProved(FindingReason):
    """No contender is left to compare with; `refused` are those that were refused afterwards."""

    refused: tuple[str, ...]

    def _words(self) -> str:
        if not self.refused:
            return "not compared: no other accepted contender answers it"
        return f"equality is not proved: {only_with_refused(self.refused)}"


def only_with_refused(names: tuple[str, ...]) -> str:
    """Say that a contender was compared with these only, all of which were refused."""
    which = "which was refused" if len(names) == 1 else "which were refused"
    return f"compared only with {listed(names)}, {which}"


# -- what one contender writes, and all of them read ---------------------------------------------


class NotReadAgain(FindingReason):
    """No sequence reads what an operation writes through several contenders."""

    says = "no sequence reads its writes through several contenders"


class NoValueRead(FindingReason):
    """A sequence read no value that it wrote."""

    sequence: str
    says = "sequence {sequence} proves nothing: no value that it wrote was read"


class ReadAfter(FindingReason):
    """The base of what contradicts a single backend, in some of the reads after a write."""

    other: str
    """The contender whose read is compared."""
    times: int
    reads: int
    write: str
    """The operation that wrote."""
    through: str

    @property
    def often(self) -> str:
        """In how many reads, in words."""
        return f"in {self.times} of {self.reads} reads after {self.write} through {self.through}"


class ReadsOtherwise(ReadAfter):
    """Two contenders read different values after a write."""

    def _words(self) -> str:
        return f"differs from the answer of {self.other}, {self.often}"


class RefusesOtherwise(ReadAfter):
    """One contender refuses to read what another one reads, or refuses for another reason."""

    refusing: str
    refusal: str
    other_refusal: str = ""

    def _words(self) -> str:
        does = f"refuses as {self.other_refusal}" if self.other_refusal else "answers"
        return f"{self.refusing} refuses as {self.refusal} what {self.other} {does}, {self.often}"


class RefusedInSequence(FindingReason):
    """A write of a sequence was refused."""

    sequence: str
    refusal: str
    detail: str
    says = "refused as {refusal} in sequence {sequence}: {detail}"


class NothingToRemember(FindingReason):
    """An answer has no value that a sequence needs."""

    sequence: str
    name: str
    says = "the common shape of its answer has no {name}, which sequence {sequence} needs"
