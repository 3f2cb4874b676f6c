"""Which names have been used? Kept in little room where names are numbered.

A name that ends in a number, such as "order 17", is kept as that number under the rest of the name, and
numbers that follow on each other as one span. Other names are kept one by one.
"""

from __future__ import annotations

import re
from bisect import bisect_right

NUMBERED = re.compile(r"(.*?)(0|[1-9][0-9]{0,17})", re.DOTALL)  # so long that nobody counts there


class Names:
    """A set of names that only grows."""

    def __init__(self) -> None:
        self._plain: set[str] = set()
        self._spans: dict[str, list[tuple[int, int]]] = {}

    @property
    def size(self) -> int:
        """How many names and spans of numbers are kept."""
        return len(self._plain) + sum(map(len, self._spans.values()))

    def add(self, name: str) -> None:
        """Keep a name."""
        if name in self:
            return
        numbered = NUMBERED.fullmatch(name)
        if numbered is None:
            self._plain.add(name)
            return
        spans = self._spans.setdefault(numbered[1], [])
        first = last = int(numbered[2])
        place = bisect_right(spans, (first, first))
        if place < len(spans) and spans[place][0] == last + 1:
            last = spans.pop(place)[1]
        if place > 0 and spans[place - 1][1] == first - 1:
            place -= 1
            first = spans.pop(place)[0]
        spans.insert(place, (first, last))

    def __contains__(self, name: str) -> bool:
        """Whether a name was added."""
        numbered = NUMBERED.fullmatch(name)
        if numbered is None:
            return name in self._plain
        spans = self._spans.get(numbered[1])
        if spans is None:
            return False
        number = int(numbered[2])
        place = bisect_right(spans, number, key=lambda span: span[0])
        return place > 0 and spans[place - 1][1] >= number
