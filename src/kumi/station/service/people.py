"""Teams, users and their tokens.

Passwords are hashed and checked outside of transactions, since that is slow on purpose.
"""

from __future__ import annotations

import sqlalchemy as sql

from kumi.station.answers import Done, People, Token
from kumi.station.callers import Caller
from kumi.station.people.secrets import CLOCK_ERROR, TOKEN_LIFE, Signer, hashed, is_right
from kumi.station.records import Person
from kumi.station.refusals import Reason, Refused, conflict, invalid, unknown
from kumi.station.requests import AddPerson, AddTeam, ListPeople, LogIn, LogOut, RevokeTokens, SetRole
from kumi.station.store.schema import people, teams, tokens
from kumi.station.store.store import Store
from kumi.station.store.transaction import Transaction

MOST_TOKENS = 1000
"""Tokens that somebody may have."""
NO_TEAM = ""
"""What happens to nobody's team: super-users hear of it."""


def check_password(store: Store, request: LogIn) -> None:
    """Refuse a wrong name or password, without telling which; slow."""
    with store.reading() as transaction:
        row = transaction.one(sql.select(people.c.password).where(people.c.name == request.name))
    if not is_right(request.password, None if row is None else row.password):
        raise Refused(Reason.NOT_KNOWN, "the name or the password is wrong")


def log_in(transaction: Transaction, signer: Signer, request: LogIn) -> Token:
    """Make a token for somebody whose password was right, and drop their oldest ones."""
    if transaction.one(sql.select(people.c.name).where(people.c.name == request.name)) is None:
        raise Refused(Reason.NOT_KNOWN, "the name or the password is wrong")
    theirs = sql.select(tokens.c.id).where(tokens.c.person == request.name).order_by(tokens.c.id.desc())
    row = transaction.one(theirs.offset(MOST_TOKENS - 1).limit(1))
    if row is not None:  # by count, since the clock may be wrong now
        transaction.run(tokens.delete().where(tokens.c.person == request.name, tokens.c.id <= row.id))
    number = transaction.insert(tokens, person=request.name, made_at=transaction.now)
    return Token(token=signer.token(number))


def tell_rights(transaction: Transaction, name: str) -> None:
    """Tell super-users and all processes that somebody's rights changed: what they knew is worth nothing."""
    transaction.tell("rights_changed", team=NO_TEAM, name=name)


def log_out(transaction: Transaction, caller: Caller, _: LogOut) -> Done:
    """Drop the token of this call."""
    transaction.run(tokens.delete().where(tokens.c.id == caller.token))
    tell_rights(transaction, caller.name)
    return Done()


def add_team(transaction: Transaction, _: Caller, request: AddTeam) -> Done:
    """Make a team."""
    if _is_team(transaction, request.team):
        raise conflict(f"there is a team '{request.team}' already")
    transaction.run(teams.insert().values(name=request.team))
    return Done()


def hash_password(request: AddPerson) -> str:
    """Return the hash to keep; slow."""
    return hashed(request.password)


def add_person(transaction: Transaction, password: str, request: AddPerson) -> Done:
    """Let somebody in, with a password that was hashed before."""
    if request.team is None and request.role != "super-user":
        raise invalid(f"{request.name} needs a team; only a super-user can do without")
    if request.team is not None and not _is_team(transaction, request.team):
        raise unknown(f"there is no team '{request.team}'")
    if transaction.one(sql.select(people.c.name).where(people.c.name == request.name)) is not None:
        raise conflict(f"there is a user '{request.name}' already")
    row = {"name": request.name, "password": password, "team": request.team, "role": request.role}
    transaction.run(people.insert().values(**row))
    return Done()


def set_role(transaction: Transaction, _: Caller, request: SetRole) -> Done:
    """Give a user another role."""
    row = _person(transaction, request.name)
    if row.team is None and request.role != "super-user":
        raise conflict(f"{request.name} has no team, and so can only be a super-user")
    if row.role == "super-user" and request.role != "super-user":
        others = sql.select(sql.func.count()).where(people.c.role == "super-user")
        if transaction.connection.execute(others).scalar() == 1:
            raise conflict(f"{request.name} is the last super-user; make another first")
    transaction.run(people.update().where(people.c.name == request.name).values(role=request.role))
    tell_rights(transaction, request.name)
    return Done()


def revoke_tokens(transaction: Transaction, _: Caller, request: RevokeTokens) -> Done:
    """Drop all tokens of a user."""
    _person(transaction, request.name)
    transaction.run(tokens.delete().where(tokens.c.person == request.name))
    tell_rights(transaction, request.name)
    return Done()


def list_people(transaction: Transaction, _: Caller, __: ListPeople) -> People:
    """Tell who may use the station, the teams, and how many tokens each user has that have not expired."""
    rows = transaction.all(sql.select(people).order_by(people.c.name))
    valid = tokens.c.made_at.between(transaction.now - TOKEN_LIFE, transaction.now + CLOCK_ERROR)
    counted = sql.select(tokens.c.person, sql.func.count().label("valid")).where(valid)
    return People(
        people=tuple(Person(name=row.name, team=row.team, role=row.role) for row in rows),
        teams=tuple(row.name for row in transaction.all(sql.select(teams).order_by(teams.c.name))),
        tokens={row.person: row.valid for row in transaction.all(counted.group_by(tokens.c.person))},
    )


def _person(transaction: Transaction, name: str) -> sql.Row[tuple[str, str, str | None, str]]:
    row = transaction.one(sql.select(people).where(people.c.name == name))
    if row is None:
        raise unknown(f"there is no user '{name}'")
    return row


def _is_team(transaction: Transaction, name: str) -> bool:
    return transaction.one(sql.select(teams).where(teams.c.name == name)) is not None
