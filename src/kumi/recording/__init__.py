"""A run on disk: run file, text log, pictures, films."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.recording.bodies import Bodies
    from kumi.recording.chunks import RunFileError
    from kumi.recording.journal import JournalReader
    from kumi.recording.latest import BodyState, LostBody
    from kumi.recording.layout import JournalError
    from kumi.recording.meta import RunMeta, RunSummary
    from kumi.recording.player import Player
    from kumi.recording.published import published_record
    from kumi.recording.records import (
        BORDER,
        Added,
        Cleared,
        Commanded,
        CommandKind,
        Dropped,
        Ended,
        Ending,
        Gone,
        Jumped,
        Leaving,
        Moves,
        Note,
        PlannedWay,
        Published,
        Received,
        Record,
        Reserved,
        ReservedZone,
        Resized,
        Sent,
        Stands,
        Touched,
    )
    from kumi.recording.runfile import RunFile
    from kumi.recording.showing import show
    from kumi.recording.textlog import TextLogWriter, write_log
    from kumi.recording.writer import RunWriter
    from kumi.recording.writing import (
        dropped_record,
        note_record,
        received_record,
        reserved_record,
        sent_record,
        way_record,
    )

__all__ = [
    "BORDER",
    "Added",
    "Bodies",
    "BodyState",
    "Cleared",
    "CommandKind",
    "Commanded",
    "Dropped",
    "Ended",
    "Ending",
    "Gone",
    "JournalError",
    "JournalReader",
    "Jumped",
    "Leaving",
    "LostBody",
    "Moves",
    "Note",
    "PlannedWay",
    "Player",
    "Published",
    "Received",
    "Record",
    "Reserved",
    "ReservedZone",
    "Resized",
    "RunFile",
    "RunFileError",
    "RunMeta",
    "RunSummary",
    "RunWriter",
    "Sent",
    "Stands",
    "TextLogWriter",
    "Touched",
    "dropped_record",
    "note_record",
    "published_record",
    "received_record",
    "reserved_record",
    "sent_record",
    "show",
    "way_record",
    "write_log",
]

lazy(__name__)
