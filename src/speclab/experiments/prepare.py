"""Everything before the first measurement: room, models, prompts, and the estimate of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclab.errors import InputError
from speclab.experiments.estimate import from_passes, from_run
from speclab.experiments.home import without_home
from speclab.experiments.passes import Pace, in_float32, probe
from speclab.experiments.protocol import EncodedPrompt
from speclab.experiments.room import require_disk, require_memory
from speclab.measure.machine import machine
from speclab.measure.peak import forget_peak
from speclab.prompts.encode import encode, ids_sha256
from speclab.records.reader import read_record, run_folders, run_homes
from speclab.records.run import PromptRecord
from speclab.records.same import same_machine

if TYPE_CHECKING:
    from typing import Any

    from speclab.experiments.ask import Ask, Inputs
    from speclab.experiments.bench import Bench
    from speclab.experiments.estimate import Estimate
    from speclab.experiments.watch import Watch
    from speclab.models.load import LoadedPair
    from speclab.prompts.prompt import Prompt
    from speclab.records.machine import Machine
    from speclab.records.plan import Pair, Plan
    from speclab.records.run import RunRecord


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin.

    Attributes:
        plan: With the pair that is really taken.
        pair: Loaded.
        fallback: Why the plan's fallback pair was taken, where it was.
        prompts: Encoded.
        estimate: Of the experiments asked for.
    """

    plan: Plan
    pair: LoadedPair
    fallback: str | None
    prompts: tuple[EncodedPrompt, ...]
    estimate: Estimate


def prepare(ask: Ask, inputs: Inputs, bench: Bench, watch: Watch, *, begun: RunRecord | None = None) -> Prepared:
    """Check the room, load the pair, encode the prompts, estimate the time; tells all of it.

    Args:
        ask: What was asked for.
        inputs: Plan and prompts.
        bench: Models and device.
        watch: Told.
        begun: The run that is gone on with; its pair is taken, and its budget was judged when it began.

    Raises:
        InputError: When something does not fit or is missing, before anything was measured.
    """
    plan = begun.plan if begun else inputs.plan
    watch.say(f"plan {plan.name}: {plan.says}")
    state = bench.state(plan.pair.device)
    earlier = _earlier(ask, inputs, machine(state))
    if ask.overrides.pair:
        watch.say("memory: not known before it is loaded, the pair is not the plan's")
    else:
        # Of a run in several parts only the last one's peak is known.
        whole = earlier.memory if earlier and not earlier.resumed else None
        peak = whole.peak_bytes.value if whole else None
        watch.say(require_memory(plan, state, earlier=peak))
    pair, used, fallback = _load(ask, plan, bench, watch, begun)
    plan = plan.model_copy(update={"pair": used})
    prompts = tuple(_encoded(prompt, pair.tokenizer) for prompt in inputs.prompts)
    estimate = from_run(earlier, prompts) if earlier else _probed(plan, pair, prompts)
    estimate = estimate.only(inputs.experiments)
    watch.say(estimate.line(plan))
    if estimate.hint:
        watch.say(estimate.hint)
    if begun is None:
        estimate.require_within(plan)
    return Prepared(plan, pair, fallback, prompts, estimate)


def _load(
    ask: Ask, plan: Plan, bench: Bench, watch: Watch, begun: RunRecord | None
) -> tuple[LoadedPair, Pair, str | None]:
    """The plan's pair, or its fallback with the reason."""
    try:
        return _bring(ask, plan, plan.pair, bench, watch), plan.pair, begun.fallback if begun else None
    except InputError as error:
        if plan.fallback is None or begun:
            raise
        reason = str(error)
    watch.say(f"{plan.fallback.target} and {plan.fallback.draft} take the place of the plan's pair: {reason}")
    return _bring(ask, plan, plan.fallback, bench, watch), plan.fallback, without_home(reason)


def _bring(ask: Ask, plan: Plan, pair: Pair, bench: Bench, watch: Watch) -> LoadedPair:
    missing = bench.missing(pair)
    watch.say(require_disk(plan, ask.runs, missing))
    for name in missing:
        if ask.fetch is None:
            msg = f"{name} is not here yet: `speclab fetch {' '.join(missing)}` brings it, as --fetch does"
            raise InputError(msg)
        bench.fetch(name, ask.fetch)
    forget_peak()  # what the models took on their way here is no need of the run
    watch.say(f"loading {pair.target} and {pair.draft} in {pair.dtype} on {pair.device}")
    return bench.load(pair)


def _encoded(prompt: Prompt, tokenizer: Any) -> EncodedPrompt:
    ids = encode(prompt, tokenizer)
    record = PromptRecord(
        id=prompt.id,
        kind=prompt.kind,
        format=prompt.format,
        tokens=len(ids),
        ids_sha256=ids_sha256(ids),
        licence=prompt.licence,
        source=prompt.source,
    )
    return EncodedPrompt(record, ids)


def _probed(plan: Plan, pair: LoadedPair, prompts: tuple[EncodedPrompt, ...]) -> Estimate:
    longest = max(*plan.timing.lengths, max(plan.speed.ks) + 1)
    target, draft, ids = pair.target.model, pair.draft.model, prompts[0].ids
    pace = Pace(probe(target, ids, longest), probe(draft, ids, longest, last=1))
    float32 = Pace(in_float32(target, pace.target), in_float32(draft, pace.draft))
    return from_passes(plan, prompts, pace, float32)


def _earlier(ask: Ask, inputs: Inputs, here: Machine) -> RunRecord | None:
    """The newest finished run of exactly this plan, on this machine, that measured everything asked for now."""
    found: list[RunRecord] = []
    for home in run_homes(ask.repository):
        for folder in run_folders(home):
            try:
                record = read_record(folder)
            except InputError:
                continue  # `speclab evidence check` is who complains of it
            plan = record.plan_sha256 == inputs.plan_sha256 and record.overrides == tuple(ask.overrides)
            whole = record.status == "complete" and record.seconds.keys() >= set(inputs.experiments)
            if plan and whole and same_machine(record.machine, here):
                found.append(record)
    return max(found, key=lambda record: record.started, default=None)
