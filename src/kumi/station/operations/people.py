"""Teams, users and their tokens.

Passwords are hashed and checked outside of transactions, since that is slow on purpose.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

import kumi.station.store as db
from kumi.station.operation import Done, Means, Request, Who, operation
from kumi.station.people.secrets import CLOCK_ERROR, TOKEN_LIFE, hashed, is_right
from kumi.station.records import Happens, Name, Number, Person, RoleName, Station, StationRecord
from kumi.station.refusals import Reason, Refused, conflict, invalid, unknown

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.people.secrets import Signer
    from kumi.station.store.store import StationStore
    from kumi.station.store.transaction import Transaction

MOST_TOKENS = 1000
"""Tokens that somebody may have."""
NO_TEAM = ""
"""What happens to nobody's team: super-users hear of it."""


@operation("hello", Who.ANYONE, is_audited=False)
class Hello(Request[Station], frozen=True, kw_only=True):
    """Ask which station this is."""

    async def serve(self, means: Means, caller: Caller) -> Station:
        """Tell what never changes."""
        return means.about


class AccessToken(StationRecord, frozen=True, kw_only=True):
    """What proves who calls; keep it secret."""

    token: str


@operation("log_in", Who.ANYONE, changes=True)
class LogIn(Request[AccessToken], frozen=True, kw_only=True):
    """Trade a name and a password for a token."""

    name: Name
    password: Annotated[str, Meta(min_length=1, max_length=1000)]

    async def serve(self, means: Means, caller: Caller) -> AccessToken:
        """Check the password, which is slow on purpose, and then make a token."""
        means.attempts.begin(self.name)
        async with means.hashing():
            await asyncio.to_thread(self.check, means.store)
        means.attempts.succeed(self.name)
        made = await means.written(self, caller, lambda it: self.token(it, means.known.signer))
        await means.known.calling(made.token)  # so that who has it can stop robots while the store is away
        return made

    def check(self, store: StationStore) -> None:
        """Refuse a wrong name or password, without telling which; slow."""
        with store.reading() as transaction:
            row = transaction.one(db.select(db.people.c.password).where(db.people.c.name == self.name))
        if not is_right(self.password, None if row is None else row.password):
            raise Refused(Reason.NOT_KNOWN, "the name or the password is wrong")

    def token(self, transaction: Transaction, signer: Signer) -> AccessToken:
        """Make a token for somebody whose password was right, and drop their oldest ones."""
        if transaction.one(db.select(db.people.c.name).where(db.people.c.name == self.name)) is None:
            raise Refused(Reason.NOT_KNOWN, "the name or the password is wrong")
        theirs = (
            db.select(db.tokens.c.id).where(db.tokens.c.person == self.name).order_by(db.tokens.c.id.desc())
        )
        row = transaction.one(theirs.offset(MOST_TOKENS - 1).limit(1))
        if row is not None:  # by count, since the clock may be wrong now
            transaction.run(
                db.tokens.delete().where(db.tokens.c.person == self.name, db.tokens.c.id <= row.id)
            )
        number = transaction.insert(db.tokens, person=self.name, made_at=transaction.now)
        return AccessToken(token=signer.token(number))


@operation("log_out", Who.OBSERVER, changes=True)
class LogOut(Request[Done], frozen=True, kw_only=True):
    """Make the token that this call came with worthless."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Drop the token of this call."""
        transaction.run(db.tokens.delete().where(db.tokens.c.id == caller.token))
        tell_rights(transaction, caller.name)
        return Done()


