"""Who calls?

A caller is a user, a robot, the station itself, or nobody known. The station may do everything: it is how a lost robot is
marked, or the first super-user made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, auto


class Role(IntEnum):
    """What a user may do, in the order of their rights."""

    OBSERVER = 1
    COMMANDER = 2
    TEAM_HEAD = 3
    SUPER_USER = 4

    @classmethod
    def named(cls, name: str) -> Role:
        """Return the role that the interface calls by this name."""
        return cls[name.upper().replace("-", "_")]

    @property
    def title(self) -> str:
        """What the interface calls this role."""
        return self.name.lower().replace("_", "-")


class CallerKind(Enum):
    """What kind of caller."""

    NOBODY = auto()
    ROBOT = auto()
    USER = auto()
    STATION = auto()
    POSITIONING = auto()


@dataclass(frozen=True)
class Caller:
    """A caller; `token` is the number of the token the call came with, `address` where from, if by HTTP."""

    kind: CallerKind
    name: str = ""
    team: str | None = None
    role: Role | None = None
    token: int | None = None
    address: str = ""

    @property
    def is_super_user(self) -> bool:
        """Whether this caller may act on all teams."""
        return self.kind is CallerKind.STATION or self.role is Role.SUPER_USER

    def __str__(self) -> str:
        return {
            CallerKind.NOBODY: f"nobody at {self.address}" if self.address else "nobody",
            CallerKind.ROBOT: f"robot {self.name}",
            CallerKind.USER: self.name,
            CallerKind.STATION: "the station",
            CallerKind.POSITIONING: "the positioning system",
        }[self.kind]


NOBODY = Caller(CallerKind.NOBODY)
STATION = Caller(CallerKind.STATION, "the station", role=Role.SUPER_USER)
