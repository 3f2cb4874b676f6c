"""What do many runs say, and how sure is it?

These names need nothing beyond the base install. Tables of results are in `tables`, sensitivity in
`sensitivity` and reports in `report`, all of which need the extra `study`.
"""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.study.statistics.effects import (
        LogRank,
        PairedLogRank,
        log_rank,
        log_rank_in_pairs,
        stratified_log_rank,
    )
    from kumi.study.statistics.equality import (
        Compared,
        Difference,
        compare,
        holm,
        kolmogorov_smirnov,
        p_farther,
        welch_test,
    )
    from kumi.study.statistics.fits import (
        FittedLine,
        Law,
        PowerLaw,
        line_through,
        power_law,
        ratio_of,
        scaling,
    )
    from kumi.study.statistics.intervals import (
        BatchMeans,
        Interval,
        batch_means,
        interval,
        proportion,
        student_interval,
    )
    from kumi.study.statistics.paired import Paired, paired
    from kumi.study.statistics.series import Band, WarmUp, band, sampled, warm_up_mser5, warm_up_welch
    from kumi.study.statistics.stopping import Precision, StopVerdict
    from kumi.study.statistics.survival import (
        Censored,
        EventTime,
        Quantile,
        Step,
        Survival,
        kaplan_meier,
        restricted_values,
    )
    from kumi.study.statistics.values import StatisticsError

__all__ = [
    "Band",
    "BatchMeans",
    "Censored",
    "Compared",
    "Difference",
    "EventTime",
    "FittedLine",
    "Interval",
    "Law",
    "LogRank",
    "Paired",
    "PairedLogRank",
    "PowerLaw",
    "Precision",
    "Quantile",
    "StatisticsError",
    "Step",
    "StopVerdict",
    "Survival",
    "WarmUp",
    "band",
    "batch_means",
    "compare",
    "holm",
    "interval",
    "kaplan_meier",
    "kolmogorov_smirnov",
    "line_through",
    "log_rank",
    "log_rank_in_pairs",
    "p_farther",
    "paired",
    "power_law",
    "proportion",
    "ratio_of",
    "restricted_values",
    "sampled",
    "scaling",
    "stratified_log_rank",
    "student_interval",
    "warm_up_mser5",
    "warm_up_welch",
    "welch_test",
]

lazy(__name__)
