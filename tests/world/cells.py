"""Grids for the tests of maps, written as they look."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Cells = NDArray[np.bool_]


def cells(*rows: str) -> Cells:
    """Return the grid of rows as one reads them, the uppermost first; `#` is blocked."""
    return np.array([[sign == "#" for sign in row] for row in rows[::-1]], dtype=np.bool_)


@st.composite
def grids(draw: st.DrawFn, largest: int = 12) -> Cells:
    """Draw a grid, from almost empty to almost full."""
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    fullness = draw(st.integers(1, 9))
    numbers = draw(st.lists(st.integers(0, 9), min_size=rows * columns, max_size=rows * columns))
    return np.array(numbers).reshape(rows, columns) < fullness
