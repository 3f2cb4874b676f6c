"""What a person does to a run that goes on: orders, code, walls, noise, and the warnings that help."""

from kumi.acting.acting import Acting, Refused
from kumi.acting.reins import Reins

__all__ = ["Acting", "Refused", "Reins"]
