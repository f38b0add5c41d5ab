"""What both models weigh, and what the run held."""

from __future__ import annotations

from speclab.site.blocks import block
from speclab.site.cells import Cells
from speclab.site.html import table


@block
def memory(run_id: str | None = None) -> str:
    """Weights, caches and the peak."""
    cell = Cells(run_id)
    kept = cell.run.record.memory
    resident = "not judged" if kept is None else _resident(kept.weights_resident.value, kept.reason)
    return table(
        f"Memory, run {cell.run.record.id}",
        ("what", "size"),
        "lr",
        (
            ("weights of the target", cell("weight_bytes", ".1f GB", model="target")),
            ("weights of the draft", cell("weight_bytes", ".1f GB", model="draft")),
            ("cache of the target, a token", cell("cache_bytes", ".1f KiB", model="target")),
            ("cache of the draft, a token", cell("cache_bytes", ".1f KiB", model="draft")),
            ("peak of the run", cell("peak_bytes", ".1f GB")),
            ("weights resident", resident),
        ),
    )


def _resident(resident: bool | None, reason: str | None) -> str:
    if resident is None:
        return "not known"
    return "yes" if resident else f"no: {reason}"
