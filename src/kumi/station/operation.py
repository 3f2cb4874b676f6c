"""What is an operation of a station? One class says all of it.

A request is declared with `@operation`: the name that the interface knows it by, who may call it, and whether it alters what
the station keeps. Its fields are what is asked, the type in brackets is what is answered, and `carry_out` is how. HTTP and its
description, XML-RPC, the clients, the commands, the page's types, the check of rights and their tests are made from that, so
nothing can be offered that is not declared, and nothing declared goes unchecked.

An operation about a robot, a task, a file, a person or a team belongs to that team. Only its members may call it, with the role
it asks for or a higher one; super-users may call all. That a robot exists everybody may know, but not more; a task, a file or a
person of another team is answered as if there were none.

Here nothing of the store is loaded: programs that only ask, such as robots and commands, declare no tables.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Protocol, TypeVar, get_args

from msgspec import Meta

import kumi.station.store as db
from kumi.station.callers import Caller, CallerKind, Role
from kumi.station.records import Name, Number, Station, StationRecord
from kumi.station.refusals import conflict, forbidden, unknown

if TYPE_CHECKING:
    from kumi.station.floor.keeper import FloorKeeper
    from kumi.station.people.secrets import Attempts
    from kumi.station.positioning.positioning import Positioning
    from kumi.station.service.cache import StationCache
    from kumi.station.service.news import NewsReaders
    from kumi.station.store.store import StationStore
    from kumi.station.store.transaction import Transaction
    from kumi.station.unwritten_stop import StopOrder, UnwrittenStop

INTERFACE = 3
"""The version of the operations; a station serves clients of its own version."""
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes in the largest file that a station takes."""
Limit = Annotated[int, Meta(ge=1, le=1000)]

A_co = TypeVar("A_co", bound=StationRecord, covariant=True)
A = TypeVar("A", bound=StationRecord)
T = TypeVar("T")
R = TypeVar("R", bound="Request[Any]")


class Who(Enum):
    """The callers that an operation is for."""

    ANYONE = auto()
    ROBOT = auto()
    MEMBER = auto()  # a robot or a user
    OBSERVER = auto()  # a user with this role or a higher one
    COMMANDER = auto()
    TEAM_HEAD = auto()
    SUPER_USER = auto()
    POSITIONING = auto()  # a positioning system, or a super-user


class About(Enum):
    """Whose team an operation concerns."""

    NOTHING = auto()
    ITSELF = auto()  # the robot that calls
    ROBOT = auto()
    TASK = auto()
    MEDIUM = auto()
    TEAM = auto()
    PERSON = auto()


class Home(Enum):
    """Which process of a station carries an operation out."""

    ANY = auto()
    MAP = auto()  # the one whose role is the map
    FLOOR = auto()  # the one that keeps the reserved floor
    ROBOT = auto()  # the one that has the robot


ON_A_FULL_DISK = frozenset(("log_in", "log_out", "revoke_tokens", "cancel_task", "stop", "report_stops"))
"""Operations that are carried out where the disk is full, too: they take little room, and people need them then."""

LEAST_ROLE = {
    Who.MEMBER: Role.OBSERVER,
    Who.OBSERVER: Role.OBSERVER,
    Who.COMMANDER: Role.COMMANDER,
    Who.TEAM_HEAD: Role.TEAM_HEAD,
    Who.SUPER_USER: Role.SUPER_USER,
    Who.POSITIONING: Role.SUPER_USER,
}


@dataclass(frozen=True)
class Operation:
    """What is declared of an operation besides its request; of those that are not audited, refusals alone are written down.

    One that is urgent never waits for the store: it goes by what is known in memory.
    """

    name: str
    request: type[Request[Any]]
    who: Who
    changes: bool = False
    is_audited: bool = True
    is_urgent: bool = False
    home: Home = Home.ANY

    @property
    def takes_room(self) -> bool:
        """Whether it is refused where the disk is full."""
        return self.changes and self.name not in ON_A_FULL_DISK

    @property
    def about(self) -> About:
        """Whose team it concerns, which its request tells."""
        if self.request.about is About.NOTHING and self.who is Who.ROBOT:
            return About.ITSELF
        return self.request.about

    @property
    def answer(self) -> type[StationRecord]:
        """The type of what it answers, which its request names."""
        found: type[StationRecord] = get_args(self.request.__orig_bases__[0])[0]  # type: ignore[attr-defined]
        return found

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return (self.request.__doc__ or "").strip().splitlines()[0]

    def why_not(self, caller: Caller) -> str | None:
        """Return why a caller may never call it, whomever it is about; None when the caller may."""
        if self.who is Who.ANYONE or caller.kind is CallerKind.STATION:
            return None
        if caller.kind is CallerKind.NOBODY:
            return "this operation needs a token; log in first"
        if caller.kind is CallerKind.POSITIONING:
            may = self.who is Who.POSITIONING
            return None if may else "a positioning system tells where robots are, no more"
        if caller.kind is CallerKind.ROBOT:
            may = self.who in (Who.ROBOT, Who.MEMBER)
            return None if may else "this operation is for users, not for robots"
        if self.who is Who.ROBOT:
            return "this operation is for robots, not for users"
        least = LEAST_ROLE[self.who]
        if caller.role is None or caller.role < least:
            role = caller.role.title if caller.role is not None else "no role"
            return f"this operation needs the role {least.title}, and {caller.name} is {role}"
        return None


