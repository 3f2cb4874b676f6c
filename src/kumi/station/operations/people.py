"""Teams, users and their tokens.

Super-users see to all people and teams, team heads to those of their own team; a team head is never set over a super-user. Somebody
moves to another team by the word of a super-user, or of both teams' heads: the one whose team it is offers, the other accepts.

A password that somebody else chose is a first password: it buys no token until whoever has it chooses another. Passwords are
hashed and checked outside of transactions, since that is slow on purpose.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from msgspec import Meta

import kumi.station.store as db
from kumi.station.callers import CallerKind
from kumi.station.operation import About, Done, Means, OfPerson, OfTeam, Request, Who, operation
from kumi.station.people.names import NamesTaken, check_nobody_else
from kumi.station.people.secrets import (
    CLOCK_ERROR,
    LONGEST_LIFE,
    SHORTEST_LIFE,
    TOKEN_LIFE,
    hashed,
    is_right,
)
from kumi.station.records import Happens, Name, Number, Person, RoleName, Station, StationRecord
from kumi.station.refusals import Reason, Refused, conflict, forbidden, invalid, unknown

if TYPE_CHECKING:
    from kumi.station.callers import Caller
    from kumi.station.people.secrets import Signer
    from kumi.station.store.store import StationStore
    from kumi.station.store.transaction import Transaction

MOST_TOKENS = 1000
"""Tokens that somebody may have."""
NO_TEAM = ""
"""What happens to nobody's team: super-users hear of it."""
Password = Annotated[str, Meta(min_length=1, max_length=1000)]
NewPassword = Annotated[str, Meta(min_length=8, max_length=1000)]
TokenLife = Annotated[float, Meta(ge=SHORTEST_LIFE, le=LONGEST_LIFE)]


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
    """Trade a name and a password for a token, which is good for `life` seconds.

    A first password, which somebody else chose, needs a `new_password` with it; with any other the password is changed, too.
    """

    name: Name
    password: Password
    new_password: NewPassword | None = None
    life: TokenLife = TOKEN_LIFE

    async def serve(self, means: Means, caller: Caller) -> AccessToken:
        """Check the password, which is slow on purpose, and then make a token."""
        _check_differs(self.password, self.new_password)
        async with means.hashing(caller.address):
            means.attempts.begin(self.name, caller.address)
            checked = await asyncio.to_thread(_checked, means.store, self.name, self.password)
            means.attempts.succeed(self.name, caller.address)
            new = None if self.new_password is None else await asyncio.to_thread(hashed, self.new_password)
        made = await means.written(self, caller, lambda it: self.token(it, means.known.signer, checked, new))
        await means.known.calling(made.token)  # so that who has it can stop robots while the store is away
        return made

    def token(
        self, transaction: Transaction, signer: Signer, checked: str, new: str | None = None
    ) -> AccessToken:
        """Make a token for somebody whose password was right, as its hash `checked` tells, and drop their oldest ones."""
        own = transaction.one(db.select(db.people).where(db.people.c.name == self.name))
        if own is None or own.password != checked:  # it was another's a moment ago
            raise _wrong()
        if own.is_locked:
            raise forbidden(f"{self.name} is locked; a team head or a super-user can unlock the account")
        if own.has_first_password and new is None:
            raise Refused(
                Reason.FIRST_PASSWORD,
                "somebody else chose this password; log in with a new one of your own beside it",
            )
        if new is not None:
            _keep_password(transaction, self.name, new, is_first=False)
            tell_rights(transaction, self.name)
        theirs = (
            db.select(db.tokens.c.id).where(db.tokens.c.person == self.name).order_by(db.tokens.c.id.desc())
        )
        row = transaction.one(theirs.offset(MOST_TOKENS - 1).limit(1))
        if row is not None:  # by count, since the clock may be wrong now
            transaction.run(
                db.tokens.delete().where(db.tokens.c.person == self.name, db.tokens.c.id <= row.id)
            )
        number = transaction.insert(db.tokens, person=self.name, made_at=transaction.now, life=self.life)
        return AccessToken(token=signer.token(number))


@operation("log_out", Who.OBSERVER, changes=True)
class LogOut(Request[Done], frozen=True, kw_only=True):
    """Make the token that this call came with worthless."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Drop the token of this call."""
        transaction.run(db.tokens.delete().where(db.tokens.c.id == caller.token))
        tell_rights(transaction, caller.name)
        return Done()


