"""Go on until something is in the way and turn, for 20 s; then go home. The file is the same wherever a program runs."""

from math import pi

from kumi import Blocked, Robot, after, until


async def main(robot: Robot) -> None:
    with until(after(20.0)):
        while True:
            try:
                await robot.forward(1.0)
            except Blocked:
                await robot.turn(2 * pi / 3)
    await robot.move_to(robot.home)
    print("home at", *robot.position)


if __name__ == "__main__":
    from kumi import Stage

    stage = Stage(width=6, height=4)
    stage.add(main, at=(1, 1), radius=0.2)
    stage.run()
