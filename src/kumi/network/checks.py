"""Are the numbers that describe a network such as they must be?

Each check returns the number, or says what was given and what the rule is.
"""

from __future__ import annotations

from collections.abc import Iterable

from kumi.contract.messages import Address
from kumi.geometry.points import as_number


def as_duration(value: float, what: str) -> float:
    """Return a time in seconds, which is not negative."""
    seconds = as_number(value, what)
    if seconds < 0.0:
        raise ValueError(f"{what} is a number of seconds from 0 on, not {value!r}")
    return seconds


def as_positive(value: float, what: str) -> float:
    """Return a number above 0."""
    number = as_number(value, what)
    if number <= 0.0:
        raise ValueError(f"{what} is a number > 0, not {value!r}")
    return number


def as_probability(value: float, what: str = "a probability") -> float:
    """Return a number from 0 to 1."""
    share = as_number(value, what)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"{what} is between 0 and 1, not {value!r}")
    return share


def as_whole(value: object, what: str, least: int = 0) -> int:
    """Return a whole number that is not below the least."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} is a whole number, not {value!r}")
    if value < least:
        raise ValueError(f"{what} is a whole number >= {least}, not {value!r}")
    return value


def check_window(start: float, end: float, what: str) -> None:
    """Refuse a time that ends before it begins; its end may be infinite."""
    as_duration(start, f"the start of {what}")
    if not end >= start:
        raise ValueError(f"{what} ends at or after its start at {start!r} s, not at {end!r}")


def as_energy(value: float, what: str) -> float:
    """Return a number of joules, which is not negative."""
    joules = as_number(value, what)
    if joules < 0.0:
        raise ValueError(f"{what} is a number of joules from 0 on, not {value!r}")
    return joules


def as_addresses(value: object, what: str) -> frozenset[Address]:
    """Return the addresses of several nodes."""
    several = tuple(value) if isinstance(value, Iterable) else None
    if several is None or not all(type(address) is int for address in several):
        raise TypeError(f"{what} are several numbers of nodes, such as {{0, 1}}, not {value!r}")
    return frozenset(several)


def as_link(value: object) -> tuple[Address, Address]:
    """Return a link, from one node to another one."""
    link = tuple(value) if isinstance(value, Iterable) else ()
    if len(link) != 2 or not all(type(address) is int for address in link):
        raise TypeError(f"a link is a pair of numbers of nodes, such as (0, 1), not {value!r}")
    if link[0] == link[1]:
        raise ValueError(
            f"a link is from one node to another one, not {value!r}: a node is always with itself"
        )
    return link[0], link[1]
