"""The run itself: how it was made, of what, and how it ended. The file `run.json`, format 1."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from speclab.records.base import Reading, Record
from speclab.records.machine import Machine
from speclab.records.plan import Plan

RUN_ID = r"^[a-z0-9][a-z0-9.-]{0,80}$"
Status: TypeAlias = Literal["running", "interrupted", "complete", "failed", "discarded"]


class ModelRecord(Record):
    """One model as it was loaded."""

    name: str
    source: str
    """Where it came from: catalogue, hub, folder or GGUF file, without a path of this machine."""
    sha256: Reading[str]
    """Digest of the weights' file or files."""
    dtype: str
    history: str
    """What the numbers went through, for instance `Q4_K_M dequantised to bfloat16`."""
    parameters: int
    weight_bytes: int
    layers: int
    vocabulary: int
    context: int
    cache_bytes_per_token: int


class PromptRecord(Record):
    """A prompt as it was fed."""

    id: str
    kind: str
    format: Literal["raw", "messages"]
    """Raw text, or messages through the model's chat template."""
    tokens: int
    ids_sha256: str
    licence: str
    source: str


class Memory(Record):
    """Bytes that the run held."""

    peak_bytes: Reading[int]
    """Largest resident size of the process (on a GPU: largest allocation on the card)."""
    weights_resident: Reading[bool]
    reason: str | None = None
    """Why the weights were judged not resident."""
    warnings: tuple[str, ...] = ()
    """What was close to too much memory, without having spoilt a time."""


class RunRecord(Record):
    """Everything about a run but its rows."""

    format: Literal[1] = 1
    id: Annotated[str, Field(pattern=RUN_ID)]
    command: str
    plan: Plan
    plan_sha256: str
    overrides: tuple[str, ...] = ()
    """Options that departed from the plan; a run with any is never adopted."""
    fallback: str | None = None
    """Why the plan's fallback pair was taken, where it was."""
    experiments: tuple[str, ...]
    sources: dict[str, str]
    """SHA-256 of each source file that the numbers can depend on, by path in the repository."""
    commit: Reading[str]
    dirty: Reading[bool]
    packages: dict[str, str]
    machine: Machine
    target: ModelRecord
    draft: ModelRecord
    prompts: tuple[PromptRecord, ...]
    memory: Memory | None = None
    seconds: dict[str, float] = Field(default_factory=dict)
    """Seconds that each experiment took, with everything around its measured parts; filled in at the end."""
    started: datetime
    resumed: tuple[datetime, ...] = ()
    """When the run was gone on with after it had been stopped."""
    ended: datetime | None = None
    status: Status
    reason: str | None = None
    """Why the run was interrupted, failed or discarded."""
    results_sha256: str | None = None
