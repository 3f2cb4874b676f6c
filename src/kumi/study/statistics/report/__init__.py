"""A report on a study, as HTML and Markdown with plots, from its results alone."""

from kumi.study.statistics.report.writing import Written, compose, write_report

__all__ = ["Written", "compose", "write_report"]
