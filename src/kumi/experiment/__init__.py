"""The frame around a run: the scenario that describes it, and the stage on which it happens."""
