"""What does a station keep, and in which tables?

Times are seconds since 1970. Structured values are JSON text. Numbers of tasks, files, objects and happenings rise and are
never used twice, so they also tell the order.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    text,
)

FORMAT = 2
"""The version of these tables; `kumi.station.store.migration` brings older ones to it."""
COMMITS = "commits"
"""The fact that tells the number of the last commit."""
HAD_PEOPLE = "had people"
"""The fact that tells that there were people: then no first one is made again."""

metadata = MetaData()

_Id = BigInteger().with_variant(Integer, "sqlite")

facts = Table(
    "facts",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
teams = Table(
    "teams",
    metadata,
    Column("name", String(64), primary_key=True),
    Column(
        "is_removed", Boolean, nullable=False, default=False, server_default=false()
    ),  # its name stays taken
)
people = Table(
    "people",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("password", Text, nullable=False),
    Column("team", ForeignKey("teams.name"), nullable=True),
    Column("role", String(16), nullable=False),
    Column("is_locked", Boolean, nullable=False, default=False, server_default=false()),
    Column("has_first_password", Boolean, nullable=False, default=False, server_default=false()),
    Column(
        "moves_to", ForeignKey("teams.name"), nullable=True
    ),  # the team that the head of the own team offered
)
tokens = Table(
    "tokens",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("person", ForeignKey("people.name", ondelete="CASCADE"), nullable=False, index=True),
    Column("made_at", Float, nullable=False),
    Column("life", Float, nullable=False, default=2592000.0, server_default=text("2592000.0")),  # seconds
    sqlite_autoincrement=True,
)
robots = Table(
    "robots",
    metadata,
    Column("tag", String(64), primary_key=True),
    Column("team", ForeignKey("teams.name"), nullable=False),
    Column("key", LargeBinary, nullable=False),
    Column("kind", Text, nullable=False, default=""),
    Column("radius", Float, nullable=False, default=0.15),
    Column("state", String(16), nullable=False, default="away"),
    Column("x", Float),
    Column("y", Float),
    Column("heading", Float),
    Column("seen_at", Float),
    Column("controller", String(32), nullable=False, default=""),  # the process that heard it last
    Column("options", Text, nullable=False, default="[]"),
    Column("facts", Text, nullable=False, default="{}"),
)
tasks = Table(
    "tasks",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("robot", ForeignKey("robots.tag", ondelete="CASCADE"), nullable=False),
    Column("name", String(64), nullable=False),
    Column("arguments", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("place", Float, nullable=False),  # where in the queue: the smallest is next
    Column("outcome", Text, nullable=False, default=""),
    Column("given_by", String(64), nullable=False),
    Column("given_at", Float, nullable=False),
    Column("ended_at", Float),
    Column("ended_in", _Id),  # the happening that told of the end
    Column("request", String(160), unique=True),
    Index("open_tasks", "robot", "state"),
    Index("ended_tasks", "given_by", "ended_in"),
    sqlite_autoincrement=True,
)
stops = Table(
    "stops",
    metadata,
    Column("stop", String(32), primary_key=True),
    Column("robot", ForeignKey("robots.tag", ondelete="CASCADE"), nullable=False, index=True),
    Column("last_task", _Id, nullable=False),  # no task up to this number may be driven any more
    Column("told_in", _Id, nullable=False),  # the happening that told of the stop
    Index("stops_in_order", "told_in"),
)
outputs = Table(
    "outputs",
    metadata,
    Column("task", ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
    Column("text", Text, nullable=False),  # what the code of the task printed
    Column("piece", String(32), nullable=False),  # that was told last
)
media = Table(
    "media",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("robot", String(64), nullable=False),
    Column("team", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("kind", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("stored_at", Float, nullable=False),
    Index("media_of_robot", "robot", "name"),
    sqlite_autoincrement=True,
)
objects = Table(
    "objects",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("x", Float, nullable=False),
    Column("y", Float, nullable=False),
    Column("robot", String(64), nullable=False),
    Column("team", String(64), nullable=False, index=True),
    Column("medium", ForeignKey("media.id")),
    Column("found_at", Float, nullable=False),
    sqlite_autoincrement=True,
)
maps = Table(
    "maps",
    metadata,
    Column("version", _Id, primary_key=True, autoincrement=True),
    Column("map", Text, nullable=False),
    Column("made_at", Float, nullable=False),
    sqlite_autoincrement=True,
)
samples = Table(
    "samples",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("layer", String(64), nullable=False),
    Column("robot", String(64), nullable=False),
    Column("team", String(64), nullable=False),
    Column("x", Float, nullable=False),
    Column("y", Float, nullable=False),
    Column("value", Float, nullable=False),
    Column("measured_at", Float, nullable=False),
    Index("samples_of_layer", "team", "layer", "id"),
    sqlite_autoincrement=True,
)
usage = Table(
    "usage",
    metadata,
    Column("team", String(64), primary_key=True),
    Column("kind", String(16), primary_key=True),  # files, in bytes, or measurements
    Column("amount", BigInteger, nullable=False),
)
happenings = Table(
    "happenings",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("team", String(64)),
    Column("robot", String(64)),
    Column("data", Text, nullable=False),
    Index("happenings_of_team", "team", "id"),
    sqlite_autoincrement=True,
)
processes = Table(
    "processes",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("endpoint", Text, nullable=False),
    Column("load", Integer, nullable=False, default=0),  # robots that are there
    Column("beat", _Id, nullable=False, default=0),  # rises while the process lives
)
audit = Table(
    "audit",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("who", String(80), nullable=False),
    Column("operation", String(64), nullable=False),
    Column("about", String(80), nullable=False),
    Column("outcome", Text, nullable=False),
    sqlite_autoincrement=True,
)

contest_entries = Table(
    "contest_entries",
    metadata,
    Column("contest", String(64), primary_key=True),
    Column("team", ForeignKey("teams.name"), primary_key=True),
    Column("code", LargeBinary, nullable=False),
    Column("given_by", String(64), nullable=False),
    Column("given_at", Float, nullable=False),
)
contest_boards = Table(
    "contest_boards",
    metadata,
    Column("contest", String(64), primary_key=True),
    Column("board", LargeBinary, nullable=False),
    Column("kept_at", Float, nullable=False),
)

WRITER_LOCK = text("SELECT pg_advisory_xact_lock(7523111)")
"""Makes writers on PostgreSQL take turns, as SQLite does by itself."""
