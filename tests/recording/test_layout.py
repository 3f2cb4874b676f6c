"""In a picture no text lies over another, robots have trails, and layers come and go."""

from __future__ import annotations

from math import pi
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from kumi import sleep
from kumi.contract.published import ShownMap
from kumi.geometry import Bounds, Disc, Point, Pose
from kumi.recording import RunFile
from kumi.recording.latest import BodyState
from kumi.recording.looping import telling_instant
from kumi.recording.meta import SensorField
from kumi.recording.painted_bodies import FIELD, MOVING, RESTING
from kumi.recording.palette import LIGHT, TypeColours, rgb
from kumi.recording.picture import LAYERS, Moment, PictureError, paint, write_picture
from kumi.recording.records import Published, Reserved, ReservedZone, Sent
from kumi.recording.scene import Scene, view_of_run
from kumi.recording.scenery import Ridge, Scenery, Stuff
from kumi.recording.trails import TRAIL, Trails
from kumi.recording.view import unit_of
from kumi.robot import Robot
from kumi.sensing import Lidar
from kumi.stage import Stage
from kumi.world import Map, Pillar, World
from tests.recording.strokes import Strokes

ROOM = Bounds(0.0, 0.0, 40.0, 30.0)
SIZES = [(400, 300), (800, 800), (1280, 720), (400, 1000)]


def crowd(places: list[tuple[float, float]], radius: float) -> list[BodyState]:
    """Return robots at places, every second of which moves."""
    return [
        BodyState(number, Pose(Point(x, y), number), Disc(radius), number % 2 == 0)
        for number, (x, y) in enumerate(places)
    ]


def sent(kind: str, sender: int, receiver: int) -> Sent:
    """Return a message of a type."""
    return Sent(1.0, 0, sender, (receiver,), kind, "")


places = st.lists(st.tuples(st.floats(0.0, 40.0), st.floats(0.0, 30.0)), min_size=1, max_size=60)


@given(
    places,
    st.sampled_from([0.05, 0.5, 3.0]),
    st.lists(st.sampled_from(["Question", "Answer", "ARatherLongNameOfAType", "Go", "Seen", "Here"])),
    st.text("abcdefghij -", max_size=80),
    st.sampled_from([(400, 300), (800, 800), (1280, 720), (401, 3000), (3000, 400)]),
    st.floats(0.0, 1e9),
)
def test_no_text_lies_over_another_at_any_size(
    at: list[tuple[float, float]],
    radius: float,
    kinds: list[str],
    title: str,
    size: tuple[int, int],
    time: float,
) -> None:
    """Robots that overlap, messages of many types, reserved floor, materials and a long title."""
    states = crowd(at, radius)
    zone = ReservedZone(path=(Point(1.0, 1.0), Point(2.0, 2.0)), radius=0.5, is_granted=False)
    scenery = Scenery(
        ROOM, tuple(Ridge("wall", (1, 1), (2, 1), 0.2, Stuff(name)) for name in ("glass", "mesh"))
    )
    moment = Moment(states, time, [sent(kind, 0, len(at) - 1) for kind in kinds], [Reserved(0.0, 0, (zone,))])
    strokes = Strokes()
    paint(strokes, moment, scenery, size, title)

    assert strokes.overlaps() == []
    assert strokes.outside(size) == []


@pytest.mark.parametrize("size", SIZES)
def test_time_scale_robots_and_messages_are_named_at_every_size(size: tuple[int, int]) -> None:
    moment = Moment(crowd([(1, 1), (2, 20), (30, 5)], 0.5), 12.0, [sent("News", 0, 1), sent("Go", 1, 2)])
    strokes = Strokes()
    paint(strokes, moment, Scenery(ROOM), size, "a title")

    assert {"t = 12.000 s", "a title", "2 moving", "1 resting", "2 messages", "0", "1", "2"} <= set(
        strokes.said()
    )


