"""A station on a disk that is really full: a small file system in memory, which another program fills."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kumi.station.client import Client
from kumi.station.operation import ON_A_FULL_DISK
from kumi.station.operations import BY_NAME
from kumi.station.operations.finds import StoreFile
from kumi.station.operations.log import Audit
from kumi.station.operations.people import AddTeam, LogIn
from kumi.station.operations.robots import ListRobots
from kumi.station.operations.stops import Stop
from kumi.station.refusals import Reason, Refused
from tests.station.conftest import PASSWORD
from tests.station.fray import TAG, Template, go
from tests.station.processes import Running, running
from tests.waiting import PATIENCE, free_port, wait_for

SIZE = 24


@pytest.fixture
def disk(template: Template, tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own of 24 MiB, with a small station."""
    place = tmp_path / "disk"
    place.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m,mode=700", "none", str(place)]
    if os.geteuid() != 0 or subprocess.run(made, check=False, capture_output=True).returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        (place / "station").mkdir(0o700)
        shutil.copy(template[0], place / "station")
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Write until there is not a byte left, as another program would."""
    path = disk / "others"
    with path.open("ab", buffering=0) as out:
        for size in (1024 * 1024, 4096, 1):
            with suppress(OSError):
                while out.write(b"x" * size) == size:
                    pass
    return path


def check_full(station: Running, template: Template) -> None:
    """Looking, logging in and stopping work; writing is refused in a sentence."""
    with Client(station.url, template[1]["red commander"]) as user:
        for _ in range(20):
            assert TAG in {one.tag for one in user.call(ListRobots()).robots}
        with pytest.raises(Refused, match="the disk of the station is full") as caught:
            user.call(go(1.0))
        assert caught.value.reason is Reason.UNAVAILABLE
        for _ in range(5):
            assert user.call(Stop(robot=TAG)).is_written
    with Client(station.url, None) as nobody:
        tokens = [nobody.call(LogIn(name="chief", password=PASSWORD)).token for _ in range(5)]
    with Client(station.url, tokens[-1]) as chief:
        with pytest.raises(Refused, match="the disk of the station is full"):
            chief.call(AddTeam(team="more"))
        assert chief.call(Audit(limit=1)).entries


@pytest.mark.slow
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL])
def test_on_a_full_disk_a_station_goes_on_and_starts_again(disk: Path, template: Template, way: int) -> None:
    """A restart works, after a clean end and after a kill; where there is room again, all works, and what was missed is told."""
    folder, key = disk / "station", f"robot:{TAG}:{template[2][TAG]}"
    with running(folder, free_port()) as station:
        others = fill(disk)
        with (
            Client(station.url, key) as robot,
            pytest.raises(Refused, match="the disk of the station is full"),
        ):
            robot.call(StoreFile(name="film", content=bytes(1024 * 1024)))
        fill(disk)
        check_full(station, template)
        station.process.send_signal(way)
        station.process.wait(PATIENCE)
    fill(disk)
    with running(folder, free_port()) as station:
        check_full(station, template)
        others.unlink()
        with Client(station.url, template[1]["chief"]) as chief:

            def is_well() -> bool:
                with suppress(Refused):
                    chief.call(AddTeam(team="after"))
                    return True
                return False

            wait_for(is_well)
            chief.call(ListRobots())
            told = chief.call(Audit(newest=True, words="disk full")).entries
            assert any("calls before this are not written down" in one.outcome for one in told)
    with running(folder, free_port()):
        pass


def test_what_is_done_on_a_full_disk_are_operations() -> None:
    assert set(BY_NAME) >= ON_A_FULL_DISK
