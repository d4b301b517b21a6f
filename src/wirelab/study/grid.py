"""Grids: contenders that combine two factors, such as a language and a protocol."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import model_validator

from wirelab.study.levels import ContenderName, FileModel, at_least


class Grid(FileModel):
    """Two factors that contenders combine: the report says how much is due to which.

    Each of `rows` is a level of the factor `down`, with a contender for each of the `columns`,
    which are the levels of the factor `across`.
    """

    down: str
    across: str
    columns: Annotated[tuple[str, ...], at_least(2)]
    rows: Annotated[Mapping[str, tuple[ContenderName, ...]], at_least(2)]

    @model_validator(mode="after")
    def _a_contender_in_each_place(self) -> Self:
        for name, contenders in self.rows.items():
            if len(contenders) != len(self.columns):
                raise ValueError(
                    f"{len(self.columns)} contenders in every row, one a column"
                    f" ({name} has {len(contenders)})"
                )
        return self
