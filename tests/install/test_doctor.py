"""`kumi doctor` says of each part whether it is here, what it is for, and how to get it."""

from __future__ import annotations

import grp
import json
import os
import socket
from pathlib import Path

import pytest

from kumi import installation
from kumi.cli import doctor_parts, main
from kumi.cli.doctor_parts import OPTIONAL, InstalledPart, all_parts
from kumi.view.server import ViewError, ViewServer
from tests.commands import kumi
from tests.waiting import free_port

NEEDED = {"core", "packages", "page"}
CHECKED = {"browser", "ports", "processes", "terminals", "serial", "sandbox", "node", "compiler"}


def found() -> dict[str, InstalledPart]:
    """Return every part by its name."""
    return {part.name: part for part in all_parts()}


def test_a_checkout_with_everything_is_well() -> None:
    done = kumi("doctor", "--json")
    told = json.loads(done.stdout)

    assert (done.returncode, done.stderr) == (0, "")
    assert told["is_well"] is True
    assert told["installation"] == {"way": "checkout", "source": str(Path(__file__).parents[2])}
    assert {part["name"] for part in told["parts"]} == NEEDED | CHECKED | OPTIONAL.keys()
    assert {part["name"] for part in told["parts"] if part["is_needed"]} == NEEDED
    assert all(part["is_there"] for part in told["parts"] if part["name"] in NEEDED | OPTIONAL.keys())


def test_a_person_reads_a_line_for_each_part() -> None:
    said = kumi("doctor").stdout

    assert said.startswith("kumi 0.1.0 with Python 3.")
    assert "\nhere     core        counts fast: motion, contacts, the agenda, studied models\n" in said
    assert "All that kumi cannot do without is here; " in said


def test_what_is_missing_has_a_purpose_and_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine with nothing but kumi's own packages."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(doctor_parts, "installed", lambda _package: None)
    monkeypatch.setattr(doctor_parts, "find_library", lambda _name: None)

    missing = [part for part in found().values() if not part.is_there]

    assert {part.name for part in missing} >= {"packages", "browser", "sandbox", "compiler", *OPTIONAL}
    assert all(part.purpose and part.remedy for part in missing)


def test_an_installation_without_its_page_is_not_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The doctor says so, and so does the server of the page, with the same command."""
    monkeypatch.setattr(installation, "PAGE", tmp_path)
    again = installation.installation().again()

    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "\nmissing  page" in said
    assert f"-> {again}\n" in said
    assert said.endswith("\nkumi cannot do without: page.\n")
    with pytest.raises(ViewError) as refused:
        ViewServer(None)  # type: ignore[arg-type]  # it asks for the page first
    assert f"`{again}`" in str(refused.value)
    assert "`kumi doctor`" in str(refused.value)


def test_a_port_of_a_station_that_is_taken_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_parts, "STATION_PORTS", (port := free_port(),))
    with socket.create_server(("127.0.0.1", port)):
        taken = found()["ports"]
    free = found()["ports"]

    assert (taken.is_there, taken.found) == (True, f"{port} of a station is taken")
    assert "--listen" in taken.remedy
    assert (free.found, free.remedy) == ("", "")


def test_an_adapter_that_this_user_may_not_use_names_its_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = tmp_path / "ttyUSB0"
    adapter.touch()
    monkeypatch.setattr(doctor_parts, "DEVICES", tmp_path)
    monkeypatch.setattr("kumi.cli.doctor_parts.os.access", lambda _path, _mode: False)
    group = grp.getgrgid(os.getgid()).gr_name

    refused = doctor_parts.serial()

    assert (refused.is_there, refused.found) == (False, str(adapter))
    assert refused.remedy.startswith(f"sudo usermod -aG {group} ")


def test_bubblewrap_that_may_not_contain_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrap = tmp_path / "bwrap"
    wrap.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    wrap.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(doctor_parts, "find_library", lambda name: name)
    monkeypatch.setattr(doctor_parts, "unprivileged", list)  # it could not enter the folder of this test

    refused = doctor_parts.sandbox()

    assert (refused.is_there, refused.found) == (False, "bwrap: No permissions to create a new namespace")
    assert "namespaces" in refused.remedy or "sysctl" in refused.remedy
