"""Which designs of a study decide which of its claims."""

from collections.abc import Collection, Mapping

from wirelab.planning.schedule import chosen_levels
from wirelab.study import FACTORS, METRICS, Cell, Design, Factor, Study
from wirelab.study.design import VERDICT_BLOCKS
from wirelab.study.elementary import MeasuredTest, NoTest, cells_of, elementary_tests


def deciding_designs(study: Study) -> dict[str, tuple[str, ...] | None]:
    """Return the designs that decide each claim, by its id; None if no measurement can test it.

    A design decides a claim if it measures every cell that the claim compares, in as many blocks as
    a verdict needs, or, for bytes, if it counts them.
    """
    testable: dict[str, tuple[str, ...] | None] = {
        name: None
        if any(each.kind == "qualitative" for each in claim.expect)
        else tuple(design for design in study.designs if _decides(study, design, name))
        for name, claim in study.claims.claims.items()
    }
    return testable


def _decides(study: Study, name: str, claim: str) -> bool:
    design = study.designs[name]
    cells = {
        cell
        for cell in design.cells(chosen_levels(study, design, ()), study.baseline)
        if not cell.twin
    }
    levels: Mapping[Factor, tuple[str, ...]] = {
        factor: tuple(dict.fromkeys(cell.level(factor) for cell in cells)) for factor in FACTORS
    }
    tests = [
        test
        for expectation in study.claims.claims[claim].expect
        for test in elementary_tests(expectation, levels)
    ]
    return bool(tests) and all(
        not isinstance(test, NoTest) and _is_decided(test, design, cells) for test in tests
    )


def _is_decided(test: MeasuredTest, design: Design, cells: Collection[Cell]) -> bool:
    if METRICS[test.metric].exact:
        counted = {(cell.contender, cell.workload) for cell in cells}
        return design.wire is not None and all(
            (cell.contender, cell.workload) in counted for cell in cells_of(test)
        )
    has_blocks = design.until is not None or (design.blocks or 0) >= VERDICT_BLOCKS
    return has_blocks and all(cell in cells for cell in cells_of(test))
