"""Robots that talk: one asks who is there, the others answer over a network with random delays."""

from dataclasses import dataclass

from kumi import Message, Robot, Stage, now
from kumi.network import Exponential, Loss
from kumi.protocols import Acknowledged


@dataclass(frozen=True)
class Ask(Message):
    """A question to everybody."""

    question: str


@dataclass(frozen=True)
class Answer(Message):
    """An answer to one."""

    text: str


async def curious(robot: Robot) -> None:
    """Ask all others, and wait for as many answers."""
    await robot.radio.send(Ask("who is there?"), to=robot.radio.others)
    for _ in robot.radio.others:
        answer, sender = await robot.radio.receive(Answer)
        print(f"{now():.2f} s: robot {sender} says {answer.text!r}")


async def polite(robot: Robot) -> None:
    """Answer every question."""
    async for _, sender in robot.radio.messages(Ask):
        await robot.radio.send(Answer(f"I am {robot.name}"), to=sender)


def main() -> None:
    """Let three robots talk over a network that loses a third of all messages."""
    with Stage(seed=1) as stage:
        layers = [lambda: Acknowledged(retry_after=0.5)]
        stage.connect(Exponential(0.1), Loss(0.3), layers=layers)
        stage.add(curious, at=(0, 0))
        stage.add(polite, at=(1, 0), name="Hana")
        stage.add(polite, at=(2, 0), name="Ken")
        stage.run(until=10.0)


if __name__ == "__main__":
    main()
