"""The raw rows themselves: of each experiment the first cell, as it stands in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from speclab.records.reader import RESULTS
from speclab.site.blocks import block
from speclab.site.html import Html, code, text
from speclab.site.runs import run_of

if TYPE_CHECKING:
    from speclab.records.rows import Cell

MOST = 3
"""Entries of a list that are shown; how many there are is said."""
LONGEST = 300
"""Characters of a text that are shown."""


@block
def first_rows(run_id: str | None = None) -> str:
    """The first cell of each experiment, its long lists cut."""
    cells: dict[str, list[Cell]] = {}
    for cell in run_of(run_id).results.cells:
        cells.setdefault(cell.experiment, []).append(cell)
    if not cells:
        return f"<p>{text('No row was kept.')}</p>"
    return "\n".join(_shown(name, group) for name, group in cells.items())


def _shown(name: str, group: list[Cell]) -> Html:
    first = group[0]
    lines = json.dumps(_cut(first.model_dump(mode="json")), indent=1, ensure_ascii=False)
    count = "one cell" if len(group) == 1 else f"the first of {len(group)} cells"
    said = f"{code(name)}: {count}, {code(first.key)}"
    note = f"Lists are cut after {MOST} entries; {RESULTS} holds them all."
    return Html(
        f"<details><summary>{said}</summary>"
        f'<pre class="lab-rows" tabindex="0"><code>{text(lines)}</code></pre>'
        f'<p class="lab-note">{text(note)}</p></details>'
    )


def _cut(held: Any) -> Any:
    """The same with long lists and texts cut, and said to be."""
    if isinstance(held, dict):
        return {key: _cut(each) for key, each in held.items()}
    if isinstance(held, list):
        rest = len(held) - MOST
        return [_cut(each) for each in held[:MOST]] + ([f"… {rest} more"] if rest > 0 else [])
    if isinstance(held, str) and len(held) > LONGEST:
        return f"{held[:LONGEST]}… {len(held) - LONGEST} more characters"
    return held
