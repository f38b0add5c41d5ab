"""The page of the discarded runs, with the reason for each."""

from __future__ import annotations

from speclab.records.reader import run_homes
from speclab.site.building import current
from speclab.site.html import Html, code, link, said, table

_INTRODUCTION = """# Discarded runs

A run that must not be cited stays in the register with the reason. The program discards a run whose weights were
not in memory, or most of whose blocks other programs disturbed; `speclab evidence discard RUN` enters it here with
that reason. With `--reason` it is for what no program can see. No number of any page may come from one of these:
the build fails.
"""


def discarded_page() -> str:
    """Markdown of the page."""
    building = current()
    discards = building.register.discards
    if not discards:
        return f"{_INTRODUCTION}\nNone so far.\n"
    _, kept = run_homes(building.root)
    rows = [
        (Html(f'<span id="{run_id}">{_name(run_id, there=(kept / run_id).is_dir())}</span>'), said(discard.reason))
        for run_id, discard in discards.items()
    ]
    return f"{_INTRODUCTION}\n{table('Discarded runs and why', ('run', 'reason'), 'll', rows)}\n"


def _name(run_id: str, *, there: bool) -> Html:
    return link(f"/evidence/runs/{run_id}.md", code(run_id)) if there else code(run_id)
