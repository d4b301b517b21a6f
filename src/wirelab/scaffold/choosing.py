"""Which operations a new domain has: those that match, are offered in common, and are answered."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from wirelab.inputs.problems import Problem, ProblemsError, add_unknown
from wirelab.scaffold.descriptions.offer import require_valid
from wirelab.scaffold.matching import Match
from wirelab.scaffold.querying.outcomes import Queried

SHOWN = 12
"""Maximum number of operations left out that a message lists."""
Decide = Callable[[str], bool]
"""Asks the user whether a doubtful match is correct."""


def chosen_matches(
    matches: Sequence[Match], only: Collection[str]
) -> tuple[list[Match], list[Match]]:
    """Return the chosen operations, all without a choice, and others that may return their ids.

    Raises `ProblemsError` for unknown names.
    """
    add_unknown("--only", only, [match.name for match in matches])
    chosen = [match for match in matches if not only or match.name in only]
    others = [match for match in matches if match not in chosen]
    return chosen, [match for match in others if match.offers[0].is_source]


def decide_doubts(matches: Sequence[Match], decide: Decide | None) -> list[Match]:
    """Ask about doubtful matches; without questions, keep them with a comment."""
    decided = []
    for match in matches:
        offers = list(match.offers)
        for protocol in match.doubtful:
            doubted = next(each for each in offers if each.protocol == protocol)
            question = (
                f"{match.offers[0].shown} and {doubted.shown}: {match.reasons[protocol]}."
                " Are they the same operation?"
            )
            if decide is not None and not decide(question):
                offers.remove(doubted)
        doubts = match.doubtful if decide is None else ()
        decided.append(replace(match, offers=tuple(offers), doubtful=doubts))
    return decided


def in_common(
    matches: Sequence[Match], sources: Mapping[str, str], left_out: list[str]
) -> list[Match]:
    """Return the matches of several protocols, if there are several; add the others to the list.

    Raises `ProblemsError` if none remains, and for mistakes in what their offers need.
    """
    kept = [match for match in matches if len(match.offers) > 1 or len(sources) == 1]
    require_valid(offer for match in kept for offer in match.offers)
    alone = [match.offers[0] for match in matches if match not in kept]
    left_out += [f"{each.shown}: only {each.protocol} offers it" for each in alone]
    if not kept:
        raise ProblemsError([_nothing_to_write(sources, left_out)])
    return kept


def usable(matches: Sequence[Match], queried: Queried, left_out: list[str]) -> list[Match]:
    """Return the matches that were answered; add the reasons for leaving out others to the list.

    Raises `ProblemsError` if no read was answered.
    """
    lost = [match for match in matches if not queried.is_usable(match.name)]
    left_out += [f"{match.name}: {queried.why(match.name)}" for match in lost]
    reads = [match for match in matches if match.offers[0].effect == "read"]
    if all(match in lost for match in reads or matches):
        what = "\n".join(["no operation was answered", *_first_left_out(left_out)])
        hint = "give values for parameters with --csv; without --address, no server is queried"
        hint = queried.wrong_prefix or hint
        raise ProblemsError([Problem.stated(what, hint)])
    return [match for match in matches if match not in lost]


def _nothing_to_write(sources: Mapping[str, str], left_out: Sequence[str]) -> Problem:
    """Return the problem that no operation remains, with the first of those left out."""
    if len(sources) > 1:
        what = f"{' and '.join(sources)} have no operation in common"
        hint = "give operations that do the same the same name, or write a domain for each protocol"
    else:
        what = f"{''.join(sources.values())} has no operation that wirelab can send"
        hint = "give a description with an operation that can be sent without further information"
    return Problem.stated("\n".join([what, *_first_left_out(left_out)]), hint)


def _first_left_out(left_out: Sequence[str]) -> list[str]:
    """List what is left out in a message, up to a maximum number."""
    lines = [f"left out: {line}" for line in left_out[:SHOWN]]
    more = len(left_out) - SHOWN
    return [*lines, f"left out: {more} more"] if more > 0 else lines
