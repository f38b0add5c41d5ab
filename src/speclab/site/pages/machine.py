"""The page of this machine: its newest run, or how to make one."""

from __future__ import annotations

from speclab.records.reader import read_run
from speclab.site.building import current
from speclab.site.html import Html, code, text
from speclab.site.pages.run import NOT_SEARCHED, run_sections
from speclab.site.runs import newest

SESSION = "this-machine"
_HOW = """There is no run of this machine yet. This makes one, and puts it on this page:

```console
python -m pip install nox && nox -s evidence
```

Without a graphics card it takes the plan `quick`. Runs are kept in `runs/`; a run that `speclab evidence adopt`
moved to `research/runs/` has a page of its own, named in the [register](evidence/register.md).
"""


def machine_page() -> str:
    """Markdown of the page."""
    building = current()
    folder, unreadable = newest(building.root)
    lines = ["# This machine", ""]
    if unreadable:
        lines += [Html("<p>A run in ") + code("runs/") + f" cannot be read. {text('; '.join(unreadable))}</p>", ""]
    if folder is None:
        return "\n".join([*lines, _HOW])
    run = read_run(folder)
    building.runs[run.record.id] = run
    lines[0] = f"{NOT_SEARCHED}{lines[0]}"
    lines += [f"The newest run that was made here, `{run.record.id}`; it is not adopted.", ""]
    return "\n".join([*lines, run_sections(run, session=SESSION, raw=SESSION)])
