"""The convoy with real robots among virtual ones: its frame at all stages of a study, and what model and robots differ in."""
