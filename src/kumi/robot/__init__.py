"""What a user's program holds: a robot."""

from kumi.robot.robot import Robot

__all__ = ["Robot"]
