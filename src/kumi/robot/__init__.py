"""What a user's program holds."""

from kumi.robot.checks import check_parameters, checked_by
from kumi.robot.radio import Radio
from kumi.robot.robot import NoRadio, Robot

__all__ = ["NoRadio", "Radio", "Robot", "check_parameters", "checked_by"]
