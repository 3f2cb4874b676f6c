"""What a user's program holds."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.robot.checks import check_parameters, checked_by
    from kumi.robot.radio import Radio, Reception
    from kumi.robot.robot import NoRadio, Robot
    from kumi.robot.team import Neighbours, Team

__all__ = [
    "Neighbours",
    "NoRadio",
    "Radio",
    "Reception",
    "Robot",
    "Team",
    "check_parameters",
    "checked_by",
]

lazy(__name__)
