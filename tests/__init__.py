"""The tests of kumi. A package, so that another one of this name in the environment is not taken for it."""
