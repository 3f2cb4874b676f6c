"""What do many runs say, and how sure is it?

These names need nothing beyond the base install. Tables of results are in `tables`, sensitivity in
`sensitivity` and reports in `report`, all of which need the extra `study`.
"""

from kumi.experiment.statistics.equality import (
    Compared,
    Difference,
    compare,
    holm,
    kolmogorov_smirnov,
    p_beyond,
    welch_test,
)
from kumi.experiment.statistics.errors import StatisticsError
from kumi.experiment.statistics.fits import Law, PowerLaw, power_law, scaling
from kumi.experiment.statistics.intervals import BatchMeans, Interval, batch_means, interval, proportion
from kumi.experiment.statistics.paired import Paired, paired
from kumi.experiment.statistics.series import Band, band, sampled
from kumi.experiment.statistics.stopping import Precision, Verdict
from kumi.experiment.statistics.warmup import WarmUp, warm_up_mser5, warm_up_welch

__all__ = [
    "Band",
    "BatchMeans",
    "Compared",
    "Difference",
    "Interval",
    "Law",
    "Paired",
    "PowerLaw",
    "Precision",
    "StatisticsError",
    "Verdict",
    "WarmUp",
    "band",
    "batch_means",
    "compare",
    "holm",
    "interval",
    "kolmogorov_smirnov",
    "p_beyond",
    "paired",
    "power_law",
    "proportion",
    "sampled",
    "scaling",
    "warm_up_mser5",
    "warm_up_welch",
    "welch_test",
]
