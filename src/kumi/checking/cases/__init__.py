"""The protocols that ship, each with its promise, its workload, its monitors, and bugs to be found."""

from importlib import import_module

from kumi.checking.case import Case

TOPICS = (
    "links",
    "broadcasts",
    "total_order",
    "detectors",
    "leaders",
    "consensus",
    "log",
    "exclusion",
    "membership",
    "commit",
    "snapshot",
    "gossip",
    "clocks",
    "termination",
    "flooding",
    "routing",
    "reservation",
)
"""The modules of this folder that have cases, in the order in which these are listed; two have their monitors beside them."""


def shipped_cases() -> dict[str, Case]:
    """Return all cases that ship, by name; their modules are imported when this is first called."""
    modules = [import_module(f"{__name__}.{topic}") for topic in TOPICS]
    return {case.name: case for module in modules for case in module.CASES}
