"""Which designs of a study decide which of its claims, and how long that takes."""

from collections.abc import Collection, Mapping, Sequence

from wirelab.planning.duration import block_seconds
from wirelab.planning.schedule import chosen_levels
from wirelab.study import FACTORS, METRICS, Cell, Design, Factor, Study, group_cells
from wirelab.study.design import VERDICT_BLOCKS
from wirelab.study.elementary import MeasuredTest, NoTest, Test, cells_of, elementary_tests


def deciding_designs(study: Study) -> dict[str, tuple[str, ...] | None]:
    """Return the designs that decide each claim, by its id; None if no measurement can test it.

    A design decides a claim if it measures every cell that the claim compares, in as many blocks as
    a verdict needs, or, for bytes, if it counts them.
    """
    testable: dict[str, tuple[str, ...] | None] = {
        name: None
        if any(each.kind == "qualitative" for each in claim.expect)
        else tuple(
            design
            for design in study.designs
            if decides(study, design, name, _cells(study, design))
        )
        for name, claim in study.claims.claims.items()
    }
    return testable


def first_verdict_seconds(
    study: Study, design: str, claim: str, start_seconds: Mapping[str, float]
) -> float:
    """Estimate how long the blocks take after which a design can first decide a claim.

    0.0 for a claim about bytes alone. `start_seconds` by contender, as far as known.
    """
    plan, cells = study.designs[design], _cells(study, design)
    compared = {
        cell
        for test in _tests(study, claim, cells)
        if not isinstance(test, NoTest) and not METRICS[test.metric].exact
        for cell in cells_of(test)
    }
    return plan.first_blocks * sum(
        block_seconds(study, plan, members, start_seconds)
        for members in group_cells(study, plan, cells).values()
        if compared.intersection(members)
    )


def _cells(study: Study, design: str) -> list[Cell]:
    plan = study.designs[design]
    return plan.cells(chosen_levels(study, plan, ()), study.baseline)


def _tests(study: Study, claim: str, cells: Sequence[Cell]) -> list[Test]:
    levels: Mapping[Factor, tuple[str, ...]] = {
        factor: tuple(dict.fromkeys(cell.level(factor) for cell in cells)) for factor in FACTORS
    }
    expected = study.claims.claims[claim].expect
    return [test for each in expected for test in elementary_tests(each, levels)]


def decides(study: Study, design: str, claim: str, cells: Sequence[Cell]) -> bool:
    """Return whether some cells of a design suffice to decide a claim."""
    cells = [cell for cell in cells if not cell.twin]
    tests, measured = _tests(study, claim, cells), frozenset(cells)
    return bool(tests) and all(
        not isinstance(test, NoTest) and _is_decided(test, study.designs[design], measured)
        for test in tests
    )


def _is_decided(test: MeasuredTest, design: Design, cells: Collection[Cell]) -> bool:
    if METRICS[test.metric].exact:
        counted = {(cell.contender, cell.workload) for cell in cells}
        return design.wire is not None and all(
            (cell.contender, cell.workload) in counted for cell in cells_of(test)
        )
    has_blocks = design.until is not None or (design.blocks or 0) >= VERDICT_BLOCKS
    return has_blocks and all(cell in cells for cell in cells_of(test))
