"""What a study does not control in servers that it did not start or fill."""

from collections.abc import Iterator, Mapping

from wirelab.analysis.model import Caution
from wirelab.bundle import ContenderRecord
from wirelab.terminal import words

MEANINGS = {
    "fresh_start": "wirelab did not start {}: the intervals do not contain the variation"
    " between two starts of a server",
    "restored_store": "the data of {} were not restored before each block, and may"
    " have changed meanwhile",
    "processes": "the processes of {} are not visible, so their CPU time and memory are"
    " unknown (on the same machine, --pid SIDE=PID names one)",
}


def uncontrolled(
    contenders: Mapping[str, ContenderRecord], labels: Mapping[str, str]
) -> Iterator[Caution]:
    """Report in one caution what is not controlled, and for which contenders."""
    sentences = []
    for kind, meaning in MEANINGS.items():
        names = [labels[name] for name, it in contenders.items() if kind in it.not_controlled]
        if names:
            sentences.append(meaning.format(words.listed(names)))
    if sentences:
        yield Caution("minor", "wirelab did not control everything", "; ".join(sentences))
