"""A film has the frames that were asked for, and is there only when it is complete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import av
import pytest
from PIL import Image

from kumi.recording import video
from kumi.recording.chunks import RunFileError
from kumi.recording.meta import RunMeta, RunSummary
from kumi.recording.runfile import RunFile
from kumi.recording.scene import view_of_run
from kumi.recording.video import Film, VideoError, write_video
from kumi.recording.writer import RunWriter
from tests.recording.journals import Journal, line

if TYPE_CHECKING:
    from pathlib import Path

SMALL = (160, 90)


@pytest.fixture
def run(tmp_path: Path) -> RunFile:
    """One robot goes 10 m in 10 s, on a plane of 12 m."""
    path = tmp_path / "run.kumi"
    with RunWriter(path, RunMeta(map={"width": 12.0, "height": 12.0})) as out:
        out.write(Journal().time(0.0).add(1, 1.0, 6.0).move(1, line(1.0, 6.0, 0.0, 10.0, 1.0)).data)
        out.close(RunSummary(end=10.0))
    return RunFile(path)


def frames(path: Path) -> tuple[int, float, tuple[int, int]]:
    """Return how many frames a film has, how many a second, and their size."""
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        pictures = list(file.decode(video=0))
        assert stream.average_rate is not None
        return len(pictures), float(stream.average_rate), (pictures[0].width, pictures[0].height)


def test_a_film_has_a_frame_for_each_instant(run: RunFile, tmp_path: Path) -> None:
    """Ten seconds at ten a second and twice the speed, with the first and the last instant."""
    path = tmp_path / "run.mp4"
    shares = list(write_video(run, path, Film(start=0.0, end=10.0, fps=10.0, speed=2.0, size=SMALL)))

    assert frames(path) == (51, 10.0, SMALL)
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    assert list(tmp_path.glob(".*")) == []


def test_an_odd_size_becomes_even(run: RunFile, tmp_path: Path) -> None:
    path = tmp_path / "RUN.MP4"
    list(write_video(run, path, Film(start=0.0, end=1.0, fps=2.0, size=(161, 91))))

    assert frames(path) == (3, 2.0, (160, 90))


def test_a_gif_shows_each_frame_for_whole_hundredths(run: RunFile, tmp_path: Path) -> None:
    """Thirty a second are not to be had: 3 hundredths each are the nearest, and the speed stays right."""
    path = tmp_path / "run.gif"
    list(write_video(run, path, Film(start=0.0, end=3.0, fps=30.0, size=(161, 91))))

    with Image.open(path) as film:
        assert film.size == (161, 91)
        assert film.n_frames == 101  # type: ignore[attr-defined]
        assert film.info["duration"] == 30
        assert film.info["loop"] == 0


def test_a_part_of_a_run_may_be_one_instant(run: RunFile, tmp_path: Path) -> None:
    path = tmp_path / "run.mp4"
    list(write_video(run, path, Film(start=5.0, end=5.0, size=SMALL)))

    assert frames(path)[0] == 1


def test_the_last_frame_is_not_after_the_end() -> None:
    """A third of a second is no multiple of a tenth; rounding does not lose a frame that falls on the end."""
    film = Film(start=1.0, end=1.0 + 1.0 / 3.0, fps=10.0)
    assert [film.instant(k, 10.0) for k in range(film.count(10.0))] == pytest.approx([1.0, 1.1, 1.2, 1.3])
    whole = Film(start=0.1, end=0.7, fps=10.0)
    assert whole.instant(whole.count(10.0) - 1, 10.0) == 0.7


def test_a_film_that_is_left_unfinished_leaves_nothing(run: RunFile, tmp_path: Path) -> None:
    """And a film that was there before stays."""
    path = tmp_path / "run.mp4"
    path.write_text("before")
    work = write_video(run, path, Film(start=0.0, end=10.0, size=SMALL))
    while not (tmp_path / ".run.mp4.part").exists():
        next(work)
    work.close()

    assert not (tmp_path / ".run.mp4.part").exists()
    assert path.read_text() == "before"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("run.avi", r"the name of a film ends in .mp4 or .gif, unlike '.*run.avi'"),
        ("run", r"ends in .mp4 or .gif, unlike"),
        ("no/run.mp4", r"there is no folder '.*no' for run.mp4"),
    ],
)
def test_a_name_that_will_not_do_is_refused(run: RunFile, tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(VideoError, match=reason):
        list(write_video(run, tmp_path / name, Film(start=0.0, end=1.0)))


def test_times_that_will_not_do_are_refused(run: RunFile, tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="a film goes from an earlier time to a later one, not from 2 to 1"):
        Film(start=2.0, end=1.0)
    with pytest.raises(VideoError, match="speed of a film must be a number above 0, not 0"):
        Film(start=0.0, end=1.0, speed=0.0)
    with pytest.raises(RunFileError, match="time 11 is outside the run"):
        list(write_video(run, tmp_path / "run.mp4", Film(start=0.0, end=11.0)))


def test_without_the_best_encoder_another_one_is_taken(
    run: RunFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(video, "ENCODERS", ("not there", "mpeg4"))
    path = tmp_path / "run.mp4"
    list(write_video(run, path, Film(start=0.0, end=1.0, fps=4.0, size=SMALL)))
    assert frames(path) == (5, 4.0, SMALL)

    monkeypatch.setattr(video, "ENCODERS", ("not there",))
    with pytest.raises(VideoError, match=r"no encoder for .mp4; make a .gif instead"):
        list(write_video(run, path, Film(start=0.0, end=1.0)))


def test_on_an_infinite_plane_the_view_shows_the_whole_way(run: RunFile) -> None:
    """The robot goes from 1 to 11, and is half a metre in radius."""
    run.meta = RunMeta()
    window = view_of_run(run, 0.0, 10.0, SMALL).window

    assert window.left <= 0.5
    assert window.right >= 11.5
