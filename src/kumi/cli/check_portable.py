"""`kumi check --portable`: does a program or a scenario come out the same on every machine?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kumi.cli.errors import BadInput, ExitCode, refusing
from kumi.scenario.scenario import load_scenario
from kumi.testing.portability import Target, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kumi.testing.portability import ProcessHashes


AT_HOME = {
    "portable": {"settings", "until"},
    "protocol": {"nodes", "runs", "faults", "mutant", "beyond", "output"},
}
"""Options that only one of the two questions has."""


def refuse_strangers(*, is_portable: bool) -> None:
    """Refuse options of the other question."""
    context = click.get_current_context()
    for option in context.command.params:
        is_given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if is_given and option.name in AT_HOME["protocol" if is_portable else "portable"]:
            said = "has no meaning with --portable" if is_portable else "goes with --portable"
            raise click.UsageError(f"{max(option.opts, key=len)} {said}.")


def changes(options: dict[str, Any]) -> list[str]:
    """Return what options change in a scenario; a seed counts only where it was given."""
    is_seeded = click.get_current_context().get_parameter_source("seed") is ParameterSource.COMMANDLINE
    own = {"until": options["until"], "seed": options["seed"] if is_seeded else None}
    return [*options["settings"], *(f"{name}={text}" for name, text in own.items() if text)]


def check_portable(name: str, changes: Sequence[str], jobs: int, *, as_json: bool) -> int:
    """Run a target in several processes, and tell whether and where they differ."""
    with refusing():
        target = as_target(name, changes)
        compared = compare(target, jobs)
    if as_json:
        click.echo(json.dumps(as_record(name, compared)))
    else:
        tell(name, compared)
    return ExitCode.DONE if all(one.is_same for one in compared) else ExitCode.FAILED


def as_target(name: str, changes: Sequence[str]) -> Target:
    """Return what is meant: a script by its path, or a scenario by its path or name."""
    if name.endswith(".py"):
        if not Path(name).is_file():
            raise BadInput(f"there is no script {name}.")
        if changes:
            raise BadInput("--set, --seed and --until change a scenario; a script says itself what it runs.")
        return Target("script", name)
    settings = load_scenario(name, list(changes)).settings
    if settings.real:
        raise BadInput(f"{name} has real robots and follows the wall clock: no two runs of it are the same.")
    if (kind := settings.network.kind) in {"udp", "tcp"}:
        raise BadInput(f"{name} sends over {kind}: no two runs of it are the same.")
    return Target("scenario", name, tuple(changes))


def differing(compared: Sequence[ProcessHashes]) -> list[ProcessHashes]:
    """Return what differs; what differs without a switch is not blamed on one."""
    others = [one for one in compared if not one.is_same]
    return [one for one in others if not one.switch.environment] or others


def tell(name: str, compared: Sequence[ProcessHashes]) -> None:
    """Print what came out."""
    for one in compared:
        if one.is_idle:
            click.echo(f"'{one.switch.name}' changes nothing on this machine, so it was not tried.")
    others = differing(compared)
    tried = [one for one in compared if not one.is_idle]
    if not others:
        names = ", ".join(one.switch.name for one in tried)
        hashes = ", ".join(compared[0].hashes[:3]) + (", ..." if len(compared[0].hashes) > 3 else "")
        click.echo(f"{name} is the same in {len(tried)} processes: {names}.\nTrace hash {hashes}")
        return
    for one in others:
        click.echo("\n".join(story(name, one)))


def story(name: str, one: ProcessHashes) -> list[str]:
    """Return in lines where a process differs from the plain one, and what the likely cause is."""
    how = f"with '{one.switch.name}'" if one.switch.environment else "when it is run once more"
    lines = [f"{name} differs {how}."]
    if one.failed:
        lines.append(f"  It fails there: {one.failed}")
    if (found := one.difference) is not None:
        who = f", {found.source}" if found.source else ""
        which = f" of run {found.run + 1}" if len(one.hashes) > 1 else ""
        lines += [
            f"  First at t = {found.time!r} s{which}{who}:",
            f"    plain:  {found.plain}",
            f"    there:  {found.other}",
        ]
    return [*lines, f"  Likely cause: {one.switch.cause}."]


def as_record(name: str, compared: Sequence[ProcessHashes]) -> dict[str, Any]:
    """Return what `--json` prints."""
    others = differing(compared)
    return {
        "target": name,
        "is_same": not others,
        "trace_hashes": compared[0].hashes,
        "processes": [
            {
                "switch": one.switch.name,
                "environment": dict(one.switch.environment),
                "has_effect": not one.is_idle,
                "is_same": one.is_same,
                "trace_hashes": one.hashes,
                "failed": one.failed,
                "first_difference": None
                if one.difference is None
                else {
                    "run": one.difference.run,
                    "time": one.difference.time,
                    "source": one.difference.source,
                    "plain": one.difference.plain,
                    "other": one.difference.other,
                },
            }
            for one in compared
        ],
        "likely_causes": [one.switch.cause for one in others],
    }
