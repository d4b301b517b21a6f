"""Whether another replication comes to the same verdicts: both are shown, claim by claim."""

from collections.abc import Sequence
from dataclasses import dataclass

from wirelab.claims import ClaimVerdict
from wirelab.replication.findings import OPEN, StudyFindings


@dataclass(frozen=True, slots=True)
class ClaimAgreement:
    """One claim's verdicts in this replication and in an earlier one."""

    study: str
    claim: str
    text: str
    now: ClaimVerdict
    earlier: ClaimVerdict

    @property
    def are_decided(self) -> bool:
        """Whether both are decided."""
        return not {self.now, self.earlier} & {*OPEN}

    @property
    def agree(self) -> bool:
        """Whether both are the same."""
        return self.now is self.earlier


@dataclass(frozen=True, slots=True)
class RunAgreement:
    """The claims of studies that two replications have; `name` is the earlier one's folder."""

    name: str
    claims: tuple[ClaimAgreement, ...]

    @property
    def decided(self) -> tuple[ClaimAgreement, ...]:
        """The claims that both have decided."""
        return tuple(claim for claim in self.claims if claim.are_decided)

    @property
    def contradicting(self) -> tuple[ClaimAgreement, ...]:
        """Those of them whose verdicts are not the same."""
        return tuple(claim for claim in self.decided if not claim.agree)

    @property
    def share(self) -> float | None:
        """The share of claims decided twice that have the same verdict; None without any."""
        if not self.decided:
            return None
        return 1 - len(self.contradicting) / len(self.decided)

    def earlier(self, study: str, claim: str) -> ClaimVerdict | None:
        """Return the earlier verdict on a claim; None if it has none."""
        same = (it.earlier for it in self.claims if (it.study, it.claim) == (study, claim))
        return next(same, None)


def agreement_with(
    now: Sequence[StudyFindings], earlier: Sequence[StudyFindings], name: str
) -> RunAgreement:
    """Compare the verdicts of two replications, of the studies that both have."""
    before = {
        (found.study.id, claim.id): claim.verdict for found in earlier for claim in found.claims
    }
    return RunAgreement(
        name,
        tuple(
            ClaimAgreement(found.study.id, claim.id, claim.text, claim.verdict, verdict)
            for found in now
            for claim in found.claims
            if (verdict := before.get((found.study.id, claim.id))) is not None
        ),
    )
