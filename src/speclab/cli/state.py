"""What a run is, in a word or two: how far it came, and whether it is a whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.records.lock import measured_now

if TYPE_CHECKING:
    from speclab.records.run import RunRecord


def status(record: RunRecord) -> str:
    """The status that the record names, or `killed` where it says running and nothing measures it."""
    killed = record.status == "running" and measured_now() != record.id
    return "killed" if killed else record.status


def is_part(record: RunRecord) -> bool:
    """Whether it was to measure less than its plan has, as the run of a single command does."""
    return record.experiments != record.plan.experiments


def plan(record: RunRecord) -> str:
    """The plan, with the experiments in brackets where the run is a part of it."""
    return f"{record.plan.name} ({', '.join(record.experiments)})" if is_part(record) else record.plan.name
