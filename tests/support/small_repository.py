"""A small repository of evidence: a plan, a register, reported and given figures, and simulated runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthetic import plan_text, synthetic_plan, synthetic_run, write_run

if TYPE_CHECKING:
    from pathlib import Path

    from speclab.records.run import RunRecord

CLAIM = """
[[claim]]
id = "{id}"
says = "what {id} is"
estimate = "{estimate}"
where = {{ {where} }}
format = "{format}"
{more}
"""
GIVEN = """
[[given]]
id = "least.gain"
says = "the least gain worth the memory"
value = 1.1
format = ".1f"
reason = "below it nobody would notice"
"""
PUBLISHED = """
[source]
what = "a chapter by others"

[speed]
prose = { k4 = 0.94, k6 = 0.770 }
best = "at k of 2"
ks = [1, 2]
"""


def claim(name: str, estimate: str, where: str = "", form: str = ".2f", **more: str) -> str:
    """One entry of the register; `more` are further keys with text values."""
    lines = "\n".join(f'{key} = "{value}"' for key, value in more.items())
    return CLAIM.format(id=name, estimate=estimate, where=where, format=form, more=lines)


def small_repository(root: Path, *entries: str) -> Path:
    """Make one with these entries in its register, the plan `quick`, and no run."""
    research = root / "research"
    (research / "runs").mkdir(parents=True)
    (research / "plans").mkdir()
    (research / "published").mkdir()
    (research / "plans" / "quick.toml").write_text(plan_text(synthetic_plan()), encoding="utf-8")
    (research / "published" / "others.toml").write_text(PUBLISHED, encoding="utf-8")
    (research / "given.toml").write_text(GIVEN, encoding="utf-8")
    (research / "register.toml").write_text("# By hand.\n" + "".join(entries), encoding="utf-8")
    (research / "current.toml").write_text("[runs]\n", encoding="utf-8")
    return root


def new_run(root: Path, run_id: str, *, slow: float = 1.0, seed: int = 0, **changes: object) -> RunRecord:
    """Put a simulated run into `runs/`; `changes` are of its record."""
    record, results = synthetic_run(run_id, slow=slow, seed=seed)
    record = record.model_copy(update=changes)
    write_run(root / "runs" / run_id, record, results)
    return record
