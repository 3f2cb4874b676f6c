"""Uploaded code in a process of its own, from which nothing gets out but words to its own robot."""
