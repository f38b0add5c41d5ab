"""A whole run that never took place, for tests of what comes after measuring."""

from __future__ import annotations

import hashlib
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import tomli_w

from speclab.records.base import Reading
from speclab.records.files import write_atomic
from speclab.records.machine import Machine, Moment, Processor
from speclab.records.plan import (
    DisagreementPlan,
    DistributionPlan,
    DivergencePlan,
    MarginsPlan,
    Pair,
    Plan,
    SamplingPlan,
    SpeedPlan,
    TimingPlan,
    TracesPlan,
)
from speclab.records.rows import Results
from speclab.records.run import Memory, ModelRecord, PromptRecord, RunRecord
from synthetic_draws import disagreement_cell, distribution_cell
from synthetic_margins import margins_cell
from synthetic_outputs import divergence_cell
from synthetic_rows import ALPHA, Speeds, speed_cell, timing_cells, trace_cell
from synthetic_walks import walk_cells

if TYPE_CHECKING:
    from pathlib import Path

KINDS = tuple(ALPHA)
STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def synthetic_plan(
    *,
    prompts_per_kind: int = 1,
    name: str = "quick",
    rounds: int = 1,
    ks: tuple[int, ...] = (1, 2, 4),
    samplings: tuple[SamplingPlan, ...] = (SamplingPlan(),),
) -> Plan:
    """The plan `quick`, with as many prompts a kind as asked for, and at other k or samplings where asked."""
    return Plan(
        name=name,
        says="a simulated run",
        pair=Pair(target="big", draft="small", dtype="bfloat16"),
        prompts=tuple(f"{kind}-{n}" for n in range(1, prompts_per_kind + 1) for kind in KINDS),
        timing=TimingPlan(lengths=(1, 2, 3, 5, 9, 17, 33), cycles=15),
        speed=SpeedPlan(ks=ks, rounds=rounds, new_tokens=32, samplings=samplings),
        traces=TracesPlan(kinds=("prose", "code", "json"), k=4),
        divergence=DivergencePlan(),
        distribution=DistributionPlan(contexts_per_kind=1, seeds=1),
        disagreement=DisagreementPlan(contexts_per_prompt=1),
        margins=MarginsPlan(prompts_per_kind=1, new_tokens=8, lengths=(2, 5, 9)),
        budget_minutes=15,
        memory_gb=12,
        disk_gb=10,
    )


def synthetic_run(
    run_id: str = "quick-synthetic",
    *,
    seed: int = 0,
    prompts_per_kind: int = 1,
    slow: float = 1.0,
    plan: Plan | None = None,
) -> tuple[RunRecord, Results]:
    """A complete run of the plan `quick`, or of another, from a seeded simulation.

    Args:
        run_id: Its id.
        seed: Of the simulation; the same seed gives the same rows.
        prompts_per_kind: Prompts of each of the six kinds.
        slow: Factor on every draft step: 1 pays nearly everywhere, 3 pays nowhere.
        plan: Another plan, with prompts named `kind-number`.
    """
    plan = plan or synthetic_plan(prompts_per_kind=prompts_per_kind)
    dice = random.Random(seed)
    speeds = Speeds(dice, slow)
    prompts = [(name.rsplit("-", 1)[0], int(name.rsplit("-", 1)[1])) for name in plan.prompts]
    contexts = [each for each in prompts if each[1] <= plan.distribution.contexts_per_kind]
    cells = (
        *timing_cells(plan, speeds),
        *(
            speed_cell(plan, *each, turn, speeds, sampling)
            for turn in range(plan.speed.rounds)
            for each in prompts
            for sampling in plan.speed.samplings
        ),
        *(trace_cell(plan, kind) for kind in (plan.traces.kinds if plan.traces else ())),
        *(divergence_cell(plan, *each) for each in prompts),
        *(distribution_cell(plan, *each, s, dice) for s in range(plan.distribution.seeds) for each in contexts),
        *(disagreement_cell(plan, *each, dice) for each in prompts if plan.disagreement),
        *walk_cells(),
        *(
            margins_cell(plan.margins, *each, dice)
            for each in prompts
            if plan.margins and each[1] <= plan.margins.prompts_per_kind
        ),
    )
    results = Results(run=run_id, cells=cells)
    return _record(run_id, plan), results


