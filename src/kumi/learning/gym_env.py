"""A scenario as an environment of Gymnasium: all robots are one agent, and many copies of it are one vector environment.

Observations and actions have a row for each robot; the reward is the sum over all. It ends when every robot is done.
The copies of a vector environment are spread over worker processes, or are all in this one; what they give does not depend on that.
A copy that has ended begins anew with the next step.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from contextlib import suppress
from math import fsum
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kumi.devs.extras import needing
from kumi.learning.episode import (
    Act,
    Done,
    Episode,
    Goals,
    Lesson,
    Observe,
    Reward,
    arrived,
    as_told,
    nearest_other,
    progress,
)

with needing("learning"):
    import gymnasium
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

Row = NDArray[np.float32]
Stepped = tuple[Row, float, bool, bool, dict[str, Any]]


def joint_env(
    scenario: str | Path,
    *,
    changes: Sequence[str] = (),
    period: float = 0.1,
    until: float | None = None,
    observe: Observe = nearest_other,
    act: Act = as_told,
    reward: Reward = progress,
    done: Done = arrived,
    goals: Goals | None = None,
) -> JointEnv:
    """Return all robots of a scenario as one agent of Gymnasium."""
    return JointEnv(Lesson(scenario, changes, period, until, "period", observe, act, reward, done, goals))


def vector_env(
    scenario: str | Path,
    *,
    copies: int = 64,
    workers: int = 1,
    changes: Sequence[str] = (),
    period: float = 0.1,
    until: float | None = None,
    observe: Observe = nearest_other,
    act: Act = as_told,
    reward: Reward = progress,
    done: Done = arrived,
    goals: Goals | None = None,
) -> CopiesEnv:
    """Return copies of all robots of a scenario as a vector environment, on so many processes; 1 is this one."""
    lesson = Lesson(scenario, changes, period, until, "period", observe, act, reward, done, goals)
    return CopiesEnv(lesson, copies, workers)


class JointEnv(gymnasium.Env[Row, Row]):
    """All robots of a scenario as one agent."""

    metadata = {"render_modes": []}  # noqa: RUF012  # so Gymnasium declares it

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.render_mode = None
        self.episode = Episode(lesson, 0)
        shape = lesson.observe(self.episode.situation).shape
        self.observation_space = Box(-1.0, 1.0, shape, np.float32)
        self.action_space = Box(-1.0, 1.0, (shape[0], 2), np.float32)
        self._alive = np.ones(shape[0], dtype=bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Row, dict[str, Any]]:
        """Begin another run."""
        super().reset(seed=seed)
        self.episode.close()
        self.episode = Episode(self.lesson, int(self.np_random.integers(2**31)))
        self._alive = np.ones(len(self.episode.robots), dtype=bool)
        return self.lesson.observe(self.episode.situation), {"elapsed": 0.0}

    def step(self, action: Row) -> Stepped:
        """Tell all robots what to do, and let a period pass."""
        episode, lesson = self.episode, self.lesson
        before = episode.now
        episode.tell(np.asarray(action, dtype=np.float64), self._alive)
        episode.advance(self._alive)
        situation = episode.situation
        rewards = np.where(self._alive, lesson.reward(situation), 0.0).tolist()
        done = lesson.done(situation) | episode.is_gone
        if done.any():
            episode.stop(done & self._alive)
        self._alive &= ~done
        terminated = not self._alive.any()
        elapsed = {"elapsed": episode.now - before}
        return (
            lesson.observe(situation),
            fsum(rewards),
            terminated,
            episode.is_over and not terminated,
            elapsed,
        )

    def close(self) -> None:
        """End the run."""
        self.episode.close()


class Copies:
    """Some copies of an environment, one after the other; each begins anew with the step after its end."""

    def __init__(self, lesson: Lesson, count: int) -> None:
        self._envs = [JointEnv(lesson) for _ in range(count)]
        self._has_ended = [False] * count

    def reset(self, seeds: Sequence[int | None]) -> list[Row]:
        """Begin all runs."""
        self._has_ended = [False] * len(self._envs)
        return [env.reset(seed=seed)[0] for env, seed in zip(self._envs, seeds, strict=True)]

    def step(self, actions: Row) -> list[Stepped]:
        """Let all go on."""
        found = [self._step(index, action) for index, action in enumerate(actions)]
        self._has_ended = [one[2] or one[3] for one in found]
        return found

    def _step(self, index: int, action: Row) -> Stepped:
        env = self._envs[index]
        if self._has_ended[index]:
            return env.reset()[0], 0.0, False, False, {"elapsed": 0.0}
        return env.step(action)

    def close(self) -> None:
        """End all runs."""
        for env in self._envs:
            env.close()


def work(lesson: Lesson, count: int, pipe: Connection) -> None:
    """Step copies in a process of its own, until told to end; what goes wrong is told to who asked."""
    copies = Copies(lesson, count)
    while True:
        word, given = pipe.recv()
        if word == "close":
            copies.close()
            return
        try:
            answer = getattr(copies, word)(given)
        except Exception as error:  # noqa: BLE001  # of any kind: it is raised where the step was asked for
            answer = error
        try:
            pipe.send(answer)
        except Exception:  # noqa: BLE001  # an error that cannot be sent as it is
            pipe.send(RuntimeError(f"{type(answer).__name__}: {answer}"))


class CopiesProcess:
    """Copies in a process of their own."""

    def __init__(self, lesson: Lesson, count: int) -> None:
        context = multiprocessing.get_context("forkserver")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(lesson, count, other), daemon=True)
        self._process.start()
        other.close()

    def ask(self, word: str, given: Any) -> None:
        """Let the copies do something."""
        self._pipe.send((word, given))

    def answer(self) -> Any:
        """Wait for what came of it."""
        return self._pipe.recv()

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):  # it has ended already
            self._pipe.send(("close", None))
        self._process.join()
        self._pipe.close()


class CopiesEnv(VectorEnv[Row, Row, NDArray[Any]]):
    """Copies of an environment, stepped together."""

    def __init__(self, lesson: Lesson, copies: int, workers: int) -> None:
        for value, name in ((copies, "copies"), (workers, "workers")):
            if value < 1:
                raise ValueError(f"{name} are a whole number of at least 1, not {value!r}")
        single = JointEnv(lesson)
        self.num_envs = copies
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.render_mode = None
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = batch_space(single.observation_space, copies)
        self.action_space = batch_space(single.action_space, copies)
        single.close()
        shares = [len(part) for part in np.array_split(np.arange(copies), min(workers, copies))]
        self._bounds = np.cumsum([0, *shares]).tolist()
        self._here = Copies(lesson, copies) if len(shares) == 1 else None
        self._workers = [] if self._here else [CopiesProcess(lesson, share) for share in shares]

    def reset(
        self,
        *,
        seed: int | np.integer[Any] | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Row, dict[str, Any]]:
        """Begin all runs: with seeds of their own, or with the numbers from one on."""
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, int | np.integer):
            seeds = [int(seed) + number for number in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"each of {self.num_envs} copies takes a seed, not {len(seeds)}")
        return np.stack(self._all("reset", seeds)), {}

    def step(self, actions: Row) -> tuple[Row, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Let all copies go on by a period."""
        given = np.asarray(actions)
        if given.shape != self.action_space.shape:
            raise ValueError(
                f"actions of this environment have the shape {self.action_space.shape}, not {given.shape}"
            )
        rows, rewards, terminated, truncated, infos = zip(*self._all("step", given), strict=True)
        return (
            np.stack(rows),
            np.array(rewards),
            np.array(terminated),
            np.array(truncated),
            {"elapsed": np.array([info["elapsed"] for info in infos])},
        )

    def close_extras(self, **_: Any) -> None:
        """End all runs and processes."""
        if self._here is not None:
            self._here.close()
        for worker in self._workers:
            worker.close()

    def _all(self, word: str, given: Any) -> list[Any]:
        if self._here is not None:
            found: list[Any] = getattr(self._here, word)(given)
            return found
        for worker, low, high in zip(self._workers, self._bounds, self._bounds[1:], strict=False):
            worker.ask(word, given[low:high])
        answers = [
            worker.answer() for worker in self._workers
        ]  # all, so that none is left for the next question
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return [one for answer in answers for one in answer]