def test_types_of_messages_have_a_legend_where_there_is_room() -> None:
    """Each name follows a line in the colour of the type; in a small picture there are the colours below, and the names above."""
    kinds = ["News", "Go", "Question"]
    moment = Moment(crowd([(1, 1), (2, 20)], 0.5), 0.0, [sent(kind, 0, 1) for kind in kinds])
    wide, small = Strokes(), Strokes()
    paint(wide, moment, Scenery(ROOM), (1280, 720), "")
    paint(small, moment, Scenery(ROOM), (400, 300), "")

    colours = TypeColours()
    ours = [colours.of(kind) for kind in kinds]
    assert [text for text in wide.said() if text in kinds] == kinds
    for strokes, middle in ((wide, 360.0), (small, 150.0)):
        samples = [
            (colour, dots[0][1])
            for colour, dots in strokes.lines
            if dots[0][1] == dots[1][1] and colour in ours
        ]
        assert [colour for colour, height in samples if height > middle] == ours
        assert "3 messages" in strokes.said()
    assert {"News", "Go", "Question"} <= set(small.said())


def test_what_finds_no_room_below_is_explained_above_before_the_title() -> None:
    """Of floor that is reserved and four types of messages, two of which cover the lines of the others."""
    floor = ["reserved", "waited for"]
    kinds = ["AnAcknowledgement", "ARequestForAZone", "Passed", "Zone"]
    talk = [sent(kind, 0, 1) for kind in kinds] + [sent("Passed", 1, 2)]
    way = (Point(1.0, 1.0), Point(2.0, 2.0))
    zones = tuple(ReservedZone(path=way, radius=0.5, is_granted=is_granted) for is_granted in (True, False))
    moment = Moment(crowd([(1, 1), (2, 20), (9, 9)], 0.5), 0.0, talk, [Reserved(0.0, 0, zones)])
    wide, small = Strokes(), Strokes()
    paint(wide, moment, Scenery(ROOM), (1600, 720), "a title")
    paint(small, moment, Scenery(ROOM), (400, 300), "a title")

    said = [text for text in small.said() if text in {*floor, "a title", *kinds}]
    assert said == [*floor, "Passed", "Zone"]
    assert all(box[3] < 26.4 for text, box in small.texts if text in said)
    assert {*floor, "a title", *kinds} <= set(wide.said())
    assert all(box[1] > 676.0 for text, box in wide.texts if text in {*floor, *kinds})
    assert (small.overlaps(), small.outside((400, 300))) == ([], [])


def test_a_believed_map_is_explained_beside_messages_in_a_small_picture() -> None:
    """What robots believe has two colours of its own, which no small picture leaves unexplained."""
    believed = Published(0.0, 0, "map", ShownMap(Point(1.0, 1.0), 1.0, 2, 2, bytes([1, 2, 1, 2])))
    talk = [sent("ScanReport", 0, 1), sent("DriveAt", 1, 0)]
    moment = Moment(crowd([(1, 1), (2, 20)], 0.5), 0.0, talk, published=[believed])
    strokes = Strokes()
    paint(strokes, moment, Scenery(ROOM), (400, 300), "mapping, seed 0")

    assert {"believed free", "believed taken", "ScanReport", "DriveAt"} <= set(strokes.said())


def test_robots_are_seen_in_a_large_world_with_the_way_they_look() -> None:
    """In 400 x 300 pixels a robot of 1 cm in 800 m is drawn with a radius of 4 pixels, and its mark is white."""
    huge = Scenery(Bounds(0.0, 0.0, 800.0, 800.0))
    strokes = Strokes()
    paint(strokes, Moment(crowd([(400, 400)], 0.01), 0.0), huge, (400, 300), "")

    assert (MOVING, 4.0) in strokes.discs
    assert "#ffffff" in [colour for colour, _ in strokes.lines]


def test_a_trail_is_cut_to_its_length_and_goes_with_its_robot() -> None:
    """One metre a step, five metres long: six places; of a robot that rests, or is gone, there is none."""
    trails = Trails(5.0)
    for step in range(20):
        trails.add(crowd([(float(step), 0.0), (3.0, 3.0)], 0.1))
    [line] = trails.lines()
    assert (line[0], line[-1], trails.longest) == (Point(14.0, 0.0), Point(19.0, 0.0), 5.0)
    trails.add([])
    assert trails.lines() == []


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFile:
    """A robot goes 8 m along x in 8 s, then rests for 92 s."""
    path = tmp_path_factory.mktemp("layout") / "run.kumi"

    async def go(robot: Robot) -> None:
        await robot.forward(8.0)
        await sleep(92.0)

    stage = Stage(World(Map(10, 10, obstacles=[Pillar((5, 8), 1.0)])), record=path)
    stage.add(go, at=(1, 5), shape=Disc(0.4), sensors={"lidar": Lidar(rays=3, view=pi, reach=2.0)})
    stage.run(100.0)
    stage.close()
    return RunFile(path)


