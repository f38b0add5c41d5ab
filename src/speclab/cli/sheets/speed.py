"""Tables of `speclab speed`: how much faster, by k and kind, and where the time goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import ALL, Sheet, by_kind, figure, k_columns, row
from speclab.evidence.estimates.blocks import kinds_of, ks_of

if TYPE_CHECKING:
    from speclab.records.reader import Run

DECOMPOSITION = "Decomposition: the formula with the block's own alpha, step times and overhead"
PREDICTION = "Prediction: the formula with c, v(n) and the alpha of other prompts, before switching it on"


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command."""
    ks, kinds = ks_of(run), kinds_of(run)
    return (
        speedups(run, ks, kinds),
        with_prefill(run, ks, kinds),
        baseline(run, kinds),
        explained(run, DECOMPOSITION, ("decomposed_speedup", "decomposition_error"), ks, kinds),
        explained(run, PREDICTION, ("predicted_speedup", "prediction_error"), ks, kinds),
        shares(run, ks),
    )


def speedups(run: Run, ks: tuple[int, ...], kinds: tuple[str, ...]) -> Sheet:
    """Speed-up by kind and k, with every kind weighing the same in the last row."""
    title = "Speed-up against plain decoding, prefill apart; in brackets the 95 % interval over the prompts"
    return Sheet(title, ("kind", *k_columns(ks)), by_kind(run, "speedup", ".2f", ks, kinds))


def with_prefill(run: Run, ks: tuple[int, ...], kinds: tuple[str, ...]) -> Sheet:
    """The same from the start of the prompt: plain takes it in once, an arm once for each model."""
    title = "Speed-up with prefill"
    return Sheet(title, ("kind", *k_columns(ks)), by_kind(run, "end_to_end_speedup", ".2f", ks, kinds))


def baseline(run: Run, kinds: tuple[str, ...]) -> Sheet:
    """What the speed-ups stand on: the plain arms, and what two identical arms differ by."""
    names = {"plain_tokens_per_second": ".2f", "noise_floor": ".4f", "best_k": ".0f"}
    chosen: tuple[str | None, ...] = (*kinds, None)
    rows = tuple(
        row(kind or ALL, *(figure(run, name, form, kind=kind) for name, form in names.items())) for kind in chosen
    )
    disturbed, repeated = figure(run, "disturbed_blocks", ".0f"), figure(run, "repeated_blocks", ".0f")
    title = f"Plain decoding; of {disturbed.found.n} blocks {disturbed} disturbed, {repeated} repeated"
    unjudged = figure(run, "unjudged_blocks", ".0f")
    if unjudged.found.value:
        title += f", {unjudged} too short for a drift to show"
    return Sheet(title, ("kind", "tokens/s", "plain / plain, the noise floor", "best k"), rows)


def explained(run: Run, title: str, names: tuple[str, str], ks: tuple[int, ...], kinds: tuple[str, ...]) -> Sheet:
    """A formula and its error beside the measurement."""
    formula, error = names
    chosen: tuple[str | None, ...] = (*kinds, None)
    rows = tuple(
        row(
            kind or ALL,
            str(k),
            figure(run, "speedup", ".2f", k=k, kind=kind),
            figure(run, formula, ".2f", k=k, kind=kind),
            figure(run, error, ".1%", k=k, kind=kind),
        )
        for kind in chosen
        for k in ks
    )
    return Sheet(title, ("kind", "k", "measured", "by formula", "error of the formula"), rows)


def shares(run: Run, ks: tuple[int, ...]) -> Sheet:
    """Where the time of an iteration goes."""
    names = ("draft_share", "verify_share", "overhead_share", "rollback_share")
    rows = tuple(row(str(k), *(figure(run, name, ".1%", k=k) for name in names)) for k in ks)
    columns = ("k", "drafting", "check", "overhead", "of that, rollback")
    return Sheet("Share of decode time", columns, rows)
