"""Does a protocol keep its promise? Monitors, faults, and a search for the schedule that breaks it."""

from kumi.checking.case import Case, a_minority, all_but_one, nobody
from kumi.checking.monitors import Ending, Monitor, Violation
from kumi.checking.trial import Trial, Verdict

__all__ = [
    "Case",
    "Ending",
    "Monitor",
    "Trial",
    "Verdict",
    "Violation",
    "a_minority",
    "all_but_one",
    "nobody",
]
