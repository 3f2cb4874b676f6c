"""Does a protocol keep its promise? Monitors, faults, and a search for the schedule that breaks it."""

from kumi.checking.case import Case, a_minority, all_but_one, nobody
from kumi.checking.cases import shipped_cases
from kumi.checking.linearizability import Call, linearize, unexplained
from kumi.checking.lookup import find_case
from kumi.checking.monitors import Judges, Monitor, RunEnding, Violation, broken
from kumi.checking.quality import Figures, Quality
from kumi.checking.real_runs import judge_recordings
from kumi.checking.schedule import Schedule, draw_schedule
from kumi.checking.search import Coverage, Found, SearchQuestion
from kumi.checking.shrink import Smallest
from kumi.checking.trial import CheckingError, Trial, Verdict

__all__ = [
    "Call",
    "Case",
    "CheckingError",
    "Coverage",
    "Figures",
    "Found",
    "Judges",
    "Monitor",
    "Quality",
    "RunEnding",
    "Schedule",
    "SearchQuestion",
    "Smallest",
    "Trial",
    "Verdict",
    "Violation",
    "a_minority",
    "all_but_one",
    "broken",
    "draw_schedule",
    "find_case",
    "judge_recordings",
    "linearize",
    "nobody",
    "shipped_cases",
    "unexplained",
]