def pixel(file: Path, x: float, y: float, side: int = 400) -> tuple[int, ...]:
    """Return the colour at a place of the plane of 10 by 10 m, in a square picture."""
    edge = 44 * unit_of((side, side))
    scale = (side - 2 * edge) / 10
    with Image.open(file) as picture:
        found = picture.convert("RGB").getpixel((round(edge + x * scale), round(edge + (10 - y) * scale)))
    assert isinstance(found, tuple)
    return found


def test_behind_a_robot_is_its_trail_of_a_third_of_the_plane(run: RunFile, tmp_path: Path) -> None:
    """At 6 s it is at x = 7, and its trail begins at 7 - 3.5."""
    file = tmp_path / "run.png"
    write_picture(run, 6.0, file, (400, 400))

    assert [pixel(file, x, 5.0) for x in (4.0, 6.0)] == [rgb(TRAIL)] * 2
    assert pixel(file, 3.3, 5.02) != rgb(TRAIL)
    assert pixel(file, 6.8, 5.0) == rgb(MOVING)


def test_beside_a_number_the_mark_is_an_arrowhead_and_no_minus(run: RunFile, tmp_path: Path) -> None:
    """At 6 s the robot is at x = 7: the arrowhead reaches from 0.23 to 0.39 m ahead, and is 0.19 m wide at its foot."""
    file = tmp_path / "run.png"
    write_picture(run, 6.0, file, (800, 800))

    def breadth(x: float) -> int:
        return sum(pixel(file, x, 5.0 + aside / 100, 800) == (255, 255, 255) for aside in range(-12, 13))

    assert breadth(7.25) >= 12
    assert 4 <= breadth(7.31) <= 10
    assert breadth(7.18) == 0


def test_a_film_begins_with_the_trails_of_before(run: RunFile) -> None:
    """At 6 s the robot is at x = 7, and has come from x = 1."""
    scene = Scene(run, view_of_run(run, 6.0, 8.0, (400, 400)), 6.0, 1.0)
    edge, scale = 44 * 0.6, (400 - 2 * 44 * 0.6) / 10
    first = scene.frame(6.0).convert("RGB")
    there = [first.getpixel((round(edge + x * scale), round(edge + 5.0 * scale))) for x in (4.0, 6.0, 3.0)]
    assert [colour == rgb(TRAIL) for colour in there] == [True, True, False]


def test_layers_come_and_go_one_by_one(run: RunFile, tmp_path: Path) -> None:
    """The trail at (5, 5), the pillar at (5, 8), and the left beam of the lidar at (7, 6.5)."""
    looks = {
        "trails": ((5.0, 5.0), TRAIL),
        "map": ((5.0, 8.0), LIGHT["obstacle"]),
        "sensors": ((7.0, 6.5), FIELD),
    }
    for layer in LAYERS:
        file = tmp_path / f"{layer}.png"
        write_picture(run, 6.0, file, (400, 400), [layer])
        for other, (place, colour) in looks.items():
            off = sum(abs(a - b) for a, b in zip(pixel(file, *place), rgb(colour), strict=True))
            assert (off < 90) == (other == layer), (layer, other)
    with pytest.raises(PictureError, match=r"a picture has the layers trails, .*, but no 'walls'"):
        write_picture(run, 6.0, tmp_path / "x.png", (400, 400), ["walls"])


def test_the_instant_that_tells_most_is_while_robots_move(run: RunFile) -> None:
    """It moves for the first 8 of 100 s, and of the looks within that the one nearest to six tenths is taken."""
    assert telling_instant(run) == pytest.approx(100 / 60 * 3)
    assert RESTING != MOVING


def test_beams_do_not_reach_over_the_words_around_the_plane() -> None:
    """A field of 100 m is cut at the border: what lies outside of the plane has the colour of the paper."""
    from kumi.recording.painting import DotPainter
    from kumi.recording.picture import PAPER

    painter = DotPainter((400, 400), PAPER)
    field = SensorField(name="lidar", reach=100.0, view=pi / 2, rays=5)
    paint(painter, Moment(crowd([(20, 15)], 0.5), 0.0, fields={0: (field,)}), Scenery(ROOM), (400, 400), "")
    picture = painter.picture()
    assert {picture.getpixel((398, y)) for y in range(400)} == {rgb(PAPER)}