@operation("change_password", Who.OBSERVER, changes=True)
class ChangePassword(Request[Done], frozen=True, kw_only=True):
    """Change one's own password; all other tokens that one has are revoked."""

    password: Password
    new_password: NewPassword

    async def serve(self, means: Means, caller: Caller) -> Done:
        """Check the present password, which is slow on purpose, and then keep the new one."""
        if caller.kind is not CallerKind.USER:
            raise invalid("only a user has a password")
        _check_differs(self.password, self.new_password)
        async with means.hashing(caller.address):
            means.attempts.begin(caller.name, caller.address)
            try:
                checked = await asyncio.to_thread(_checked, means.store, caller.name, self.password)
            except Refused as refused:
                if refused.reason is not Reason.NOT_KNOWN:
                    raise
                raise forbidden("this is not your present password") from None
            means.attempts.succeed(caller.name, caller.address)
            new = await asyncio.to_thread(hashed, self.new_password)
        return await means.written(self, caller, lambda it: self.kept(it, caller, checked, new))

    def kept(self, transaction: Transaction, caller: Caller, checked: str, new: str) -> Done:
        """Keep a new password in place of the one that was checked, and the token of this call alone."""
        if _person(transaction, caller.name).password != checked:  # it was reset a moment ago
            raise forbidden("this is not your present password")
        _keep_password(transaction, caller.name, new, is_first=False, keep=caller.token)
        tell_rights(transaction, caller.name)
        return Done()


@operation("add_team", Who.SUPER_USER, changes=True)
class AddTeam(Request[Done], frozen=True, kw_only=True):
    """Make a team, under a name that no team has or had."""

    team: Name

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Make a team."""
        rows = transaction.all(db.select(db.teams))
        if any(row.name == self.team and row.is_removed for row in rows):
            raise conflict(
                f"there was a team '{self.team}', to which files and entries belong; choose another name"
            )
        NamesTaken("team", (row.name for row in rows)).take(self.team)
        transaction.run(db.teams.insert().values(name=self.team))
        tell_rights(transaction, "")
        return Done()


@operation("remove_team", Who.TEAM_HEAD, changes=True)
class RemoveTeam(OfTeam[Done], frozen=True, kw_only=True):
    """Remove a team that has no robots and nobody in it; a team head who is the last one in it is removed with it."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Remove a team; what is kept of it stays, and its name is not given again."""
        check_is_team(transaction, self.team)
        robots = transaction.all(db.select(db.robots.c.tag).where(db.robots.c.team == self.team).limit(1))
        if robots:
            raise conflict(f"team '{self.team}' has robots, such as '{robots[0].tag}'; remove them first")
        there = transaction.all(db.select(db.people).where(db.people.c.team == self.team))
        others = [row.name for row in there if row.name != caller.name or caller.is_super_user]
        if others:
            raise conflict(f"'{others[0]}' is in team '{self.team}'; move or remove whoever is in it first")
        offered = db.people.update().where(db.people.c.moves_to == self.team)
        transaction.run(offered.values(moves_to=None))
        for row in there:
            transaction.run(db.people.delete().where(db.people.c.name == row.name))
        transaction.run(db.teams.update().where(db.teams.c.name == self.team).values(is_removed=True))
        tell_rights(transaction, *(row.name for row in there))
        return Done()


@operation("add_person", Who.TEAM_HEAD, changes=True)
class AddPerson(Request[Done], frozen=True, kw_only=True):
    """Let somebody use the station, with a first password that has to be changed when they log in."""

    name: Name
    password: NewPassword
    team: Name | None = None
    role: RoleName = "observer"
    about: ClassVar[About] = About.TEAM

    def check_owner(self, transaction: Transaction, caller: Caller) -> None:
        """Refuse a team head who lets somebody into another team than the own one."""
        if not (caller.is_super_user or self.team == caller.team):
            raise forbidden(f"a team head lets people into the own team, and yours is '{caller.team}'")

    async def serve(self, means: Means, caller: Caller) -> Done:
        """Hash the password, which is slow on purpose, and then let somebody in."""
        return await _with_first_password(self, means, caller)

    def kept(self, transaction: Transaction, caller: Caller, password: str) -> Done:
        """Let somebody in, with a password that was hashed before."""
        _check_role(self.role, caller)
        if self.team is None and self.role != "super-user":
            raise invalid(f"{self.name} needs a team; only a super-user can do without")
        if self.team is not None:
            check_is_team(transaction, self.team)
        check_nobody_else(self.name)
        people = transaction.all(db.select(db.people.c.name))
        NamesTaken("user", (row.name for row in people)).take(self.name)
        row = {"name": self.name, "password": password, "team": self.team, "role": self.role}
        transaction.run(db.people.insert().values(**row, has_first_password=True))
        tell_rights(transaction, self.name)
        return Done()


