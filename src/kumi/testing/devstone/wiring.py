"""How many of everything does a DEVStone model have, and what is coupled to what in it?

The innermost level holds one atomic. Every other level holds the next inner one, its child, and atomics
numbered from 0; the wiring of such a level depends on the kind and the width alone. It is written down
without any engine, so that each engine that is compared builds the same model.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class WiringKind(StrEnum):
    """How the atomics of a level are wired."""

    LI = "LI"
    HI = "HI"
    HO = "HO"
    HOMOD = "HOmod"

    @classmethod
    def _missing_(cls, value: object) -> Self:
        for kind in cls:
            if str(value).lower() == kind.lower():
                return kind
        raise ValueError(f"the kind of a DEVStone model is one of {', '.join(cls)}, not {value}")


class CouplingEnd(NamedTuple):
    """One end of a coupling: a port of the level itself, of its child, or of one of its atomics."""

    part: int
    port: str


LEVEL = -1
CHILD = -2


@dataclass(frozen=True)
class Wiring:
    """The ports of a level, how many atomics it holds, and what is coupled to what."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    atomics: int
    couplings: tuple[tuple[CouplingEnd, CouplingEnd], ...]


INPUTS = {
    WiringKind.LI: ("in",),
    WiringKind.HI: ("in",),
    WiringKind.HO: ("in", "in2"),
    WiringKind.HOMOD: ("in", "in2"),
}
OUTPUTS = {
    WiringKind.LI: ("out",),
    WiringKind.HI: ("out",),
    WiringKind.HO: ("out", "out2"),
    WiringKind.HOMOD: ("out",),
}


def innermost(kind: WiringKind) -> Wiring:
    """Describe the level of depth 1: one atomic between `in` and `out`."""
    couplings = (
        (CouplingEnd(LEVEL, "in"), CouplingEnd(0, "in")),
        (CouplingEnd(0, "out"), CouplingEnd(LEVEL, "out")),
    )
    return Wiring(INPUTS[kind], OUTPUTS[kind], 1, couplings)


def wiring(kind: WiringKind, width: int) -> Wiring:
    """Describe every level of a depth greater than 1."""
    couplings = [
        (CouplingEnd(LEVEL, "in"), CouplingEnd(CHILD, "in")),
        (CouplingEnd(CHILD, "out"), CouplingEnd(LEVEL, "out")),
        *COUPLINGS[kind](width),
    ]
    return Wiring(INPUTS[kind], OUTPUTS[kind], atomics_of_a_level(kind, width), tuple(couplings))


def atomics_of_a_level(kind: WiringKind, width: int) -> int:
    """Count the atomics of every level of a depth greater than 1."""
    return width - 1 if kind is not WiringKind.HOMOD else (width - 1) * (width + 2) // 2


def _couplings_li(width: int) -> Iterator[tuple[CouplingEnd, CouplingEnd]]:
    for k in range(width - 1):
        yield CouplingEnd(LEVEL, "in"), CouplingEnd(k, "in")


def _couplings_hi(width: int) -> Iterator[tuple[CouplingEnd, CouplingEnd]]:
    yield from _couplings_li(width)
    yield from _chain(width)


def _couplings_ho(width: int) -> Iterator[tuple[CouplingEnd, CouplingEnd]]:
    yield CouplingEnd(LEVEL, "in"), CouplingEnd(CHILD, "in2")
    for k in range(width - 1):
        yield CouplingEnd(LEVEL, "in2"), CouplingEnd(k, "in")
        yield CouplingEnd(k, "out"), CouplingEnd(LEVEL, "out2")
    yield from _chain(width)


def _couplings_homod(width: int) -> Iterator[tuple[CouplingEnd, CouplingEnd]]:
    rows = _rows_homod(width)
    for atomic in rows[0]:
        yield CouplingEnd(LEVEL, "in2"), CouplingEnd(atomic, "in")
        yield CouplingEnd(atomic, "out"), CouplingEnd(CHILD, "in2")
    for row in rows[1:]:
        yield CouplingEnd(LEVEL, "in2"), CouplingEnd(row[0], "in")
    if width > 1:
        for above in rows[1]:
            for below in rows[0]:
                yield CouplingEnd(above, "out"), CouplingEnd(below, "in")
    for row, next_row in zip(rows[2:], rows[1:], strict=False):
        for j, atomic in enumerate(row):
            yield CouplingEnd(atomic, "out"), CouplingEnd(next_row[j + 1], "in")


