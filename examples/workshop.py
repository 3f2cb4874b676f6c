"""Parts come into a workshop every 4 s and take 5 s each: three DEVS models and their couplings."""

from collections import deque

from kumi.devs import Atomic, Coupled, Simulation


class Source(Atomic):
    """Sends part after part."""

    def __init__(self, name: str, period: float) -> None:
        super().__init__(name)
        self.period = period
        self.parts = self.add_output("parts", int)
        self.number = 1
        self.hold(period)

    def output(self) -> None:
        self.parts.send(self.number)

    def internal(self) -> None:
        self.number += 1
        self.hold(self.period)


class Machine(Atomic):
    """Works on one part at a time; the others wait in line."""

    def __init__(self, name: str, duration: float) -> None:
        super().__init__(name)
        self.duration = duration
        self.arriving = self.add_input("arriving", int)
        self.finished = self.add_output("finished", int)
        self.line: deque[int] = deque()

    def external(self) -> None:
        if not self.line:
            self.hold(self.duration)
        self.line.extend(self.arriving)  # a part that comes while it works does not move the planned end

    def output(self) -> None:
        self.finished.send(self.line[0])

    def internal(self) -> None:
        self.line.popleft()
        if self.line:
            self.hold(self.duration)


workshop = Coupled("workshop")
source = workshop.add(Source("source", period=4.0))
machine = workshop.add(Machine("machine", duration=5.0))
exit_door = workshop.add_output("exit", int)
workshop.couple(source.parts, machine.arriving)
workshop.couple(machine.finished, exit_door)
exit_door.watch(lambda time, part: print(f"{time:4.1f} s  part {part} leaves"))

with Simulation(workshop) as simulation:
    run = simulation.run(until=25.0)
print(f"{len(machine.line)} parts are left at {run.time} s after {run.statistics.messages} messages")
