"""A scenario as a parallel environment of PettingZoo: each robot is an agent.

By events, all agents that are alive get observations, but `infos[a]["asked"]` says who has something to decide; actions of the others are
not heeded, and need not be given. `infos[a]["elapsed"]` is the exact time since its last decision, and the reward of one that
decides is the sum since then: 0 until it is asked.
"""

from __future__ import annotations

from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kumi.devs.extras import needing
from kumi.geometry.points import shown
from kumi.learning.episode import (
    Act,
    Decide,
    Done,
    Episode,
    Goals,
    Lesson,
    Numbers,
    Observe,
    Reward,
    arrived,
    as_told,
    nearest_other,
    progress,
)

with needing("learning"):
    from gymnasium.spaces import Box, Space
    from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = NDArray[np.float32]


def parallel_env(
    scenario: str | Path,
    *,
    changes: Sequence[str] = (),
    period: float = 0.1,
    until: float | None = None,
    decide: Decide = "period",
    observe: Observe = nearest_other,
    act: Act = as_told,
    reward: Reward = progress,
    done: Done = arrived,
    goals: Goals | None = None,
) -> RobotsEnv:
    """Return the robots of a scenario as agents of PettingZoo; `changes` are those of `kumi run --set`."""
    return RobotsEnv(Lesson(scenario, changes, period, until, decide, observe, act, reward, done, goals))


class RobotsEnv(ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """Robots that are agents; `episode` is the run under way, with its `trace_hash`."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.metadata = {"name": f"kumi {lesson.scenario}", "render_modes": []}
        self.render_mode = None
        self._seeds = np.random.default_rng(0)
        self.episode = Episode(lesson, 0)
        self.possible_agents = list(self.episode.names)
        self.agents: list[str] = []
        width = lesson.observe(self.episode.situation).shape[1]
        self.observation_spaces = {
            name: Box(-1.0, 1.0, (width,), np.float32) for name in self.possible_agents
        }
        self.action_spaces = {name: Box(-1.0, 1.0, (2,), np.float32) for name in self.possible_agents}
        self._indices = {name: index for index, name in enumerate(self.possible_agents)}
        self._alive = np.zeros(len(self.possible_agents), dtype=bool)
        self._asked = self._alive.copy()
        self._parts: list[list[float]] = []

    def observation_space(self, agent: str) -> Space[Any]:
        """Return what an agent may observe."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return what an agent may do: a share of its speed, and one of its turning speed, each from -1 to 1."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin another run; a seed also begins the row of seeds of the runs after it."""
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        self.episode.close()
        self.episode = Episode(self.lesson, int(self._seeds.integers(2**31)) if seed is None else seed)
        self.agents = list(self.possible_agents)
        self._alive = np.ones(len(self.agents), dtype=bool)
        self._asked = self._alive.copy()
        self._parts = [[] for _ in self.agents]
        seen = self.lesson.observe(self.episode.situation)
        infos = {name: {"elapsed": 0.0, "asked": True} for name in self.agents}
        return dict(zip(self.agents, seen, strict=True)), infos

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Tell those who were asked what to do, and let time pass to the next decision."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        episode, lesson = self.episode, self.lesson
        episode.tell(self._rows(actions), self._asked)
        told = self._alive
        asked = episode.advance(told)
        situation = episode.situation
        rewards = lesson.reward(situation).tolist()
        terminated = lesson.done(situation) | episode.is_gone
        is_over = episode.is_over
        ends = terminated | is_over
        if lesson.decide == "events":
            rewards = self._summed(rewards, asked | ends)
        seen = lesson.observe(situation)
        elapsed, over, said = episode.elapsed().tolist(), terminated.tolist(), asked.tolist()
        names, indices = self.agents, self._indices
        rows = [(name, indices[name]) for name in names]
        observations = {name: seen[i] for name, i in rows}
        earned = {name: rewards[i] for name, i in rows}
        terminations = {name: over[i] for name, i in rows}
        truncations = {name: is_over and not over[i] for name, i in rows}
        infos = {name: {"elapsed": elapsed[i], "asked": said[i]} for name, i in rows}
        self._asked = asked
        if is_over or any(terminations.values()):
            self.agents = [name for name, i in rows if not (is_over or over[i])]
            episode.stop(told & terminated)
            self._alive = told & ~ends
            self._asked = asked & ~ends
        return observations, earned, terminations, truncations, infos

    def close(self) -> None:
        """End the run."""
        self.episode.close()

    def _rows(self, actions: dict[str, Any]) -> Numbers:
        if strangers := [name for name in actions if name not in self._indices]:
            raise ValueError(
                f"there is no agent {strangers[0]!r}; there are: {', '.join(self.possible_agents)}"
            )
        rows = np.zeros((len(self.possible_agents), 2))
        if not actions:
            return rows
        try:
            given = np.array(list(actions.values()), dtype=np.float64)
        except (TypeError, ValueError):
            given = np.empty(0)
        if given.shape != (len(actions), 2):
            raise ValueError(f"an action is two numbers, unlike those of {shown(actions)}")
        rows[[self._indices[name] for name in actions]] = given
        return rows

    def _summed(self, rewards: list[float], asked: NDArray[np.bool_]) -> list[float]:
        """Return for each that decides the exact sum since its last decision, and 0 for the others."""
        told = [0.0] * len(rewards)
        for index, (value, is_asked) in enumerate(zip(rewards, asked.tolist(), strict=True)):
            self._parts[index].append(value)
            if is_asked:
                told[index] = fsum(self._parts[index])
                self._parts[index] = []
        return told
