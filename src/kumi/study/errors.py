"""What can go wrong with a study, each as one sentence for the person at the keyboard."""

from __future__ import annotations

from kumi.devs.errors import KumiError


class StudyError(KumiError, ValueError):
    """A study that cannot be made: what was asked for, and what is allowed."""


class FolderError(KumiError):
    """A results folder that cannot be used: from another version, of another study, in use, or not writable."""


class Stopped(KumiError):
    """A study that ends before its last run, since going on makes no sense; finished runs are kept."""
