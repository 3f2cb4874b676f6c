"""What is asked about those who use a station: who they are, and what they did."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kumi.station.answers import AuditAnswer, Done, People, Station, Token
from kumi.station.records import Name, Number, RoleName
from kumi.station.requests.request import Limit, Request


class Hello(Request[Station], frozen=True, kw_only=True):
    """Ask which station this is."""


class LogIn(Request[Token], frozen=True, kw_only=True):
    """Trade a name and a password for a token."""

    name: Name
    password: Annotated[str, Meta(min_length=1, max_length=1000)]


class LogOut(Request[Done], frozen=True, kw_only=True):
    """Make the token that this call came with worthless."""


class AddTeam(Request[Done], frozen=True, kw_only=True):
    """Make a team."""

    team: Name


class AddPerson(Request[Done], frozen=True, kw_only=True):
    """Let somebody use the station."""

    name: Name
    password: Annotated[str, Meta(min_length=8, max_length=1000)]
    team: Name | None = None
    role: RoleName = "observer"


class SetRole(Request[Done], frozen=True, kw_only=True):
    """Give a user another role; tokens stay valid, rights change at once."""

    name: Name
    role: RoleName


class RevokeTokens(Request[Done], frozen=True, kw_only=True):
    """Revoke all tokens of a user."""

    name: Name


class ListPeople(Request[People], frozen=True, kw_only=True):
    """Ask who may use the station."""


class Audit(Request[AuditAnswer], frozen=True, kw_only=True):
    """Ask which operations were called after entry `after`, or for the newest before entry `before`, latest first.

    With `words`, returns only entries whose caller, operation, subject or result contain every word.
    """

    after: Number = 0
    limit: Limit = 100
    newest: bool = False
    before: Number | None = None
    words: Annotated[str, Meta(max_length=200)] = ""
