"""What sampling does to acceptance and speed, in a run that has more than one."""

from __future__ import annotations

from speclab.evidence.estimates.blocks import ks_of, samplings_of
from speclab.site.blocks import block
from speclab.site.cells import Cells
from speclab.site.html import table


@block
def samplings(run_id: str | None = None) -> str:
    """Acceptance and speed-up by sampling and k, each against plain decoding under the same sampling."""
    cell = Cells(run_id)
    rows = [
        (
            f"{name}, k = {k}",
            cell("alpha", ".2f", k=k, sampling=name),
            cell("speedup", ".2f", k=k, sampling=name),
            cell("noise_floor", ".3f", sampling=name),
            cell("disturbed_in_use", ".0f", sampling=name),
        )
        for name in samplings_of(cell.run)
        for k in ks_of(cell.run)
    ]
    return table(
        f"By sampling, run {cell.run.record.id}",
        ("", "acceptance rate", "speed-up", "plain against plain", "disturbed blocks that count"),
        "lrrrr",
        rows,
        note="The same prompts under each sampling; what is written differs. The other tables of this page are "
        "about the first one.",
    )