def write_run(folder: Path, record: RunRecord, results: Results) -> None:
    """Write both files as a finished run has them, the digest of the rows in the record."""
    rows = results.model_dump_json(indent=1) + "\n"
    sealed = record.model_copy(update={"results_sha256": hashlib.sha256(rows.encode()).hexdigest()})
    write_atomic(folder / "results.json", rows)
    write_atomic(folder / "run.json", sealed.model_dump_json(indent=1) + "\n")


def plan_text(plan: Plan) -> str:
    """The plan as a file `research/plans/<name>.toml`, whose digest is the one in a simulated run's record."""
    return tomli_w.dumps(plan.model_dump(mode="json", exclude_none=True))


def _record(run_id: str, plan: Plan) -> RunRecord:
    return RunRecord(
        id=run_id,
        command=f"speclab evidence run --plan {plan.name}",
        plan=plan,
        plan_sha256=hashlib.sha256(plan_text(plan).encode()).hexdigest(),
        experiments=plan.experiments,
        sources={"src/speclab/decoding/loop.py": "cd" * 32},
        commit=Reading[str](value="ef" * 20),
        dirty=Reading[bool](value=False),
        packages={"torch": "2.13.0", "transformers": "5.24.0"},
        machine=_machine(),
        target=_model("big", 1_777_000_000, 28),
        draft=_model("small", 630_000_000, 24),
        prompts=tuple(
            PromptRecord(
                id=prompt,
                kind=prompt.rsplit("-", 1)[0],
                format="messages" if prompt.startswith("chat") else "raw",
                tokens=60,
                ids_sha256=hashlib.sha256(prompt.encode()).hexdigest(),
                licence="CC-BY-4.0",
                source="ours",
            )
            for prompt in plan.prompts
        ),
        memory=Memory(peak_bytes=Reading[int](value=6_200_000_000), weights_resident=Reading[bool](value=True)),
        started=STARTED,
        ended=STARTED + timedelta(minutes=8),
        status="complete",
    )


def _model(name: str, parameters: int, layers: int) -> ModelRecord:
    return ModelRecord(
        name=name,
        source="catalogue",
        sha256=Reading[str](value=hashlib.sha256(name.encode()).hexdigest()),
        dtype="bfloat16",
        history="Q4_K_M dequantised to bfloat16",
        parameters=parameters,
        weight_bytes=2 * parameters,
        layers=layers,
        vocabulary=151_665,
        context=32_768,
        cache_bytes_per_token=28_672 if name == "big" else 12_288,
    )


def _machine() -> Machine:
    no_card = "no card"
    moment = Moment(
        load=Reading[float](value=0.4),
        steal_seconds=Reading[float](value=0.0),
        major_faults=Reading[int](value=3),
        free_memory_bytes=20_000_000_000,
        others=(),
        gpu_free_bytes=Reading[int](reason=no_card),
        gpu_temperature=Reading[float](reason=no_card),
        gpu_clock_mhz=Reading[float](reason=no_card),
        gpu_throttle=Reading[str](reason=no_card),
        gpu_others=Reading[int](reason=no_card),
    )
    processor = Processor(
        model=Reading[str](value="Simulated CPU"),
        cores=2,
        threads=2,
        governor=Reading[str](reason="not readable here"),
        frequency_mhz=Reading[float](value=2400.0),
        memory_bytes=25_000_000_000,
    )
    return Machine(system="Linux", python="3.11", processor=processor, gpu=None, before=moment, after=moment)
