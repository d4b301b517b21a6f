"""The same questions to every server, and some of them again after more than a second."""

import time
from collections.abc import Mapping, Sequence

from wirelab import words
from wirelab.experiment import Observer
from wirelab.initiate.asking import Asking
from wirelab.initiate.offer import Offer

SETS = 30
"""The maximum number of questions about an operation that several protocols offer."""
REPEATED = 5
"""So many of them are repeated."""
APART_S = 1.1
"""Between both answers: times are often written in seconds."""

Answered = Mapping[str, Sequence[object]]
"""By protocol, the answers to one question: one, or two if the question was repeated."""


def ask_twice(
    asking: Asking,
    offers: Mapping[str, Offer],
    sets: Mapping[str, Sequence[Mapping[str, object]]],
    observer: Observer,
) -> dict[str, list[Answered]]:
    """Ask about operations, by the sets of parameters that are known for them.

    Questions that nobody answers are left out.
    """
    asked = {name: _chosen(asking, name, sets[name]) for name in offers if sets.get(name)}
    if not asked:
        return {}
    observer.phase("Comparing", len(asked) + 1)
    found: dict[str, list[dict[str, list[object]]]] = {}
    for name, questions in asked.items():
        observer.step(f"what {name} answers")
        found[name] = [
            {
                protocol: [answer]
                for protocol, answer in asking.answers_by_protocol(name, each).items()
            }
            for each in questions
        ]
    observer.step(f"what {words.plural(len(asked), 'operation')} answer the second time")
    time.sleep(APART_S)
    for name, questions in asked.items():
        for answers, each in zip(found[name][:REPEATED], questions, strict=False):
            for protocol, again in asking.answers_by_protocol(name, each).items():
                if protocol in answers:
                    answers[protocol].append(again)
    return {name: [each for each in answers if each] for name, answers in found.items()}


def _chosen(
    asking: Asking, name: str, sets: Sequence[Mapping[str, object]]
) -> Sequence[Mapping[str, object]]:
    """Return the questions about an operation; one protocol alone has nothing but its repeats."""
    several = len(asking.domain.operations[name].bindings) > 1
    return sets[: SETS if several else REPEATED]
