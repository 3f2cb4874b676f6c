"""A drive of one's own: it moves in a spiral that no built-in leg knows, and still touches at the exact instant."""

from math import pi

from kumi import Blocked, CannotDo, Map, Pillar, Robot, Stage, now
from kumi.contract import Command, Forward
from kumi.maths import cos, hypot, sin
from kumi.motion import Leg, Moving


class Spiral:
    """Circles outwards: each turn takes so many seconds and leads so many metres further out."""

    def __init__(self, growth: float, period: float) -> None:
        self.growth = growth
        self.period = period

    def plan(self, command: Command, body: Moving, /) -> Leg:
        """Give the spiral for `forward`, whose distance is how far out it leads."""
        match command:
            case Forward(distance):
                duration = distance / self.growth * self.period
            case _:
                raise CannotDo(f"a spiral cannot carry out {command}; it takes forward()")
        centre, heading = body.position, body.heading
        outwards, turning = self.growth / self.period, 2 * pi / self.period

        def pose(t: float) -> tuple[float, float, float]:
            radius, angle = outwards * t, turning * t
            return centre.x + radius * cos(angle), centre.y + radius * sin(angle), heading + angle

        return Leg.pattern(pose, duration, hypot(outwards, distance * turning), turning)


async def search(robot: Robot) -> None:
    """Go round and round until something is found."""
    try:
        await robot.forward(5.0)
    except Blocked as blocked:
        print(f"{now():.3f} s: found the {blocked.by}, {abs(robot.position - robot.home):.3f} m from home")


stage = Stage(Map(obstacles=[Pillar((-2, 1), 0.3, name="column")]))
stage.add(search, at=(0, 0), drive=Spiral(growth=0.3, period=10.0))
stage.run()
