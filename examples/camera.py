"""A model that takes pictures: the same model with a virtual camera and with one that takes real time."""

import time

from kumi.devs import Activity, ActivityOutcome, Atomic, InThread, Simulation, Virtual, start_activity


def grab() -> str:
    """Stand in for a slow device: 20 ms of real time."""
    time.sleep(0.02)
    return "a picture"


class Photographer(Atomic):
    """Starts the camera after one second, and shows what it gets."""

    def __init__(self, name: str, camera: Activity[str]) -> None:
        super().__init__(name)
        self.camera = camera
        self.pictures = self.add_input("pictures", ActivityOutcome)
        self.hold(1.0)

    def internal(self) -> None:
        start_activity(self.camera, into=self.pictures)

    def external(self) -> None:
        for outcome in self.pictures:
            print(f"{self.name}: {outcome.result()}, {'later' if self.now > 1.0 else 'at the same instant'}")


with Simulation(Photographer("virtual", Virtual(0.02, grab))) as simulation:
    simulation.run()

with Simulation(Photographer("real", InThread(grab))) as simulation:
    simulation.run(pace=50.0)  # fifty simulated seconds a second
