"""Records and verdicts as one page for people: `write_report`."""

from recombine.reports.report import write_report

__all__ = ["write_report"]
