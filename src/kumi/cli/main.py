"""What can a person do with kumi from a shell?

`main` finds the command, runs it, and turns every way it can end into an exit code. Commands raise;
only this module shows errors.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import ExitCode, explain
from kumi.cli.lazy import CommandEntry, LazyGroup
from kumi.devs.interrupts import Terminated, unwound_when_terminated

if TYPE_CHECKING:
    from collections.abc import Sequence

SIMULATE, STUDY, PLAN, LINK, STATION = "Simulate", "Study", "Plan", "Robots on a link", "Station"
INSTALLATION = "Installation"

COMMANDS = {
    "run": CommandEntry("kumi.cli.run:run", "Run a scenario: yours, or one that ships.", SIMULATE),
    "list": CommandEntry(
        "kumi.cli.list:list_", "Show the scenarios, programs, drives and sensors that ship.", SIMULATE
    ),
    "demo": CommandEntry(
        "kumi.cli.demo:demo", "Run the shipped simulations and show what came out.", SIMULATE
    ),
    "view": CommandEntry(
        "kumi.cli.view:view", "Show a run in a browser: a simulation that runs, or a run file.", SIMULATE
    ),
    "show": CommandEntry(
        "kumi.cli.show:show", "Tell what a run file holds, or draw it at an instant.", SIMULATE
    ),
    "video": CommandEntry("kumi.cli.video:video", "Make a film of a run.", SIMULATE),
    "log": CommandEntry("kumi.cli.log:log", "Print what happened in a run, one line an event.", SIMULATE),
    "study": CommandEntry("kumi.cli.study:study", "Run an experiment for many values and seeds.", STUDY),
    "report": CommandEntry(
        "kumi.cli.report_results:report", "Write a report on the results of a study.", STUDY
    ),
    "compare": CommandEntry(
        "kumi.cli.compare:compare", "Compare a model with real robots, and say where it is wrong.", STUDY
    ),
    "check": CommandEntry(
        "kumi.cli.check:check",
        "Find what breaks a protocol, or a run on another machine.",
        STUDY,
    ),
    "distribute": CommandEntry(
        "kumi.cli.distribute:distribute", "Run a model over several processes and machines.", STUDY
    ),
    "part": CommandEntry(
        "kumi.cli.distribute:part", "Be one part of a model that is run over several machines.", STUDY
    ),
    "bench": CommandEntry("kumi.cli.bench:bench", "Measure how fast kumi is on this machine.", STUDY),
    "plan": CommandEntry(
        "kumi.cli.plan:plan", "Find ways on a map: over cells, over a plane, for many robots.", PLAN
    ),
    "link": CommandEntry("kumi.cli.link:link", "Write and read packets of the robots' link.", LINK),
    "control": CommandEntry("kumi.cli.control:control", "Control packet robots by commands in words.", LINK),
    "calibrate": CommandEntry("kumi.cli.calibrate:calibrate", "Measure a packet robot by driving it.", LINK),
    "robot": CommandEntry(
        "kumi.cli.robot:robot", "Run a robot: emulated on a link, or simulated in a station.", LINK
    ),
    "station": CommandEntry(
        "kumi.cli.station:station", "Run an environment for robots, users and teams, and talk to it.", STATION
    ),
    "contest": CommandEntry(
        "kumi.cli.contest:contest", "Hold a competition: teams, rules, matches, a board.", STATION
    ),
    "doctor": CommandEntry(
        "kumi.cli.doctor:doctor", "Check what is installed, and say how to get what is not.", INSTALLATION
    ),
}

TEACHING = """One robot program, from ten thousand simulated robots to the one on the floor.

Exact, repeatable simulations of robots with bodies, sensors, radios and programs; studies of them;
the same programs on real robots behind a link; and a station that robots, users and teams share.

\b
Three things to try first:
  kumi run random-movement   a hundred robots for ten minutes, in a moment
  kumi list                  what else ships
  kumi run --help            every command explains itself
"""

EXIT_CODES = """\b
Exit codes:
  0    the work is done
  1    the work failed, and one sentence on stderr says why
  2    the command was used wrongly, or given what makes no sense
  3    what was measured cannot be judged
  130  Ctrl-C ended it
  143  a request to terminate (SIGTERM) ended it
"""


class CommandGroup(LazyGroup):
    """A group of commands whose errors come out as sentences, or untouched with `--debug`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            raise click.ClickException(explain(error).removeprefix("Error: ")) from error


@click.group(
    cls=CommandGroup,
    entries=COMMANDS,
    help=TEACHING,
    epilog=EXIT_CODES,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="kumi", message="kumi %(version)s")
def kumi(debug: bool) -> None:
    """Leave the work to the commands; `CommandGroup` reads the option."""
    del debug


def with_one_dash(wrong: click.UsageError, arguments: Sequence[str]) -> str:
    """Say what was wrong; of a long option that was written with one dash, name it as a whole."""
    if isinstance(wrong, click.NoSuchOption) and wrong.ctx is not None:
        options = {name for parameter in wrong.ctx.command.params for name in parameter.opts}
        for word in arguments:
            if word.startswith(wrong.option_name) and f"-{word}" in options:
                return f"No such option '{word}'. Did you mean '-{word}'?"
    return wrong.format_message()


def run(program: click.Group, arguments: Sequence[str] | None = None) -> int:
    """Run a command line to its end and return its exit code."""
    try:
        with unwound_when_terminated():
            result = program.main(arguments, prog_name="kumi", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as unsaid:
        click.echo(unsaid.format_message(), err=True)
        return ExitCode.WRONG_USE
    except click.UsageError as wrong:
        where = f" Try '{wrong.ctx.command_path} --help'." if wrong.ctx else ""
        sentence = with_one_dash(wrong, sys.argv[1:] if arguments is None else arguments)
        click.echo(f"Error: {sentence}{'' if sentence.endswith(('.', '?')) else '.'}{where}", err=True)
        return ExitCode.WRONG_USE
    except click.ClickException as failed:
        click.echo(f"Error: {failed.format_message()}", err=True)
        return failed.exit_code
    except click.Abort:
        click.echo("Interrupted.", err=True)
        return ExitCode.INTERRUPTED
    except Terminated:
        click.echo("Terminated.", err=True)
        return ExitCode.TERMINATED
    except BrokenPipeError:
        # The reader of our output has left. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAILED
    return result if isinstance(result, int) else ExitCode.DONE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `kumi` with the given arguments, or those of the process, and return its exit code."""
    return run(kumi, arguments)
