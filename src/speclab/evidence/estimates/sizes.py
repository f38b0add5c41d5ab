"""What the two models weigh, and what the run held: numbers of the record, not of the rows."""

from speclab.evidence.estimates.estimate import Estimate, Unit
from speclab.evidence.estimates.registry import named
from speclab.records.reader import Run
from speclab.records.rows import ModelRole
from speclab.records.run import ModelRecord

_COUNTED = "counted, not sampled"


def model_of(run: Run, model: ModelRole) -> ModelRecord:
    """The record of one of the two models."""
    return run.record.target if model == "target" else run.record.draft


@named("given")
def ratio_of_bytes(run: Run) -> Estimate:
    """Bytes of the draft's weights / bytes of the target's, as loaded."""
    return _exact(run.record.draft.weight_bytes / run.record.target.weight_bytes, "ratio")


@named("given")
def ratio_of_parameters(run: Run) -> Estimate:
    """Parameters of the draft / parameters of the target, as loaded."""
    return _exact(run.record.draft.parameters / run.record.target.parameters, "ratio")


@named("given")
def ratio_of_layers(run: Run) -> Estimate:
    """Layers of the draft / layers of the target."""
    return _exact(run.record.draft.layers / run.record.target.layers, "ratio")


@named("given")
def weight_bytes(run: Run, *, model: ModelRole) -> Estimate:
    """Bytes of one model's weights, as loaded."""
    return _exact(model_of(run, model).weight_bytes, "bytes")


@named("given")
def parameters(run: Run, *, model: ModelRole) -> Estimate:
    """Parameters of one model, as loaded."""
    return _exact(model_of(run, model).parameters, "count")


@named("given")
def layers(run: Run, *, model: ModelRole) -> Estimate:
    """Layers of one model."""
    return _exact(model_of(run, model).layers, "count")


@named("given")
def cache_bytes(run: Run, *, model: ModelRole, tokens: int = 1) -> Estimate:
    """Bytes that one model's key-value cache takes for so many tokens."""
    return _exact(model_of(run, model).cache_bytes_per_token * tokens, "bytes")


@named()
def peak_bytes(run: Run) -> Estimate:
    """The most memory that the run held: resident size of the process, on a GPU what was allocated on the card."""
    memory = run.record.memory
    if memory is None or memory.peak_bytes.value is None:
        reason = memory.peak_bytes.reason if memory else "the run ended before its memory was read"
        return Estimate(value=None, n=0, of="runs", unit="bytes", reason=reason)
    return Estimate(
        value=memory.peak_bytes.value, n=1, of="runs", unit="bytes", reason="one reading of one run has no spread"
    )


@named()
def run_minutes(run: Run) -> Estimate:
    """Minutes from the start of the run to its end; of a run that paused, those of its experiments."""
    record = run.record
    if record.ended is None:
        return Estimate(value=None, n=0, of="runs", unit="minutes", reason="the run has not ended")
    spent = sum(record.seconds.values()) if record.resumed else (record.ended - record.started).total_seconds()
    return Estimate(value=spent / 60, n=1, of="runs", unit="minutes", reason="one run has no spread")


@named("given")
def prompt_count(run: Run, *, kind: str | None = None) -> Estimate:
    """Prompts of the run, or those of one kind."""
    return _exact(sum(kind in (None, each.kind) for each in run.record.prompts), "count")


def _exact(number: float, unit: Unit) -> Estimate:
    return Estimate(value=number, n=1, of="records", unit=unit, reason=_COUNTED)
