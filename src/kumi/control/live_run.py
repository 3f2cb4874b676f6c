"""How does what a person does get into a run that goes on?

The page's server asks from a thread of its own; each action is brought to the run, happens there between two of its
instants, and is written down as a note, so that who reads the run later sees what was done by hand. Where it cannot
be done, nothing changes, and the person gets one sentence. A run in which nobody acts is the same, bit for bit, as
one that nobody could act on.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from kumi.control.action_handler import ActionHandler
from kumi.control.actions import KINDS, AnyAction, CheckCode, GiveCode
from kumi.control.manual_override import OverridableBody
from kumi.control.warnings import CollisionWatch
from kumi.devs import KumiError, NoRun
from kumi.devs.ranks import ACTING_RANK

if TYPE_CHECKING:
    from kumi.devs import Simulation
    from kumi.stage import Stage
    from kumi.world import SimulatedBody

ANSWER_TIMEOUT = 10.0
"""Seconds of wall time that a run may take to answer."""
FORECAST_PERIOD = 0.4
"""Seconds of wall time between two looks ahead, at least."""
FORECAST_SHARE = 0.05
"""Of the wall time, which looks ahead take at most."""
MOST_WARNINGS = 20
"""That pages are told; of more, how many they are."""


class ActionRefused(Exception):
    """An action that cannot be done, with the sentence for the person."""


class LiveActions:
    """What a person may do to a run. Make it before the stage, which takes its `override`, and `join` the stage then.

    `may_give_code` says whether code is taken: it runs as the person who started the run. With `warns`, contacts to
    come are told.
    """

    def __init__(self, *, may_give_code: bool = False, warns: bool = True) -> None:
        self._may_give_code = may_give_code
        self._warns = warns
        self._stage: Stage | None = None
        self._lookout: CollisionWatch | None = None
        self._overrides: dict[int, OverridableBody] = {}
        self._doing: ActionHandler | None = None
        self._warnings: list[dict[str, Any]] = []
        self._more_warnings = 0
        self._why_off = ""
        self._look_at = 0.0
        self._state: dict[str, Any] = {}
        self._is_over = False

    @property
    def offers(self) -> tuple[str, ...]:
        """The names of the actions; without those that need a right to give code where nobody has it."""
        return tuple(name for name in KINDS if self._may_give_code or name not in {"giveCode", "checkCode"})

    def between(self, body: SimulatedBody) -> OverridableBody:
        """Give the override of a body, for the program to have in its place."""
        self._overrides[body.number] = override = OverridableBody(body, lambda: self._simulation)
        return override

    def join(self, stage: Stage) -> None:
        """Begin to act on a stage."""
        self._stage = stage
        self._doing = ActionHandler(stage, self._overrides)
        if self._warns:
            self._lookout = CollisionWatch(stage.world)

    @property
    def state(self) -> dict[str, Any]:
        """What pages are told besides the journal: who is held, noise, warnings. Read from any thread."""
        return self._state

    def look(self) -> None:
        """Look ahead, from the thread of the run and between two of its instants."""
        begun = monotonic()
        if begun < self._look_at or self._stage is None:
            return
        if self._lookout is not None:
            self._why_off, found = self._lookout.why_off, self._lookout.dangers()
            self._more_warnings = max(0, len(found) - MOST_WARNINGS)
            self._warnings = [
                {
                    "robot": danger.robot,
                    "other": danger.other,
                    "seconds": round(danger.seconds, 2),
                    "at": {"x": danger.at.x, "y": danger.at.y},
                }
                for danger in found[:MOST_WARNINGS]
            ]
        took = monotonic() - begun
        self._look_at = begun + max(FORECAST_PERIOD, took / FORECAST_SHARE)
        self._tell()

    def finish(self) -> None:
        """Take no actions any more: the run is over."""
        self._is_over = True
        self._warnings, self._more_warnings, self._why_off = [], 0, ""
        self._tell()
        if self._lookout is not None:
            self._lookout.close()
            self._lookout = None

    def plan(
        self, time: float, action: AnyAction, told: Callable[[object], object] = lambda _came: None
    ) -> None:
        """Do something at a time to come, from the thread of the run; what it raises comes out of the run.

        `told` hears what comes of it.
        """
        assert self._doing is not None, "join() comes first"
        do = self._doing.do
        self._simulation.schedule(time, lambda: told(do(action)), rank=ACTING_RANK)

    def ask(self, action: AnyAction) -> object:
        """Do something in the run, from another thread, and return what comes of it; Refused with a sentence."""
        if isinstance(action, GiveCode | CheckCode) and not self._may_give_code:
            raise ActionRefused(
                "This run takes no code: it is shown to others, and code runs as the one who started it."
            )
        asked: Future[object] = Future()
        self._bring(partial(self._happen, action, asked))
        try:
            return asked.result(ANSWER_TIMEOUT)
        except NotYet:
            if asked.cancel():
                raise ActionRefused(
                    f"The run did not answer within {ANSWER_TIMEOUT:g} s; nothing was done."
                ) from None
            return asked.result()
        except (KumiError, ValueError, TypeError) as error:
            raise ActionRefused(sentence(error)) from error

    def _bring(self, act: Callable[[], None]) -> None:
        if self._is_over:
            raise ActionRefused("The run is over; nothing can be done in it any more.")
        simulation = self._simulation
        try:
            simulation.bring(lambda time: simulation.schedule(time, act, rank=ACTING_RANK))
        except NoRun as error:
            raise ActionRefused("The run is over; nothing can be done in it any more.") from error

    def _happen(self, action: AnyAction, asked: Future[object]) -> None:
        assert self._doing is not None
        if not asked.set_running_or_notify_cancel():
            return
        try:
            came = self._doing.do(action)
        except Exception as error:  # noqa: BLE001  # the run goes on; who asked is told
            asked.set_exception(error)
        else:
            self._tell()
            asked.set_result(came)

    @property
    def _simulation(self) -> Simulation:
        assert self._stage is not None, "join() comes first"
        return self._stage.simulation

    def _tell(self) -> None:
        held = {
            number: override.left
            for number, override in self._overrides.items()
            if override.is_held and not override.body.is_gone
        }
        self._state = {
            "held": held,
            "noise": self._doing.noise if self._doing else {},
            "failures": dict(self._doing.failures) if self._doing else {},
            "warnings": self._warnings,
            "more_warnings": self._more_warnings,
            "why_off": self._why_off,
        }


def sentence(error: Exception) -> str:
    """Return what an error says as a sentence."""
    words = str(error) or type(error).__name__
    first = words.split(" ", 1)[0]
    start = words[0].upper() + words[1:] if first.isalpha() else words
    return start + ("" if words.endswith((".", "?")) else ".")
