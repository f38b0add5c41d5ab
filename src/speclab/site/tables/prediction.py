"""The formula against the measurement."""

from __future__ import annotations

from speclab.evidence.estimates.blocks import ks_of
from speclab.site.blocks import block
from speclab.site.cells import Cells
from speclab.site.html import table


@block
def predictions(run_id: str | None = None) -> str:
    """Measured speed-up, the formula from a block's own numbers, and from what is known before."""
    cell = Cells(run_id)
    rows = [
        (
            f"k = {k}",
            cell("speedup", ".2f", k=k),
            cell("decomposed_speedup", ".2f", k=k),
            cell("decomposition_error", ".0%", k=k),
            cell("predicted_speedup", ".2f", k=k),
            cell("prediction_error", ".0%", k=k),
        )
        for k in ks_of(cell.run)
    ]
    return table(
        f"The formula against the measurement, all kinds, run {cell.run.record.id}",
        ("", "measured", "decomposition", "off by", "prediction", "off by"),
        "lrrrrr",
        rows,
        note="Decomposition: from each block's own acceptance, step times and overhead. Prediction: from the "
        "times of passes, and the acceptance of the other prompts. Above 0, the formula promises too much.",
    )
