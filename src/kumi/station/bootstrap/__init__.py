"""What a station serves to a bare machine: a robot in one file, which needs Python and nothing else."""