@operation("add_team", Who.SUPER_USER, changes=True)
class AddTeam(Request[Done], frozen=True, kw_only=True):
    """Make a team."""

    team: Name

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Make a team."""
        if _is_team(transaction, self.team):
            raise conflict(f"there is a team '{self.team}' already")
        transaction.run(db.teams.insert().values(name=self.team))
        return Done()


@operation("add_person", Who.SUPER_USER, changes=True)
class AddPerson(Request[Done], frozen=True, kw_only=True):
    """Let somebody use the station."""

    name: Name
    password: Annotated[str, Meta(min_length=8, max_length=1000)]
    team: Name | None = None
    role: RoleName = "observer"

    async def serve(self, means: Means, caller: Caller) -> Done:
        """Hash the password, which is slow on purpose, and then let somebody in."""
        async with means.hashing():
            password = await asyncio.to_thread(hashed, self.password)
        return await means.written(self, caller, lambda it: self.kept(it, password))

    def kept(self, transaction: Transaction, password: str) -> Done:
        """Let somebody in, with a password that was hashed before."""
        if self.team is None and self.role != "super-user":
            raise invalid(f"{self.name} needs a team; only a super-user can do without")
        if self.team is not None and not _is_team(transaction, self.team):
            raise unknown(f"there is no team '{self.team}'")
        if transaction.one(db.select(db.people.c.name).where(db.people.c.name == self.name)) is not None:
            raise conflict(f"there is a user '{self.name}' already")
        row = {"name": self.name, "password": password, "team": self.team, "role": self.role}
        transaction.run(db.people.insert().values(**row))
        return Done()


@operation("set_role", Who.SUPER_USER, changes=True)
class SetRole(Request[Done], frozen=True, kw_only=True):
    """Give a user another role; tokens stay valid, rights change at once."""

    name: Name
    role: RoleName

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Give a user another role."""
        row = _person(transaction, self.name)
        if row.team is None and self.role != "super-user":
            raise conflict(f"{self.name} has no team, and so can only be a super-user")
        if row.role == "super-user" and self.role != "super-user":
            others = db.select(db.func.count()).where(db.people.c.role == "super-user")
            if transaction.connection.execute(others).scalar() == 1:
                raise conflict(f"{self.name} is the last super-user; make another first")
        transaction.run(db.people.update().where(db.people.c.name == self.name).values(role=self.role))
        tell_rights(transaction, self.name)
        return Done()


@operation("revoke_tokens", Who.SUPER_USER, changes=True)
class RevokeTokens(Request[Done], frozen=True, kw_only=True):
    """Revoke all tokens of a user."""

    name: Name

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Drop all tokens of a user."""
        _person(transaction, self.name)
        transaction.run(db.tokens.delete().where(db.tokens.c.person == self.name))
        tell_rights(transaction, self.name)
        return Done()


class People(StationRecord, frozen=True, kw_only=True):
    """Who may use the station, which teams there are, and how many tokens of each user are worth something."""

    people: tuple[Person, ...]
    teams: tuple[Name, ...] = ()
    tokens: Mapping[str, Number] = {}


@operation("list_people", Who.SUPER_USER)
class ListPeople(Request[People], frozen=True, kw_only=True):
    """Ask who may use the station."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> People:
        """Tell who may use the station, the teams, and how many tokens each user has that have not expired."""
        rows = transaction.all(db.select(db.people).order_by(db.people.c.name))
        valid = db.tokens.c.made_at.between(transaction.now - TOKEN_LIFE, transaction.now + CLOCK_ERROR)
        counted = db.select(db.tokens.c.person, db.func.count().label("valid")).where(valid)
        return People(
            people=tuple(Person(name=row.name, team=row.team, role=row.role) for row in rows),
            teams=tuple(row.name for row in transaction.all(db.select(db.teams).order_by(db.teams.c.name))),
            tokens={row.person: row.valid for row in transaction.all(counted.group_by(db.tokens.c.person))},
        )


def _person(transaction: Transaction, name: str) -> db.Row[tuple[str, str, str | None, str]]:
    row = transaction.one(db.select(db.people).where(db.people.c.name == name))
    if row is None:
        raise unknown(f"there is no user '{name}'")
    return row


def _is_team(transaction: Transaction, name: str) -> bool:
    return transaction.one(db.select(db.teams).where(db.teams.c.name == name)) is not None


def tell_rights(transaction: Transaction, name: str) -> None:
    """Tell super-users and all processes that somebody's rights changed: what they knew is worth nothing."""
    transaction.tell(Happens.RIGHTS_CHANGED, team=NO_TEAM, name=name)