def _chain(width: int) -> Iterator[tuple[CouplingEnd, CouplingEnd]]:
    for k in range(width - 2):
        yield CouplingEnd(k, "out"), CouplingEnd(k + 1, "in")


def _rows_homod(width: int) -> list[range]:
    """Number the atomics of a level row by row: two rows of width - 1, then each one shorter."""
    rows = []
    first = 0
    for row in range(width):
        length = width - max(row, 1)
        rows.append(range(first, first + length))
        first += length
    return rows


COUPLINGS: dict[WiringKind, Callable[[int], Iterator[tuple[CouplingEnd, CouplingEnd]]]] = {
    WiringKind.LI: _couplings_li,
    WiringKind.HI: _couplings_hi,
    WiringKind.HO: _couplings_ho,
    WiringKind.HOMOD: _couplings_homod,
}


def check_size(width: int, depth: int, seeds: int = 1) -> None:
    """Refuse sizes for which there is no model."""
    for name, size in (("width", width), ("depth", depth), ("number of seeds", seeds)):
        if size < 1:
            raise ValueError(f"the {name} of a DEVStone model is at least 1, not {size}")


@dataclass(frozen=True, kw_only=True)
class DevstoneCounts:
    """What there is in a model and what happened in a run of it."""

    atomics: int
    external_in: int
    between: int
    external_out: int
    internal: int
    external: int
    confluent: int
    events: int

    @property
    def couplings(self) -> int:
        """All couplings: into levels, between their parts, and out of them."""
        return self.external_in + self.between + self.external_out


def closed_form(kind: WiringKind, width: int, depth: int, seeds: int = 1) -> DevstoneCounts:
    """Tell the counts of a model and of a run set off `seeds` times.

    A confluent transition counts once as internal and once as external.
    """
    check_size(width, depth, seeds)
    levels = depth - 1
    atomics = levels * atomics_of_a_level(kind, width) + 1
    external_in, between, external_out = _couplings_of_a_level(kind, width)
    transitions, events = _transitions_and_events(kind, width, levels)
    return DevstoneCounts(
        atomics=atomics,
        external_in=levels * external_in + 1,
        between=levels * between,
        external_out=levels * external_out + 1,
        internal=seeds * transitions,
        external=seeds * transitions,
        confluent=seeds * (transitions - atomics),
        events=seeds * events,
    )


def _couplings_of_a_level(kind: WiringKind, w: int) -> tuple[int, int, int]:
    """Count the couplings into a level, between its parts, and out of it."""
    chain = max(w - 2, 0)
    match kind:
        case WiringKind.LI:
            return w, 0, 1
        case WiringKind.HI:
            return w, chain, 1
        case WiringKind.HO:
            return w + 1, chain, w
        case WiringKind.HOMOD:
            return 2 * (w - 1) + 1, (w - 1) * (w - 1) + (w - 1) + (w - 1) * (w - 2) // 2, 1


def _transitions_and_events(kind: WiringKind, w: int, levels: int) -> tuple[int, int]:
    """Count internal transitions, which are as many as external ones, and messages, for one seed."""
    pairs = w * (w - 1) // 2
    match kind:
        case WiringKind.LI:
            return levels * (w - 1) + 1, levels * (w - 1) + 1
        case WiringKind.HI | WiringKind.HO:
            return levels * pairs + 1, levels * pairs + 1
        case WiringKind.HOMOD:
            transitions = events = 1
            for level in range(levels):
                bags = 1 + level * (w - 1)
                transitions += bags * pairs + (w - 1) * (bags + w - 1)
                through_in2 = 2 * (w - 1) * (1 if level == 0 else w - 1)
                events += bags * (through_in2 + (w - 1) * (w - 1) + (w - 1) * (w - 2) // 2)
            return transitions, events
