"""Is the model of a robot right? Runs with real robots, held device by device against what the model says."""
