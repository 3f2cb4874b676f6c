"""How many of everything does a DEVStone model have, from arithmetic alone?"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.testing.devstone.wiring import Kind, atomics_of_a_level, check_size


@dataclass(frozen=True, kw_only=True)
class Counts:
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


def closed_form(kind: Kind, width: int, depth: int, seeds: int = 1) -> Counts:
    """Tell the counts of a model and of a run set off `seeds` times.

    A confluent transition counts once as internal and once as external.
    """
    check_size(width, depth, seeds)
    levels = depth - 1
    atomics = levels * atomics_of_a_level(kind, width) + 1
    external_in, between, external_out = _couplings_of_a_level(kind, width)
    transitions, events = _transitions_and_events(kind, width, levels)
    return Counts(
        atomics=atomics,
        external_in=levels * external_in + 1,
        between=levels * between,
        external_out=levels * external_out + 1,
        internal=seeds * transitions,
        external=seeds * transitions,
        confluent=seeds * (transitions - atomics),
        events=seeds * events,
    )


def _couplings_of_a_level(kind: Kind, w: int) -> tuple[int, int, int]:
    """Count the couplings into a level, between its parts, and out of it."""
    chain = max(w - 2, 0)
    match kind:
        case Kind.LI:
            return w, 0, 1
        case Kind.HI:
            return w, chain, 1
        case Kind.HO:
            return w + 1, chain, w
        case Kind.HOMOD:
            return 2 * (w - 1) + 1, (w - 1) * (w - 1) + (w - 1) + (w - 1) * (w - 2) // 2, 1


def _transitions_and_events(kind: Kind, w: int, levels: int) -> tuple[int, int]:
    """Count internal transitions, which are as many as external ones, and messages, for one seed."""
    pairs = w * (w - 1) // 2
    match kind:
        case Kind.LI:
            return levels * (w - 1) + 1, levels * (w - 1) + 1
        case Kind.HI | Kind.HO:
            return levels * pairs + 1, levels * pairs + 1
        case Kind.HOMOD:
            transitions = events = 1
            for level in range(levels):
                bags = 1 + level * (w - 1)
                transitions += bags * pairs + (w - 1) * (bags + w - 1)
                through_in2 = 2 * (w - 1) * (1 if level == 0 else w - 1)
                events += bags * (through_in2 + (w - 1) * (w - 1) + (w - 1) * (w - 2) // 2)
            return transitions, events
