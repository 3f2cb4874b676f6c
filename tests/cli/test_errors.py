"""Whatever fails, a person reads one sentence and a script gets a code that means something."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click
import pytest

from kumi.cli.errors import ExitCode, explain
from kumi.cli.main import CommandGroup, run
from kumi.cli.report import tell_errors
from kumi.stage.outcome import Outcome, ProgramError

if TYPE_CHECKING:
    from collections.abc import Callable


class OwnError(Exception):
    """Stands for an error of kumi's own: those have a sentence for a message."""

    __module__ = "kumi.devs.errors"


def program_that(work: Callable[[], object]) -> CommandGroup:
    """Return a command line with one command, `work`."""
    debug = click.Option(["--debug"], is_flag=True)
    program = CommandGroup("kumi", entries={}, params=[debug], callback=lambda **_: None)
    program.add_command(click.Command("work", callback=work))
    return program


def program_that_raises(error: BaseException) -> CommandGroup:
    """Return a command line whose command `work` fails."""

    def work() -> NoReturn:
        raise error

    return program_that(work)


def test_the_exit_codes_are_those_of_the_help() -> None:
    assert [code.value for code in ExitCode] == [0, 1, 2, 3, 130, 143]


def test_an_error_of_our_own_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but the sentence is shown, on stderr, and the exit code says that the work failed."""
    code = run(program_that_raises(OwnError("A hold of -1.0 s is negative")), ["work"])

    assert code == ExitCode.FAILED
    assert capsys.readouterr() == ("", "Error: A hold of -1.0 s is negative.\n")


def test_notes_follow_the_sentence() -> None:
    """What was noted on the way out (PEP 678) is shown, one line each."""
    error = OwnError("The port is full.")
    error.add_note("in plant.a\nat 3.0 s")

    assert explain(error) == "Error: The port is full.\n  in plant.a\n  at 3.0 s"


def test_an_unforeseen_error_tells_its_type_and_the_way_to_its_traceback() -> None:
    """A bug is not dressed up as a sentence of ours."""
    assert explain(ZeroDivisionError("division by zero")) == (
        "Error: ZeroDivisionError: division by zero.\nRun it again as `kumi --debug ...` to see where."
    )


def test_an_error_without_words_is_named_by_its_type() -> None:
    assert explain(ValueError()).startswith("Error: ValueError.\n")


def test_a_file_error_names_the_file() -> None:
    """The number of the error means nothing to a person."""
    error = FileNotFoundError(2, "No such file or directory", "hall.toml")

    assert explain(error) == "Error: hall.toml: No such file or directory."


def test_a_group_of_one_reads_as_the_one() -> None:
    group = ExceptionGroup("tasks", [ExceptionGroup("inner", [OwnError("The radio is off.")])])

    assert explain(group) == "Error: The radio is off."


def test_a_group_of_one_keeps_the_notes_of_all_levels() -> None:
    """What is known about an error is not lost because it travelled in a group."""
    error = OwnError("The radio is off.")
    error.add_note("in robot 3")
    group = ExceptionGroup("tasks", [error])
    group.add_note("at 2.0 s")

    assert explain(group) == "Error: The radio is off.\n  in robot 3\n  at 2.0 s"


def test_a_group_lists_each_of_its_errors_with_its_notes() -> None:
    """Nested groups are read in order; none of the errors is left out."""
    first = OwnError("The radio is off.")
    first.add_note("in robot 1")
    group = ExceptionGroup("tasks", [first, ExceptionGroup("inner", [OwnError("The hall is full.")])])

    assert explain(group).splitlines() == [
        "Error: 2 errors came together.",
        "  - The radio is off.",
        "    in robot 1",
        "  - The hall is full.",
    ]


def test_debug_lets_the_error_through() -> None:
    """With `--debug` the interpreter shows the traceback itself."""
    with pytest.raises(ZeroDivisionError):
        run(program_that_raises(ZeroDivisionError()), ["--debug", "work"])


def test_an_interruption_has_its_own_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(program_that_raises(KeyboardInterrupt()), ["work"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err.strip() == "Interrupted."


def test_wrong_use_is_one_sentence_that_names_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(program_that(lambda: None), ["work", "--fast"]) == ExitCode.WRONG_USE

    out, err = capsys.readouterr()
    assert out == ""
    assert "--fast" in err
    assert err.endswith("Try 'kumi work --help'.\n")
    assert len(err.splitlines()) == 1


def test_a_refusal_by_a_command_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """A command may raise click's own exception to refuse."""
    assert run(program_that_raises(click.ClickException("No port is free.")), ["work"]) == 1
    assert capsys.readouterr().err == "Error: No port is free.\n"


def test_a_command_that_ends_well_gives_zero() -> None:
    assert run(program_that(lambda: None), ["work"]) == ExitCode.DONE


def test_a_command_may_choose_its_exit_code() -> None:
    assert run(program_that(lambda: click.get_current_context().exit(1)), ["work"]) == 1


@pytest.mark.parametrize(("count", "rest"), [(10, ""), (12, "So did 2 more; a log has them all.\n")])
def test_ten_programs_that_failed_are_told_and_the_others_counted(
    count: int, rest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = tuple(ProgramError(f"robot {number}", 1.5, OwnError("It is lost.")) for number in range(count))
    tell_errors(Outcome(2.0, 0.1, 10, 0, count, "", errors, (), False))

    told = [f"The program of robot {number} failed at t = 1.5 s: It is lost.\n" for number in range(10)]
    assert capsys.readouterr().err == "".join(told) + rest
