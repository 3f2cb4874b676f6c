"""The same tasks for each engine, one file an engine, written the way that engine is fastest to use."""
