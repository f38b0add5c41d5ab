"""What both models weigh, and what the run held."""

from __future__ import annotations

from speclab.evidence.estimates.sizes import cache_bytes, peak_bytes, weight_bytes
from speclab.site.blocks import block
from speclab.site.html import shown, table
from speclab.site.runs import run_of


@block
def memory(run_id: str | None = None) -> str:
    """Weights, caches and the peak."""
    run = run_of(run_id)
    kept = run.record.memory
    resident = "not judged" if kept is None else _resident(kept.weights_resident.value, kept.reason)
    return table(
        f"Memory, run {run.record.id}",
        ("what", "size"),
        "lr",
        (
            ("weights of the target", shown(weight_bytes(run, model="target"), ".2f GB")),
            ("weights of the draft", shown(weight_bytes(run, model="draft"), ".2f GB")),
            ("cache of the target, a token", shown(cache_bytes(run, model="target"), ".1f KiB")),
            ("cache of the draft, a token", shown(cache_bytes(run, model="draft"), ".1f KiB")),
            ("peak of the run", shown(peak_bytes(run), ".2f GB")),
            ("weights resident", resident),
        ),
    )


def _resident(resident: bool | None, reason: str | None) -> str:
    if resident is None:
        return "not known"
    return "yes" if resident else f"no: {reason}"
