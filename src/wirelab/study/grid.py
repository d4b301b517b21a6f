"""Grids: contenders that combine two factors, such as a language and a protocol."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import model_validator

from wirelab.inputs.file_model import FileModel
from wirelab.study.levels import ContenderName, at_least


class FactorGrid(FileModel):
    """`[[grid]]`: two factors that the contenders combine, such as language and protocol.

    The report states how much of the differences is due to each factor. It uses the rows whose
    contenders were all measured and needs two of them.
    """

    down: str
    """Name of the factor whose levels are the rows, such as `language`."""
    across: str
    """Name of the factor whose levels are the columns, such as `protocol`."""
    columns: Annotated[tuple[str, ...], at_least(2)]
    """Levels of the factor `across`, at least two."""
    rows: Annotated[Mapping[str, tuple[ContenderName, ...]], at_least(2)]
    """By level of the factor `down`, at least two: one contender for each column, in the order of
    `columns`."""

    @model_validator(mode="after")
    def _a_contender_in_each_cell(self) -> Self:
        for name, contenders in self.rows.items():
            if len(contenders) != len(self.columns):
                raise ValueError(
                    f"{len(self.columns)} contenders in every row, one per column"
                    f" ({name} has {len(contenders)})"
                )
        return self
