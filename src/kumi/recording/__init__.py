"""A run on disk: run file, text log, pictures, films."""

from kumi.recording.bodies import Bodies, BodyState
from kumi.recording.chunks import RunFileError
from kumi.recording.journal import JournalError, JournalReader
from kumi.recording.meta import RunMeta, RunSummary
from kumi.recording.records import (
    BORDER,
    Added,
    Commanded,
    Ended,
    Ending,
    Gone,
    Jumped,
    Leaving,
    Moves,
    Note,
    Order,
    Record,
    Resized,
    Touched,
)
from kumi.recording.runfile import RunFile
from kumi.recording.textlog import TextLogWriter, write_log
from kumi.recording.writer import RunWriter

__all__ = [
    "BORDER",
    "Added",
    "Bodies",
    "BodyState",
    "Commanded",
    "Ended",
    "Ending",
    "Gone",
    "JournalError",
    "JournalReader",
    "Jumped",
    "Leaving",
    "Moves",
    "Note",
    "Order",
    "Record",
    "Resized",
    "RunFile",
    "RunFileError",
    "RunMeta",
    "RunSummary",
    "RunWriter",
    "TextLogWriter",
    "Touched",
    "write_log",
]