@operation("set_role", Who.TEAM_HEAD, changes=True)
class SetRole(OfPerson[Done], frozen=True, kw_only=True):
    """Give a user another role; tokens stay valid, rights change at once."""

    role: RoleName

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Give a user another role."""
        _check_role(self.role, caller)
        row = _person(transaction, self.name)
        if row.team is None and self.role != "super-user":
            raise conflict(f"{self.name} has no team, and so can only be a super-user")
        if self.role != "super-user":
            _check_not_last(transaction, row)
        _alter(transaction, self.name, role=self.role)
        return Done()


@operation("reset_password", Who.TEAM_HEAD, changes=True)
class ResetPassword(OfPerson[Done], frozen=True, kw_only=True):
    """Give a user who forgot the password a first password, which has to be changed; all tokens of the user are revoked."""

    password: NewPassword

    async def serve(self, means: Means, caller: Caller) -> Done:
        """Hash the password, which is slow on purpose, and then keep it."""
        return await _with_first_password(self, means, caller)

    def kept(self, transaction: Transaction, caller: Caller, password: str) -> Done:
        """Keep a first password that was hashed before."""
        self.check_owner(transaction, caller)
        self.check_another(caller, "change your own password with 'change_password'; that keeps your token")
        _person(transaction, self.name)
        _keep_password(transaction, self.name, password, is_first=True)
        tell_rights(transaction, self.name)
        return Done()


@operation("lock_person", Who.TEAM_HEAD, changes=True)
class LockPerson(OfPerson[Done], frozen=True, kw_only=True):
    """Keep a user out until unlocked; all tokens of the user are revoked."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Lock a user's account."""
        self.check_another(caller, "nobody locks the own account; ask somebody else")
        _check_not_last(transaction, _person(transaction, self.name))
        _drop_tokens(transaction, self.name)
        _alter(transaction, self.name, is_locked=True)
        return Done()


@operation("unlock_person", Who.TEAM_HEAD, changes=True)
class UnlockPerson(OfPerson[Done], frozen=True, kw_only=True):
    """Let a user who was locked log in again."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Unlock a user's account."""
        _person(transaction, self.name)
        _alter(transaction, self.name, is_locked=False)
        return Done()


@operation("remove_person", Who.TEAM_HEAD, changes=True)
class RemovePerson(OfPerson[Done], frozen=True, kw_only=True):
    """Let somebody use the station no more; the tasks that they gave stay."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Forget a user, and all tokens of the user."""
        self.check_another(caller, "nobody removes the own account; ask somebody else")
        _check_not_last(transaction, _person(transaction, self.name))
        _drop_tokens(transaction, self.name)
        transaction.run(db.people.delete().where(db.people.c.name == self.name))
        tell_rights(transaction, self.name)
        return Done()


class PersonMoved(StationRecord, frozen=True, kw_only=True):
    """Whether somebody is in the other team now; else the head of that team was offered the move."""

    is_moved: bool


@operation("move_person", Who.TEAM_HEAD, changes=True)
class MovePerson(OfPerson[PersonMoved], frozen=True, kw_only=True):
    """Move a user to another team: a super-user at once, with the role; team heads by the word of both.

    The head of the user's team offers the move, and the head of the other accepts it by the same call; the user then is an observer.
    """

    team: Name

    def is_own(self, row: db.Row[Any], caller: Caller) -> bool:
        """Tell whether somebody is of the caller's team, or was offered to it."""
        return caller.team is not None and caller.team in (row.team, row.moves_to)

    def carry_out(self, transaction: Transaction, caller: Caller) -> PersonMoved:
        """Move a user, or offer that."""
        row = _person(transaction, self.name)
        check_is_team(transaction, self.team)
        if row.team == self.team and not (row.moves_to and row.team == caller.team):
            raise conflict(f"{self.name} is in team '{self.team}' already")
        if caller.is_super_user:
            _alter(transaction, self.name, team=self.team, moves_to=None)
        elif row.team == caller.team:  # offered; to the own team means no longer
            _alter(transaction, self.name, moves_to=None if row.team == self.team else self.team)
            return PersonMoved(is_moved=False)
        elif self.team != caller.team:
            raise forbidden(f"{self.name} was offered to your team, '{caller.team}', and to no other")
        else:
            _alter(transaction, self.name, team=self.team, role="observer", moves_to=None)
        return PersonMoved(is_moved=True)


