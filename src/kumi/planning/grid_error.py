"""What is said when a grid, a cell or a file of cells makes no sense?

One sentence: which value, where, and what is allowed. That there is no way is not an error: it is None.
"""

from __future__ import annotations


class GridError(ValueError):
    """A grid, a cell or a file of cells that makes no sense."""
