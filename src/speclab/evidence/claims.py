"""The lines of `research/register.toml`: claims, computed values, and discarded runs."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field

from speclab.records.base import Record
from speclab.records.run import RUN_ID

FIRST_WORDS_TAKEN = frozenset({"reported", "given", "plan"})
"""Addresses that begin so lead elsewhere than to a claim."""
PARTS = ("low", "high", "n")
"""`id.low` is the lower end of the interval of `id`, so no id ends so."""


def _claim_id(text: str) -> str:
    words = text.split(".")
    if not re.fullmatch(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*", text):
        msg = "an id is lower-case words joined by dots, for instance speed.code.k2"
        raise ValueError(msg)
    if words[0] in FIRST_WORDS_TAKEN or words[-1] in PARTS:
        msg = f"an id begins with none of {sorted(FIRST_WORDS_TAKEN)} and ends with none of {list(PARTS)}"
        raise ValueError(msg)
    return text


ClaimId: TypeAlias = Annotated[str, AfterValidator(_claim_id)]
Text: TypeAlias = Annotated[str, Field(min_length=1)]


class Claim(Record):
    """A number of the pages and the rows it comes from.

    Attributes:
        id: How the pages name it: `[=id]`.
        says: What the number is, in words.
        estimate: Name of the function from rows to the number.
        where: Its conditions.
        plan: Plan whose current run is meant; the plan that is `main` where absent.
        run: A run that is kept and that no plan need show, for what no other run can say, such as another machine;
            instead of a plan.
        format: How it is shown, see `speclab.evidence.format`.
        holds: What the wording leans on, see `speclab.evidence.holds`.
    """

    id: ClaimId
    says: Text
    estimate: Text
    where: dict[str, Any] = Field(default_factory=dict)
    plan: Text | None = None
    run: Annotated[str, Field(pattern=RUN_ID)] | None = None
    format: Text
    holds: Text | None = None


class Computed(Record):
    """A number that follows from others by a formula of `speclab.theory` or by plain arithmetic.

    Attributes:
        id: As a claim's.
        says: As a claim's.
        formula: Name of the formula, see `speclab.evidence.formulas`.
        inputs: The formula's arguments: the address of another number, or a whole number such as k.
        format: As a claim's.
        holds: As a claim's, on the value.
    """

    id: ClaimId
    says: Text
    formula: Text
    inputs: dict[str, str | int]
    format: Text
    holds: Text | None = None


class Discard(Record):
    """A run that nobody may cite, and why."""

    run: Annotated[str, Field(pattern=RUN_ID)]
    reason: Text


class RegisterFile(Record):
    """The file as a whole."""

    claim: tuple[Claim, ...] = ()
    computed: tuple[Computed, ...] = ()
    discard: tuple[Discard, ...] = ()
