"""What does a person read when something failed, and what does a script learn?

A person reads one sentence on stderr; what was noted on the error (PEP 678) follows line by line.
An error of kumi's own is a sentence already. Any other is named by its type and followed by the way
to its traceback, since it was not foreseen. A script learns from the exit code.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumi.devs.errors import KumiError
from kumi.devs.interrupts import Terminated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ExitCode(IntEnum):
    """What the exit code of `kumi` means."""

    DONE = 0
    FAILED = 1
    WRONG_USE = 2
    REFUSED = 3
    INTERRUPTED = 130
    TERMINATED = 143


def code_of(ended: BaseException) -> ExitCode:
    """Return the exit code after Ctrl-C, which is KeyboardInterrupt, or a request to terminate."""
    return ExitCode.TERMINATED if isinstance(ended, Terminated) else ExitCode.INTERRUPTED


class BadInput(click.ClickException):
    """What a person gave, in a file or on the command line, makes no sense."""

    exit_code = ExitCode.WRONG_USE


@contextmanager
def refusing() -> Iterator[None]:
    """Let what goes wrong before the work be bad input: a file that is not there, makes no sense, or cannot be written."""
    try:
        yield
    except (KumiError, OSError) as error:
        if click.get_current_context().find_root().params.get("debug"):
            raise
        raise BadInput(explain(error).removeprefix("Error: ")) from error


def text_of(path: Path) -> str:
    """Return the text in a file that a person gave, or say why it is none."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text: byte {error.start} is not UTF-8.") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}.") from error


def explain(error: BaseException) -> str:
    """Return what to show for an error: a sentence, and its notes one a line."""
    failures = single(error)
    if len(failures) == 1:
        failure, notes = failures[0]
        lines = [f"Error: {sentence(failure)}", *(f"  {note}" for note in notes)]
    else:
        lines = [f"Error: {len(failures)} errors came together."]
        for failure, notes in failures:
            lines += [f"  - {sentence(failure)}", *(f"    {note}" for note in notes)]
    if not all(is_foreseen(failure) for failure, _ in failures):
        lines.append("Run it again as `kumi --debug ...` to see where.")
    return "\n".join(lines)


def single(error: BaseException, around: Sequence[str] = ()) -> list[tuple[BaseException, list[str]]]:
    """Return the single errors in a group, or the error itself, each with the lines noted on its way."""
    noted = [line for note in getattr(error, "__notes__", ()) for line in str(note).splitlines()]
    noted += around
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inside in error.exceptions for leaf in single(inside, noted)]
    return [(error, noted)]


def sentence(error: BaseException) -> str:
    """Say an error in one sentence, or one a line where it has several."""
    words = str(error).strip()
    if isinstance(error, OSError) and error.strerror:
        words = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        if (
            isinstance(error, FileNotFoundError)
            and error.filename
            and not Path(error.filename).parent.is_dir()
        ):
            words = f"{error.filename}: there is no folder '{Path(error.filename).parent}'"
    elif not is_foreseen(error):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return "\n".join(line if line.endswith((".", "!", "?")) else f"{line}." for line in words.split("\n"))


def is_foreseen(error: BaseException) -> bool:
    """Tell whether the error was meant for the person who reads it."""
    return isinstance(error, OSError) or type(error).__module__.split(".")[0] == "kumi"
