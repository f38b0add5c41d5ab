"""How a run was made: of what, on what, from which source."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from speclab.site.blocks import block
from speclab.site.html import Html, code, facts, said, table, text
from speclab.site.runs import run_of
from speclab.site.standing import standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclab.records.base import Reading
    from speclab.records.machine import Moment
    from speclab.records.run import ModelRecord

T = TypeVar("T")
GB = 1e9


@block
def origin(run_id: str | None = None) -> str:
    """Command, plan, source, times and packages."""
    record = run_of(run_id).record
    packages = Html(", ".join(code(f"{name} {version}") for name, version in sorted(record.packages.items())))
    pairs: list[tuple[str, object]] = [
        ("status", record.status if record.reason is None else Html(f"{record.status}: {said(record.reason)}")),
        ("command", code(record.command)),
        ("plan", f"{record.plan.name}: {record.plan.says}"),
        ("digest of the plan", _digest(record.plan_sha256)),
        ("departures from the plan", ", ".join(record.overrides) or "none"),
        ("fallback", record.fallback or "not taken"),
        ("source", _read(record.commit, _digest)),
        ("edited since that commit", _read(record.dirty, _yes)),
        ("since then", standing(record)),
        ("started", f"{record.started:%Y-%m-%d %H:%M} UTC"),
        ("ended", "not yet" if record.ended is None else f"{record.ended:%Y-%m-%d %H:%M} UTC"),
        ("digest of the rows", "none" if record.results_sha256 is None else _digest(record.results_sha256)),
        ("packages", packages),
    ]
    return facts(f"How run {record.id} was made", pairs)


@block
def machine(run_id: str | None = None) -> str:
    """The machine, and its state at both ends."""
    record = run_of(run_id).record
    made_on, processor = record.machine, record.machine.processor
    pairs: list[tuple[str, object]] = [
        ("processor", _read(processor.model, str)),
        ("cores, threads used", f"{processor.cores}, {processor.threads}"),
        ("governor", _read(processor.governor, str)),
        ("frequency", _read(processor.frequency_mhz, lambda mhz: f"{mhz:.0f} MHz")),
        ("memory", f"{processor.memory_bytes / GB:.1f} GB"),
        ("system, Python", f"{made_on.system}, {made_on.python}"),
    ]
    if made_on.gpu is not None:
        pairs += [
            ("card", f"{made_on.gpu.model}, {made_on.gpu.memory_bytes / GB:.1f} GB"),
            ("multiprocessors", _read(made_on.gpu.multiprocessors, str)),
            ("driver", _read(made_on.gpu.driver, str)),
            ("CUDA", _read(made_on.gpu.cuda, str)),
            ("error correction", _read(made_on.gpu.ecc, _yes)),
        ]
    for when, moment in (("before", made_on.before), ("after", made_on.after)):
        if moment is not None:
            pairs += [(f"{what}, {when}", value) for what, value in _moment(moment, card=made_on.gpu is not None)]
    return facts(f"The machine of run {record.id}", pairs)


@block
def models(run_id: str | None = None) -> str:
    """Both models as they were loaded."""
    record = run_of(run_id).record
    both = (record.target, record.draft)
    rows: list[tuple[str, Callable[[ModelRecord], object]]] = [
        ("name", lambda each: each.name),
        ("from", lambda each: each.source),
        ("numbers", lambda each: each.history),
        ("computed in", lambda each: each.dtype),
        ("parameters", lambda each: f"{each.parameters:,}"),
        ("layers", lambda each: each.layers),
        ("vocabulary", lambda each: f"{each.vocabulary:,}"),
        ("context", lambda each: f"{each.context:,}"),
        ("digest of the weights", lambda each: _read(each.sha256, _digest)),
    ]
    return table(
        f"The pair of run {record.id}",
        ("", "target", "draft"),
        "lll",
        [(name, *(of(each) for each in both)) for name, of in rows],
    )


@block
def prompts(run_id: str | None = None) -> str:
    """The prompts as they were fed."""
    record = run_of(run_id).record
    forms = {"raw": "raw text", "messages": "messages, through the chat template"}
    return table(
        f"The prompts of run {record.id}",
        ("prompt", "kind", "form", "tokens", "licence", "source"),
        "lllrll",
        [
            (each.id, each.kind, forms[each.format], each.tokens, each.licence, each.source)
            for each in record.prompts
        ],
    )


def _moment(moment: Moment, *, card: bool) -> list[tuple[str, object]]:
    others = ", ".join(f"{each.name} {each.share:.0%}" for each in moment.others)
    pairs: list[tuple[str, object]] = [
        ("load", _read(moment.load, lambda load: f"{load:.2f}")),
        ("time given to other guests", _read(moment.steal_seconds, lambda seconds: f"{seconds:.1f} s")),
        ("pages read from disk", _read(moment.major_faults, str)),
        ("free memory", f"{moment.free_memory_bytes / GB:.1f} GB"),
        ("other heavy processes", others or "none"),
    ]
    if card:
        pairs += [
            ("free memory of the card", _read(moment.gpu_free_bytes, lambda free: f"{free / GB:.1f} GB")),
            ("temperature", _read(moment.gpu_temperature, lambda degrees: f"{degrees:.0f} °C")),
            ("clock", _read(moment.gpu_clock_mhz, lambda mhz: f"{mhz:.0f} MHz")),
            ("throttled", _read(moment.gpu_throttle, str)),
            ("other processes on the card", _read(moment.gpu_others, str)),
        ]
    return pairs


def _read(reading: Reading[T], show: Callable[[T], object]) -> Html:
    if reading.value is None:
        return Html(f"<em>{text(f'not known: {reading.reason}')}</em>")
    return text(show(reading.value))


def _digest(digest: str) -> Html:
    return Html(f'<code class="digest">{text(digest)}</code>')


def _yes(value: object) -> str:
    return "yes" if value else "no"
