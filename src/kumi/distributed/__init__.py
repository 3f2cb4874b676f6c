"""Parts of one model on several processes or machines: in real time, or as fast as possible with equal results."""

from kumi.distributed.partition import DistributedError, ModelPartition, PartFailed, PartLost
from kumi.distributed.results import DistributedRun, Kept, run_whole
from kumi.distributed.run import run_distributed
from kumi.distributed.serve import join, serve

__all__ = [
    "DistributedError",
    "DistributedRun",
    "Kept",
    "ModelPartition",
    "PartFailed",
    "PartLost",
    "join",
    "run_distributed",
    "run_whole",
    "serve",
]
