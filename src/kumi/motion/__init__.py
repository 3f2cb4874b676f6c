"""Where a body is at any instant: legs of motion, drives, noise."""

from kumi._core import Leg, Piece
from kumi.lazy import eager
from kumi.motion.car import Car
from kumi.motion.drives import Drive, Legs, Moving, Omni, Wheel
from kumi.motion.follower import Follower
from kumi.motion.noise import NOISES, GaussianErrors, MotionNoise, UniformErrors

DRIVES = {"wheel": Wheel, "omni": Omni, "car": Car, "follower": Follower}
"""The drives that ship, by the name a scenario gives them."""

__all__ = [
    "DRIVES",
    "NOISES",
    "Car",
    "Drive",
    "Follower",
    "GaussianErrors",
    "Leg",
    "Legs",
    "MotionNoise",
    "Moving",
    "Omni",
    "Piece",
    "UniformErrors",
    "Wheel",
]

eager(__name__)
