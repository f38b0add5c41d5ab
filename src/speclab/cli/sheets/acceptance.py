"""Tables of `speclab acceptance`: how often guesses are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclab.cli.sheets.sheet import Sheet, by_kind, figure, k_columns, row
from speclab.evidence.estimates.blocks import kinds_of, ks_of

if TYPE_CHECKING:
    from speclab.records.reader import Run


def sheets(run: Run) -> tuple[Sheet, ...]:
    """The tables of this command."""
    ks = ks_of(run)
    return (
        alphas(run, ks, kinds_of(run)),
        alphas_by_prompt(run, ks),
        tokens(run, ks),
        positions(run, ks),
        histogram(run, ks),
        dependence(run, ks),
    )


def alphas(run: Run, ks: tuple[int, ...], kinds: tuple[str, ...]) -> Sheet:
    """Alpha by kind and k; the last row pools all iterations."""
    title = "Alpha = accepted / (accepted + rejections); in brackets the 95 % interval over the prompts"
    return Sheet(title, ("kind", *k_columns(ks)), by_kind(run, "alpha", ".3f", ks, kinds))


def alphas_by_prompt(run: Run, ks: tuple[int, ...]) -> Sheet:
    """Alpha by prompt and k."""
    rows = tuple(
        row(each.id, each.kind, *(figure(run, "alpha", ".3f", k=k, prompt=each.id) for k in ks))
        for each in run.record.prompts
    )
    return Sheet("Alpha by prompt", ("prompt", "kind", *k_columns(ks)), rows)


def tokens(run: Run, ks: tuple[int, ...]) -> Sheet:
    """Tokens per iteration, counted and by formula, beside the counts that they rest on."""
    rows = tuple(
        row(
            str(k),
            figure(run, "iterations", ".0f", k=k),
            figure(run, "alpha", ".3f", k=k),
            figure(run, "accepted_share", ".3f", k=k),
            figure(run, "tokens_per_iteration", ".2f", k=k),
            figure(run, "tokens_by_formula", ".2f", k=k),
        )
        for k in ks
    )
    columns = ("k", "complete iterations", "alpha", "accepted / proposed", "tokens per iteration", "by formula")
    return Sheet("Tokens per iteration; the target's own token is among them", columns, rows)


def positions(run: Run, ks: tuple[int, ...]) -> Sheet:
    """How often the proposal at a position stands, where the check got that far."""
    places = range(1, max(ks) + 1)
    rows = tuple(
        row(
            str(k),
            *("" if place > k else figure(run, "position_rate", ".3f", k=k, position=place) for place in places),
        )
        for k in ks
    )
    return Sheet("Rate by position, where it was reached", ("k", *map(str, places)), rows)


def histogram(run: Run, ks: tuple[int, ...]) -> Sheet:
    """Share of iterations by the number accepted."""
    counts = range(max(ks) + 1)
    rows = tuple(
        row(
            str(k),
            *("" if count > k else figure(run, "histogram_share", ".1%", k=k, accepted=count) for count in counts),
        )
        for k in ks
    )
    return Sheet("Share of iterations that accepted so many", ("k", *map(str, counts)), rows)


def dependence(run: Run, ks: tuple[int, ...]) -> Sheet:
    """Whether one iteration tells of the next, over all texts and within each."""
    rows = tuple(
        row(str(k), *(figure(run, "autocorrelation", ".2f", k=k, centre=centre) for centre in ("all", "each")))
        for k in ks
    )
    title = "Autocorrelation of the accepted count from one iteration to the next"
    return Sheet(title, ("k", "all texts together", "within a text"), rows)
