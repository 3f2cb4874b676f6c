"""What stays of a run: records, pictures."""