def operation(
    name: str,
    who: Who,
    *,
    changes: bool = False,
    is_audited: bool = True,
    is_urgent: bool = False,
    home: Home = Home.ANY,
) -> Callable[[type[R]], type[R]]:
    """Declare that a request is an operation of the station."""

    def declare(request: type[R]) -> type[R]:
        request.operation = Operation(name, request, who, changes, is_audited, is_urgent, home)
        return request

    return declare


class Means(Protocol):
    """What operations are carried out with, besides a transaction: a station's service."""

    about: Station
    store: StationStore
    known: StationCache
    floor: FloorKeeper
    positioning: Positioning
    attempts: Attempts
    news: NewsReaders

    def stop(self, order: StopOrder, *, is_heard: bool = False) -> UnwrittenStop:
        """Tell a robot to stop, and have that written."""
        ...

    def hashing(self, address: str) -> AbstractAsyncContextManager[None]:
        """Wait for a turn to hash a password; refuse where too many wait, from this address or in all."""
        ...

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Look at what is kept, at one instant."""
        ...

    async def noted(self, request: Request[Any], caller: Caller, answer: A) -> A:
        """Return an answer when it is written down that it was asked for."""
        ...

    async def written(self, request: Request[Any], caller: Caller, work: Callable[[Transaction], A]) -> A:
        """Change what is kept, and write down in the same transaction that it was asked for."""
        ...


class Request(StationRecord, Generic[A_co], frozen=True, kw_only=True):
    """Something to ask of a station, which answers with an `A_co`."""

    operation: ClassVar[Operation]
    about: ClassVar[About] = About.NOTHING

    def carry_out(self, transaction: Transaction, caller: Caller) -> A_co:
        """Do what is asked, within one transaction."""
        raise NotImplementedError

    def check_owner(self, transaction: Transaction, caller: Caller) -> None:
        """Refuse a call about what belongs to another team."""

    async def serve(self, means: Means, caller: Caller) -> A_co:
        """Do what is asked, with what the service holds; the answer comes when it is on disk, with its entry in the audit."""
        if self.operation.changes:
            return await means.written(self, caller, self.checked(caller))
        return await means.noted(self, caller, await means.read(self.checked(caller)))

    def checked(self, caller: Caller) -> Callable[[Transaction], A_co]:
        """Return what carries the request out, unless it is about what belongs to another team."""

        def work(transaction: Transaction) -> A_co:
            self.check_owner(transaction, caller)
            return self.carry_out(transaction, caller)

        return work


class OfRobot(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a robot, which belongs to a team."""

    robot: Name
    about: ClassVar[About] = About.ROBOT

    def check_owner(self, transaction: Transaction, caller: Caller) -> None:
        """Refuse a caller of another team than the robot's."""
        check_team(db.robot_row(transaction, self.robot).team, caller, f"robot '{self.robot}'")


class OfTask(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a task, which belongs to the team of its robot."""

    task: Number
    about: ClassVar[About] = About.TASK

    def check_owner(self, transaction: Transaction, caller: Caller) -> None:
        """Refuse a caller who has no such task."""
        row = db.task_row(transaction, self.task)
        owner = None if row is None else db.robot_row(transaction, row.robot).team
        is_own = row is not None and (caller.kind is not CallerKind.ROBOT or row.robot == caller.name)
        if not is_own or not (caller.is_super_user or owner == caller.team):
            raise unknown(f"there is no task {self.task} of yours")


class OfMedium(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a stored file, which belongs to a team."""

    medium: Number
    about: ClassVar[About] = About.MEDIUM

    def check_owner(self, transaction: Transaction, caller: Caller) -> None:
        """Refuse a caller whose team has no such file."""
        row = db.medium_row(transaction, self.medium)
        if row is None or not (caller.is_super_user or row.team == caller.team):
            raise unknown(f"there is no file {self.medium} of yours")


class OfTeam(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a team."""

    team: Name
    about: ClassVar[About] = About.TEAM

    def check_owner(self, transaction: Transaction, caller: Caller) -> None:
        """Refuse a caller of another team."""
        if not (caller.is_super_user or caller.team == self.team):
            raise forbidden(f"'{self.team}' is not your team; yours is '{caller.team}'")


class OfPerson(Request[A_co], Generic[A_co], frozen=True, kw_only=True):
    """Something about a person, who belongs to a team."""

    name: Name
    about: ClassVar[About] = About.PERSON

    def check_owner(self, transaction: Transaction, caller: Caller) -> None:
        """Refuse a caller who is not set over somebody; whoever is of another team is answered as if there were nobody."""
        if caller.is_super_user:
            return
        row = transaction.one(db.select(db.people).where(db.people.c.name == self.name))
        if row is None or not self.is_own(row, caller):
            raise unknown(f"there is no user '{self.name}' in your team, '{caller.team}'")
        if row.role == "super-user":
            raise forbidden(f"{self.name} is a super-user; no team head is set over them")

    def is_own(self, row: db.Row[Any], caller: Caller) -> bool:
        """Tell whether somebody is of the caller's team."""
        return bool(row.team == caller.team)

    def check_another(self, caller: Caller, what: str) -> None:
        """Refuse what nobody may do to the own account."""
        if caller.name == self.name and caller.kind is CallerKind.USER:
            raise conflict(what)


def check_team(team: str, caller: Caller, what: str) -> None:
    """Refuse a caller who is not of a team."""
    if not (caller.is_super_user or caller.team == team):
        raise forbidden(f"{what} is not of your team, '{caller.team}'")


class Done(StationRecord, frozen=True, kw_only=True):
    """The operation was carried out."""
