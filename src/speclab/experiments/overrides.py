"""Departures from a plan, asked for on the command line. A run with any is never adopted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from speclab.errors import InputError
from speclab.experiments.home import with_home, without_home
from speclab.records.plan import Plan, SamplingPlan
from speclab.records.plans import first_fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAIR = ("target", "draft", "dtype", "device")


@dataclass(frozen=True, slots=True)
class Overrides:
    """What to take in place of the plan's own; None keeps what the plan says."""

    target: str | None = None
    draft: str | None = None
    dtype: str | None = None
    device: str | None = None
    ks: tuple[int, ...] | None = None
    new_tokens: int | None = None
    prompts: Path | None = None
    sampling: SamplingPlan | None = None

    @property
    def pair(self) -> bool:
        """Whether another pair is asked for, or the same one on other terms."""
        return any((self.target, self.draft, self.dtype, self.device))

    def __iter__(self) -> Iterator[str]:
        """Each override as the option that asks for it, as a run records it."""
        for name in PAIR:
            value = getattr(self, name)
            if value is not None:
                yield f"--{name} {without_home(value)}"
        if self.ks is not None:
            yield f"--k {','.join(map(str, self.ks))}"
        if self.new_tokens is not None:
            yield f"--new-tokens {self.new_tokens}"
        if self.prompts is not None:
            yield f"--prompts {without_home(str(self.prompts.resolve()))}"
        if self.sampling is not None:
            yield f"--temperature {self.sampling.temperature:g}"
            yield f"--top-k {self.sampling.top_k}"
            yield f"--top-p {self.sampling.top_p:g}"

    @classmethod
    def recorded(cls, options: Sequence[str]) -> Overrides:
        """The overrides that a run recorded."""
        found: dict[str, Any] = {}
        for option in options:
            name, _, value = option.removeprefix("--").partition(" ")
            found[name] = with_home(value)
        if "k" in found:
            found["ks"] = tuple(int(each) for each in found.pop("k").split(","))
        if "new-tokens" in found:
            found["new_tokens"] = int(found.pop("new-tokens"))
        if "prompts" in found:
            found["prompts"] = Path(found["prompts"])
        if "temperature" in found:
            found["sampling"] = SamplingPlan(
                temperature=float(found.pop("temperature")),
                top_k=int(found.pop("top-k")),
                top_p=float(found.pop("top-p")),
            )
        return cls(**found)

    def apply(self, plan: Plan, prompt_ids: Sequence[str] | None = None) -> Plan:
        """The plan with these overrides.

        Args:
            plan: As its file has it.
            prompt_ids: Ids of the prompts of another file, where one is taken.

        Raises:
            InputError: When the result is no plan.
        """
        changed = plan.model_dump()
        pair = {name: getattr(self, name) for name in PAIR}
        changed["pair"] |= {name: without_home(value) for name, value in pair.items() if value is not None}
        if self.pair:
            # A pair that was asked for by name is not quietly replaced by another.
            changed["fallback"] = None
        if self.ks is not None:
            if not self.ks or len(set(self.ks)) != len(self.ks):
                msg = f"--k {','.join(map(str, self.ks))}: name at least one k, and each once"
                raise InputError(msg)
            changed["speed"]["ks"] = self.ks
            # The check of k proposals is a pass over k + 1 tokens: the prediction needs its time.
            changed["timing"]["lengths"] = tuple(sorted({*plan.timing.lengths, *(k + 1 for k in self.ks)}))
        if self.new_tokens is not None:
            changed["speed"]["new_tokens"] = self.new_tokens
        if self.sampling is not None:
            changed["speed"]["samplings"] = (self.sampling.model_dump(),)
        if prompt_ids is not None:
            changed["prompts"] = tuple(prompt_ids)
        try:
            return Plan.model_validate(changed)
        except ValidationError as error:
            msg = f"the plan {plan.name} with {' '.join(self)} is none: {first_fault(error)}"
            raise InputError(msg) from None
