"""Playback of recorded generations, a moment at a time: nothing moves unless the reader moves it.

Everything that is shown stands in the page already, escaped; the script hides and shows it. What it is told beside
that is numbers alone, never a text that a model made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from speclab.site.blocks import block
from speclab.site.escape import escape
from speclab.site.html import Html, code, table, text, token
from speclab.site.interactive.recording import recordings
from speclab.site.runs import run_link, run_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclab.site.interactive.recording import Recording, Step

_BUTTONS = (
    ("start", "Start"),
    ("back", "Back"),
    ("next", "Next"),
    ("iteration", "Next iteration"),
    ("end", "End"),
)

_METERS = (
    ("target's cache", "target", "tokens"),
    ("draft's cache", "draft", "tokens"),
    ("with guesses", "clock", "ms"),
    ("plain, as many tokens", "plain", "ms"),
)
_KEYS = "Playback: the arrow keys step, Home and End jump"


class Moment(NamedTuple):
    """What is to be seen at one moment.

    Attributes:
        iteration: Which one, from 0.
        phase: 0 before the first, 1 guessing, 2 checked, 3 cut back.
        guesses: How many of its guesses are there.
        written: Tokens of the output that stand.
        target: Tokens in the target's cache.
        draft: Tokens in the draft's.
        clock: Milliseconds of this arm; it moves when a part of an iteration ends.
        plain: Milliseconds that plain decoding took for as many tokens.
    """

    iteration: int
    phase: int
    guesses: int
    written: int
    target: int
    draft: int
    clock: float
    plain: float


@block
def playback(run_id: str | None = None) -> str:
    """One recorded generation of each kind that the plan names, token by token, with a table of the same."""
    run = run_of(run_id)
    found = recordings(run)
    choice = "".join(_choice(each.kind) for each in found)
    note = (
        text("Recorded, not made up: run ")
        + run_link(run.record.id)
        + text(
            ". The clocks hold what was timed: guessing, checking and cutting back as a whole, in milliseconds, "
            "without prefill. Plain's clock is that of as many tokens of the same prompt."
        )
    )
    return (
        '<div class="lab-playback">'
        f'<div class="lab-choice" role="group" aria-label="Kind of text" hidden>{choice}</div>'
        f'{"".join(_section(each) for each in found)}<p class="lab-note">{note}</p></div>'
    )


def moments(recording: Recording) -> Iterator[Moment]:
    """From before the first guess to the end, in order."""
    written, plain = 0, 0.0
    first = recording.steps[0]
    yield Moment(0, 0, 0, 0, *first.caches[0], first.clocks[0], plain)
    for index, step in enumerate(recording.steps):
        before, guessed, checked, cut = step.caches
        count = len(step.guesses)
        for made in range(1, count + 1):
            last = made == count
            held = guessed[1] - (count - made)
            yield Moment(index, 1, made, written, before[0], held, step.clocks[1 if last else 0], plain)
        yield Moment(index, 2, count, written, *checked, step.clocks[2], plain)
        written, plain = written + step.committed, step.plain
        yield Moment(index, 3, count, written, *cut, step.clocks[3], plain)


def _choice(kind: str) -> str:
    of = escape(kind, "attribute")
    return f'<button type="button" data-kind="{of}" aria-pressed="false">{text(kind)}</button>'


def _meter(label: str, shown: str, unit: str) -> str:
    """A number and a bar, which the script fills."""
    bar = f'<meter data-meter="{shown}" min="0" max="1" value="0" aria-label="{label}"></meter>'
    return f'<div><dt>{label}</dt><dd><span data-show="{shown}">0</span> {unit}{bar}</dd></div>'


def _section(recording: Recording) -> str:
    """One generation: the player, which the script uncovers, and the table."""
    name = f"playback-{recording.prompt}"
    told = ";".join(" ".join(f"{value:.6g}" for value in each) for each in moments(recording))
    kind = escape(recording.kind, "attribute")
    buttons = "".join(f'<button type="button" data-go="{go}">{label}</button>' for go, label in _BUTTONS)
    meters = "".join(_meter(*each) for each in _METERS)
    return (
        f'<section class="lab-recording" data-kind="{kind}" data-moments="{told}" aria-labelledby="{name}">'
        f'<p id="{name}"><strong>{text(recording.kind)}</strong>: {len(recording.steps)} iterations at '
        f"k = {recording.k}, prompt {code(recording.prompt)}</p>"
        f'<div class="lab-player" role="group" tabindex="0" aria-label="{_KEYS}" hidden>'
        f'<p class="lab-text"><span class="lab-prompt">{"".join(map(token, recording.prompt_end))}</span>'
        f'<span class="lab-output">{"".join(_output(recording))}</span></p>'
        f"{''.join(_guesses(step) for step in recording.steps)}"
        f'<p class="lab-caption" aria-live="polite"></p><dl class="lab-meters">{meters}</dl>'
        f'<div class="lab-buttons">{buttons}</div></div>'
        f"<details open><summary>The same as a table</summary>{_table(recording)}</details></section>"
    )


def _output(recording: Recording) -> Iterator[Html]:
    """Every token of the output, in order."""
    for step in recording.steps:
        yield from (token(each) for each in step.guesses[: step.kept])
        if step.own is not None:
            yield token(step.own)


def _guesses(step: Step) -> str:
    """The guesses of an iteration and the target's own token, which the script shows one after another."""
    guesses = "".join(
        f'<span data-guess="{"kept" if place < step.kept else "refused"}">{token(each)}</span>'
        for place, each in enumerate(step.guesses)
    )
    own = "" if step.own is None else f'<span data-own="{_role(step)}">{token(step.own)}</span>'
    return f'<p class="lab-guesses" hidden>{guesses}{own}</p>'


def _role(step: Step) -> str:
    """What the target's own token is."""
    if not step.guesses:
        return "step"
    return "bonus" if step.kept == len(step.guesses) else "correction"


def _table(recording: Recording) -> Html:
    rows = []
    for number, step in enumerate(recording.steps, 1):
        refused = step.guesses[step.kept :]
        rows.append(
            (
                str(number),
                Html(" ".join(map(token, step.guesses[: step.kept])) or "–"),
                Html(" ".join(map(token, refused)) or "–"),
                Html("–" if step.own is None else f"{token(step.own)} {_role(step)}"),
                f"{step.caches[2][0]} → {step.caches[3][0]}",
                f"{step.caches[2][1]} → {step.caches[3][1]}",
                f"{step.clocks[-1]:.0f}",
                f"{step.plain:.0f}",
            )
        )
    columns = ("", "kept", "refused", "the target's own", "target's cache", "draft's cache", "ms", "plain, ms")
    return table(f"Every iteration on {recording.prompt}", columns, "llllllrr", rows)
