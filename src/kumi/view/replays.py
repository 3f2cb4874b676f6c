"""How does a row of a study become a run that can be looked at?

It is run again with its seed, in a process of its own, into a run file in the folder of the results. The hash of its
trace is compared with the row's, so what is seen is what was measured; if it differs, that is said. A run file that was
made before, of the same hash, is taken as it is.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kumi.devs import KumiError
from kumi.recording import RunFile
from kumi.study.rerun import Again, run_again
from kumi.study.results import FINISHED, REPLAYS, Results

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

MOST_AT_ONCE = 3
"""Runs that are made at once."""
PROGRESS_PERIOD = 0.1
"""Seconds between two words of how far a run has got."""


class Replays:
    """The runs of a results folder that were asked for."""

    def __init__(self, results: Results) -> None:
        assert results.folder is not None
        self.results = results
        self._rows = {run["row"]: run for run in results.runs}
        self._folder = results.folder / REPLAYS
        self._states: dict[int, dict[str, Any]] = {}
        self._processes: dict[int, BaseProcess] = {}
        self._begun: dict[int, float] = {}
        self._lock = threading.Lock()

    def path(self, row: int) -> Path:
        """Return where the run of a row is kept."""
        return self._folder / f"row-{row}.kumi"

    def state(self, row: int) -> dict[str, Any]:
        """Tell what became of a row that was asked for: running, ready or failed.

        One that is running tells how far it has got, for how many seconds it has run, and how many it took when it was
        measured.
        """
        state = dict(self._states.get(row, {"state": "unknown"}))
        if state["state"] == "running":
            state["elapsed"] = time.monotonic() - self._begun[row]
            state["took"] = self._rows[row].get("wall_seconds")
        return state

    def begin(self, row: int) -> dict[str, Any]:
        """Have a row run again, unless it is on its way, or was made before; KeyError where there is no such row."""
        wanted = self._rows[row]
        with self._lock:
            if self.state(row)["state"] in {"running", "ready"}:
                return self.state(row)
            if (note := self._made(row, wanted["trace_hash"])) is not None:
                self._states[row] = note
            elif len(self._processes) >= MOST_AT_ONCE:
                return failed(
                    f"{MOST_AT_ONCE} runs are on their way already; ask again when one of them is done."
                )
            else:
                self._start(row)
            return self.state(row)

    def close(self) -> None:
        """End the runs that are under way."""
        with self._lock:
            for process in self._processes.values():
                process.kill()

    def _made(self, row: int, trace_hash: str | None) -> dict[str, Any] | None:
        """Return how a run came out that was made before, if it is that of the row."""
        try:
            note: dict[str, Any] = json.loads(self.path(row).with_suffix(".json").read_text(encoding="utf-8"))
            RunFile(self.path(row))
        except (OSError, ValueError, KumiError):
            return None
        return note if trace_hash is not None and note.get("hash") == trace_hash else None

    def _start(self, row: int) -> None:
        self._folder.mkdir(exist_ok=True)
        ours, theirs = multiprocessing.Pipe(duplex=False)
        context = multiprocessing.get_context("spawn")
        unfinished = self.path(row).with_suffix(".part.kumi")
        process = context.Process(
            target=replay, args=(str(self.results.folder), row, unfinished, theirs), daemon=True
        )
        process.start()
        theirs.close()
        self._processes[row] = process
        self._begun[row] = time.monotonic()
        self._states[row] = {"state": "running", "time": None}
        threading.Thread(target=self._follow, args=(row, process, ours, unfinished), daemon=True).start()

    def _follow(self, row: int, process: BaseProcess, pipe: Connection, unfinished: Path) -> None:
        """Hear how far a run has got, until it ends."""
        found = failed("The process of the run ended before the run did.")
        try:
            while True:
                word: dict[str, Any] = pipe.recv()
                if word["state"] == "running":
                    self._states[row] = word
                else:
                    found = word
        except (EOFError, OSError):
            process.join()
        if found["state"] == "ready":
            unfinished.replace(self.path(row))
            note = self.path(row).with_suffix(".json")
            note.write_text(json.dumps(found), encoding="utf-8")
        else:
            unfinished.unlink(missing_ok=True)
        with self._lock:
            del self._processes[row]
            self._states[row] = found


def replay(folder: str, row: int, path: Path, pipe: Connection) -> None:
    """Run a row again into a file, in a process of its own, and tell of it."""
    os.setsid()  # Ctrl-C is for the server, which ends this process
    told_at = -PROGRESS_PERIOD

    def told(simulated: float) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= PROGRESS_PERIOD:
            told_at = time.monotonic()
            pipe.send({"state": "running", "time": simulated})

    try:
        pipe.send(outcome_of(run_again(Results.read(folder), row, path, told), path))
    except (KumiError, OSError) as error:
        pipe.send(failed(f"{error}."))


def outcome_of(again: Again, path: Path) -> dict[str, Any]:
    """Return what is told of a run that was made again."""
    if again.now["outcome"] != FINISHED:
        sentence = str(again.now["outcome"]).partition(": ")[2] or again.now["outcome"]
        if not path.exists() or again.before["outcome"] == FINISHED:
            return failed(f"{sentence}.")
    found = {"state": "ready", "isSame": again.is_same, "hash": again.now["trace_hash"], "sentence": ""}
    if not again.is_same:
        versions = ", ".join(
            f"{name} {old} then and {new} now" for name, (old, new) in sorted(again.changed.items())
        )
        why = f": {versions}" if versions else ""
        found["sentence"] = f"This is not the run that was measured; its trace is another one{why}."
    return found


def failed(sentence: str) -> dict[str, Any]:
    """Tell that there is nothing to look at, and why."""
    return {"state": "failed", "sentence": sentence}
