"""Who does a token belong to? A user, by a number that the station signed; a robot or a positioning system, by a key."""

from __future__ import annotations

import sqlalchemy as sql

from kumi.devs.secrets import new_secret
from kumi.station.answers import FeedKey
from kumi.station.callers import Caller, Kind, Role
from kumi.station.people.secrets import CLOCK_ERROR, TOKEN_LIFE, Signer, is_key, key_hash
from kumi.station.refusals import Reason, Refused
from kumi.station.service.people import tell_rights
from kumi.station.store import schema
from kumi.station.store.transaction import Transaction

FEED = "positioning key"
"""The fact that keeps the hash of the positioning system's key."""


def caller_of(transaction: Transaction, signer: Signer, token: str) -> Caller:
    """Return who a token belongs to; refuse one that is worthless."""
    if token.startswith("robot:"):
        return _robot(transaction, token)
    if token.startswith("feed:"):
        return _feed(transaction, token)
    return _user(transaction, signer, token)


def _user(transaction: Transaction, signer: Signer, token: str) -> Caller:
    number = signer.number(token)
    found = sql.select(schema.people, schema.tokens.c.made_at).join(
        schema.tokens, schema.tokens.c.person == schema.people.c.name
    )
    row = None if number is None else transaction.one(found.where(schema.tokens.c.id == number))
    if row is None:
        raise Refused(Reason.NOT_KNOWN, "this token is not valid, or was revoked; log in again")
    if not -CLOCK_ERROR <= transaction.now - row.made_at <= TOKEN_LIFE:
        raise Refused(Reason.NOT_KNOWN, "this token has expired; log in again")
    return Caller(Kind.USER, row.name, row.team, Role.named(row.role), number)


def _robot(transaction: Transaction, token: str) -> Caller:
    _, tag, key = [*token.split(":", 2), "", ""][:3]
    row = transaction.one(
        sql.select(schema.robots.c.team, schema.robots.c.key).where(schema.robots.c.tag == tag)
    )
    if row is None or not is_key(key, row.key):
        raise Refused(Reason.NOT_KNOWN, f"robot '{tag}' is not enrolled here, or its key is wrong")
    return Caller(Kind.ROBOT, tag, row.team)


def _feed(transaction: Transaction, token: str) -> Caller:
    row = transaction.one(sql.select(schema.facts.c.value).where(schema.facts.c.name == FEED))
    if row is None or not is_key(token.removeprefix("feed:"), bytes.fromhex(row.value)):
        raise Refused(Reason.NOT_KNOWN, "this is not the key of the positioning system here")
    return Caller(Kind.POSITIONING, "the positioning system")


def make_feed_key(transaction: Transaction) -> FeedKey:
    """Make the positioning system's key, in place of the one before."""
    key = new_secret()
    transaction.run(schema.facts.delete().where(schema.facts.c.name == FEED))
    transaction.run(schema.facts.insert().values(name=FEED, value=key_hash(key).hex()))
    tell_rights(transaction, "the positioning system")
    return FeedKey(key=key)


def station_secret(transaction: Transaction) -> str:
    """Return the station's secret, which is made once."""
    row = transaction.one(sql.select(schema.facts.c.value).where(schema.facts.c.name == "secret"))
    if row is not None:
        return str(row.value)
    secret = new_secret()
    transaction.run(schema.facts.insert().values(name="secret", value=secret))
    return secret
