"""What a run is about, and so what its numbers are about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from speclab.evidence.claims import Claim
from speclab.site.blocks import block
from speclab.site.building import current
from speclab.site.html import Html, code, facts, text
from speclab.site.runs import run_link, run_of

if TYPE_CHECKING:
    from speclab.records.reader import Run


@block
def scope(run_id: str | None = None) -> str:
    """Pair, machine, texts and settings of a run, and how many claims stand without an interval."""
    run = run_of(run_id)
    record = run.record
    plan, processor = record.plan, record.machine.processor
    kinds = Counter(prompt.kind for prompt in record.prompts)
    per_kind = sorted(set(kinds.values()))
    samplings = ", ".join(each.name for each in plan.speed.samplings)
    model = processor.model.value or f"not known: {processor.model.reason}"
    pairs: list[tuple[str, object]] = [
        ("run", run_link(record.id)),
        ("target, draft", Html(f"{code(record.target.name)}, {code(record.draft.name)}")),
        ("weights", record.target.history),
        ("computed in", f"{record.target.dtype} on {plan.pair.device}"),
        ("machine", f"{model}, {processor.cores} cores, {processor.threads} threads"),
        ("sequences at a time", "one"),
        ("prompts", f"{len(record.prompts)}: {_range(per_kind)} of each of {len(kinds)} kinds"),
        ("new tokens", f"{plan.speed.new_tokens} of each prompt"),
        ("rounds", plan.speed.rounds),
        ("guesses an iteration", ", ".join(map(str, plan.speed.ks))),
        ("sampling", samplings),
        ("claims without an interval", _without_interval(run)),
    ]
    return facts(f"What run {record.id} is about", pairs)


def _range(counts: list[int]) -> str:
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _without_interval(run: Run) -> Html:
    """Of the claims that rest on this run: how many have none; each says why in the register."""
    register = current().register
    current().ask("claims")
    resting = [
        register.value(claim.id)
        for claim in register.claims.values()
        if isinstance(claim, Claim) and register.value(claim.id).run == run.record.id
    ]
    without = sum(each.low is None for each in resting)
    return text(f"{without} of {len(resting)}, each with the reason in the register")