@operation("revoke_tokens", Who.TEAM_HEAD, changes=True)
class RevokeTokens(OfPerson[Done], frozen=True, kw_only=True):
    """Revoke all tokens of a user."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> Done:
        """Drop all tokens of a user."""
        _person(transaction, self.name)
        _drop_tokens(transaction, self.name)
        tell_rights(transaction, self.name)
        return Done()


class People(StationRecord, frozen=True, kw_only=True):
    """Users, teams, and the number of valid tokens of each user."""

    people: tuple[Person, ...]
    teams: tuple[Name, ...] = ()
    tokens: Mapping[str, Number] = {}


@operation("list_people", Who.TEAM_HEAD)
class ListPeople(Request[People], frozen=True, kw_only=True):
    """Ask who may use the station: everybody for a super-user, else who is of one's own team or is offered to it."""

    def carry_out(self, transaction: Transaction, caller: Caller) -> People:
        """Tell who may use the station, the teams, and how many tokens each user has that have not expired."""
        wanted = db.select(db.people).order_by(db.people.c.name)
        if not caller.is_super_user:
            own = db.people.c.team == caller.team, db.people.c.moves_to == caller.team
            wanted = wanted.where(db.or_(*own), db.people.c.role != "super-user")
        rows = transaction.all(wanted)
        is_new = db.tokens.c.made_at >= transaction.now - db.tokens.c.life
        valid = db.and_(is_new, db.tokens.c.made_at <= transaction.now + CLOCK_ERROR)
        counted = db.select(db.tokens.c.person, db.func.count().label("valid")).where(valid)
        tokens = {row.person: row.valid for row in transaction.all(counted.group_by(db.tokens.c.person))}
        teams = db.select(db.teams.c.name).where(~db.teams.c.is_removed).order_by(db.teams.c.name)
        return People(
            people=tuple(_of_row(row) for row in rows),
            teams=tuple(row.name for row in transaction.all(teams)),
            tokens={row.name: tokens[row.name] for row in rows if row.name in tokens},
        )


def _of_row(row: db.Row[Any]) -> Person:
    return Person(
        name=row.name,
        team=row.team,
        role=row.role,
        is_locked=row.is_locked,
        has_first_password=row.has_first_password,
        moves_to=row.moves_to,
    )


def _wrong() -> Refused:
    return Refused(Reason.NOT_KNOWN, "the name or the password is wrong")


def _checked(store: StationStore, name: str, password: str) -> str:
    """Return the hash of somebody's password, which is right; refuse a wrong name or password without telling which; slow."""
    with store.reading() as transaction:
        row = transaction.one(db.select(db.people.c.password).where(db.people.c.name == name))
    kept = None if row is None else row.password
    if not is_right(password, kept) or kept is None:
        raise _wrong()
    return str(kept)


async def _with_first_password(asked: AddPerson | ResetPassword, means: Means, caller: Caller) -> Done:
    """Hash a password that somebody else chose, for a caller who may, and have it kept."""
    await means.read(lambda it: asked.check_owner(it, caller))
    async with means.hashing(caller.address):
        password = await asyncio.to_thread(hashed, asked.password)
    return await means.written(asked, caller, lambda it: asked.kept(it, caller, password))


def _check_differs(password: str, new: str | None) -> None:
    if password == new:
        raise invalid("the new password is the present one; choose another")


def _check_role(role: str, caller: Caller) -> None:
    if role == "super-user" and not caller.is_super_user:
        raise forbidden("only a super-user makes super-users")


def _check_not_last(transaction: Transaction, row: db.Row[Any]) -> None:
    """Refuse to go on without anybody who may all."""
    if row.role != "super-user" or row.is_locked:
        return
    free = db.select(db.people.c.name).where(db.people.c.role == "super-user", ~db.people.c.is_locked)
    if len(transaction.all(free)) == 1:
        raise conflict(f"{row.name} is the last super-user; make another first")


def _keep_password(
    transaction: Transaction, name: str, password: str, *, is_first: bool, keep: int | None = None
) -> None:
    """Keep the hash of a password, and no token but one."""
    own = db.people.update().where(db.people.c.name == name)
    transaction.run(own.values(password=password, has_first_password=is_first))
    _drop_tokens(transaction, name, keep=keep)


def _drop_tokens(transaction: Transaction, name: str, *, keep: int | None = None) -> None:
    """Make somebody's tokens worthless, but one."""
    transaction.run(db.tokens.delete().where(db.tokens.c.person == name, db.tokens.c.id != (keep or 0)))


def _alter(transaction: Transaction, name: str, **values: Any) -> None:
    """Keep something else of somebody, and tell of it."""
    transaction.run(db.people.update().where(db.people.c.name == name).values(**values))
    tell_rights(transaction, name)


def _person(transaction: Transaction, name: str) -> db.Row[Any]:
    row = transaction.one(db.select(db.people).where(db.people.c.name == name))
    if row is None:
        raise unknown(f"there is no user '{name}'")
    return row


def check_is_team(transaction: Transaction, name: str) -> None:
    """Refuse a name that no team has."""
    own = db.teams.c.name == name, ~db.teams.c.is_removed
    if transaction.one(db.select(db.teams.c.name).where(*own)) is None:
        raise unknown(f"there is no team '{name}'")


def tell_rights(transaction: Transaction, *names: str) -> None:
    """Tell super-users and all processes that somebody's rights changed: what they knew is worth nothing."""
    for name in names:
        transaction.tell(Happens.RIGHTS_CHANGED, team=NO_TEAM, name=name)
