"""Judging consensus: is what is decided one of the proposed values, the same for all, once, and by all?"""

from __future__ import annotations

from typing import Any

from kumi.checking.monitors import Ending, Monitor, broken, names
from kumi.contract.messages import Address
from kumi.protocols.guarantees import Consensus


class Validity(Monitor):
    """What is decided was proposed."""

    watches = Consensus

    def __init__(self) -> None:
        self.proposed: dict[str, list[object]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep a proposal."""
        question, value = event
        self.proposed.setdefault(question, []).append(value)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a decision."""
        question, value = event
        if value not in self.proposed.get(question, []):
            raise broken(
                "validity",
                f"node {address} decides {value!r} on {question!r} at {time:.3f} s",
                "nobody proposed that",
            )


class DecidesOnce(Monitor):
    """Nobody decides a question twice."""

    watches = Consensus

    def __init__(self) -> None:
        self.decided: dict[tuple[Address, str], tuple[float, object]] = {}

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a decision."""
        question, value = event
        if (address, question) in self.decided:
            when, before = self.decided[address, question]
            raise broken(
                "integrity",
                f"node {address} decides {value!r} on {question!r} at {time:.3f} s",
                f"it decided {before!r} at {when:.3f} s",
            )
        self.decided[address, question] = time, value


class UniformAgreement(Monitor):
    """No two nodes decide a question differently, even if they crash then."""

    watches = Consensus

    def __init__(self) -> None:
        self.decided: dict[str, tuple[float, Address, object]] = {}

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a decision."""
        question, value = event
        when, other, before = self.decided.setdefault(question, (time, address, value))
        if value != before:
            raise broken(
                "uniform agreement",
                f"node {address} decides {value!r} on {question!r} at {time:.3f} s",
                f"node {other} decided {before!r} at {when:.3f} s",
            )


class Termination(Monitor):
    """If all correct nodes propose, or one node decides and stays, all correct nodes decide."""

    watches = Consensus

    def __init__(self) -> None:
        self.proposers: dict[str, set[Address]] = {}
        self.deciders: dict[str, set[Address]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep who proposes."""
        self.proposers.setdefault(event[0], set()).add(address)

    def told(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep who decides."""
        self.deciders.setdefault(event[0], set()).add(address)

    def finish(self, ending: Ending) -> None:
        """Look for one who has not decided."""
        for question in sorted(self.proposers):
            deciders = self.deciders.get(question, set())
            waiting = ending.correct - deciders
            if waiting and (ending.correct <= self.proposers[question] or deciders & ending.correct):
                raise broken(
                    "termination",
                    f"at {ending.time:g} s nodes {names(waiting)} have not decided on {question!r}",
                    f"nodes {names(deciders)} have",
                )
