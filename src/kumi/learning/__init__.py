"""What do robots learn? Scenarios as environments of PettingZoo and Gymnasium, and policies as programs."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.learning.episode import Episode, Situation, arrived, nearest_other, progress
    from kumi.learning.gym_env import joint_env, vector_env
    from kumi.learning.policies import policy_program
    from kumi.learning.zoo_env import parallel_env

__all__ = [
    "Episode",
    "Situation",
    "arrived",
    "joint_env",
    "nearest_other",
    "parallel_env",
    "policy_program",
    "progress",
    "vector_env",
]

lazy(__name__)
