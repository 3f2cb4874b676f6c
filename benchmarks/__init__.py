"""How fast is kumi, and how much memory does it take, next to other engines in the same run?

`python -m benchmarks` measures every row of the tables in `rows.py` and `world_rows.py`, each measurement
in a fresh process, kumi and its peers in turn, so that a busy machine slows all of them alike. It writes
`results.json` and `RESULTS.md` next to this file. `--quick` takes about a minute and writes nothing unless
asked.

Every measurement also checks its own result: the counts of transitions, ticks, sleeps or interrupts must
be right for every engine, otherwise the row fails.
"""
