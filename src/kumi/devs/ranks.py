"""In which order does what is due at one instant happen?

By rank, the lower first; of equal ranks, in the order in which it was planned.

| rank | what |
|---|---|
| 0 | models make their transitions, and what is planned without a rank |
| 1 | bodies on a plane move (the core); nodes crash, stand still and come back, flights get to where links change |
| 2 | messages arrive, and timers of nodes fire |
| 3 | sensors look (the core) |
| 4 | programs go on (the core) |
| 5 | what a person does to a run that goes on |
| 6 | a plane predicts once what all of them changed (the core) |
| 7 | a real network takes more from its sockets |
"""

from kumi._core import RANKS, TASK_RANK

__all__ = ["ACTING_RANK", "FAULT_RANK", "MESSAGE_RANK", "RANKS", "SOCKET_RANK", "TASK_RANK"]

FAULT_RANK = 1
"""Before messages: a node that crashes at 3 s receives nothing at 3 s."""
MESSAGE_RANK = 2
"""After motion, before sensors and programs."""
ACTING_RANK = 5
"""After programs."""
SOCKET_RANK = 7
"""After all else at an instant."""
