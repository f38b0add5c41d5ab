"""Real transformers models of a few thousand weights, built from a configuration, and faults around them."""

from __future__ import annotations

import copy
import dataclasses
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from small_session import SmallRun, prompt, small_plan
from speclab.backends.hf.model import HFModel
from tiny import disturbed, tiny_llama

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from torch import Tensor

    from speclab.decoding.protocols import Model
    from speclab.decoding.sampling import Sampling
    from speclab.experiments.protocol import EncodedPrompt
    from speclab.records.plan import Dtype, Plan

VOCABULARY = 64
TOKENIZER = SimpleNamespace(decode=lambda ids: "".join(f"<{token}>" for token in ids))


@cache
def _weights(dtype: str, seed: int, noise: float) -> Any:
    model = tiny_llama(seed, vocabulary=VOCABULARY, context=256, sharpness=1.0)
    return (disturbed(model, noise) if noise else model).to(getattr(torch, dtype))


def tiny(dtype: str = "float32", *, seed: int = 1, noise: float = 0.0) -> HFModel:
    """A Llama of two layers; `noise` disturbs each weight by that share of its tensor's spread."""
    return HFModel(_weights(dtype, seed, noise))


TWIN = VOCABULARY // 2
"""How far apart the ids of two twins are."""


@cache
def _twins(dtype: str, apart: float) -> Any:
    model = copy.deepcopy(_weights("float32", 1, 0.0))
    with torch.no_grad():
        output = model.lm_head.weight
        output[TWIN:] = output[:TWIN] * (1 + apart)
    # The same numbers in either dtype, as weights that are stored in the shorter one have them.
    return model.bfloat16().to(getattr(torch, dtype))


def twins(dtype: str, apart: float = 0.0) -> HFModel:
    """The same Llama, but each row of the output matrix has a twin: equal, or larger by this share."""
    return HFModel(_twins(dtype, apart))


class Around:
    """A model as it is; the faults below change one thing each. Copies keep the fault."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner
        self.vocabulary = inner.vocabulary
        self.context = inner.context

    @property
    def ids(self) -> Sequence[int]:
        """The tokens in the cache."""
        return self.inner.ids

    @property
    def length(self) -> int:
        """Positions in the cache."""
        return self.inner.length

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Tensor:
        """Append tokens."""
        rows: Tensor = self.inner.feed(ids, last=last)
        return rows

    def rollback(self, length: int) -> None:
        """Cut the cache back."""
        self.inner.rollback(length)

    def law(self, row: Tensor, sampling: Sampling) -> Tensor:
        """The law of one row."""
        law: Tensor = self.inner.law(row, sampling)
        return law

    def fork(self) -> Self:
        """A copy, with the same fault."""
        twin = type(self)(self.inner.fork())
        twin.__dict__ |= {name: value for name, value in self.__dict__.items() if name != "inner"}
        return twin


class OneTooLong(Around):
    """Leaves one position too many in the cache whenever something is taken back."""

    def rollback(self, length: int) -> None:
        """Cut, but one too few."""
        self.inner.rollback(min(length + 1, self.inner.length))


class OneTooShort(Around):
    """Lacks one position from the first time that something is taken back, and says nothing of it."""

    _lacking = 0

    @property
    def length(self) -> int:
        """Positions that it says are in the cache."""
        return self.inner.length + self._lacking

    def rollback(self, length: int) -> None:
        """Cut, but one too many."""
        if length < self.length:
            self._lacking = 1
        self.inner.rollback(length - self._lacking)


class Turned(Around):
    """Passes over several tokens put other logits than passes over one: what the shape of a pass changes.

    Attributes:
        change: (row, whether the pass fed several tokens) -> row.
    """

    change: Callable[[Tensor, bool], Tensor] = staticmethod(lambda row, _: row)

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Tensor:
        """Append tokens, and change the rows."""
        rows = self.inner.feed(ids, last=last)
        return torch.stack([self.change(row, len(ids) > 1) for row in rows])


class Logged(Around):
    """Writes down what is fed and what is rolled back, in a list that all copies share."""

    log: list[tuple[str, Any]]

    def feed(self, ids: Sequence[int], *, last: int | None = None) -> Tensor:
        """Append tokens, and write that down."""
        self.log.append(("feed", tuple(ids)))
        rows: Tensor = self.inner.feed(ids, last=last)
        return rows

    def rollback(self, length: int) -> None:
        """Cut back, and write that down."""
        self.log.append(("rollback", length))
        self.inner.rollback(length)


class TinyRun(SmallRun):
    """A run whose pair can be had in any dtype.

    Args:
        plan: With the dtype of the run.
        models: Makes the pair in a dtype.
        prompts: To continue.
        budget: Seconds left.
    """

    def __init__(
        self,
        plan: Plan,
        models: Callable[[Dtype], tuple[Model, Model]],
        prompts: Sequence[EncodedPrompt],
        budget: Callable[[], float],
    ) -> None:
        super().__init__(plan, models(plan.pair.dtype), prompts, budget)
        self.reloads: list[Dtype] = []
        """The dtypes that were asked for."""
        self._models = models
        self.take(self._pair(plan.pair.dtype), self._reload)

    def take(self, pair: Any, reload: Callable[[Dtype], Any] | None = None) -> None:
        """Put another pair, or another way to reload it, into the session."""
        reload = reload or self.session.reload
        self.session = dataclasses.replace(self.session, pair=pair, reload=reload)

    def _pair(self, dtype: Dtype) -> Any:
        target, draft = (SimpleNamespace(model=model) for model in self._models(dtype))
        return SimpleNamespace(target=target, draft=draft, tokenizer=TOKENIZER)

    def _reload(self, dtype: Dtype) -> Any:
        self.reloads.append(dtype)
        return self._pair(dtype)


def tiny_run(
    models: Callable[[Dtype], tuple[Model, Model]],
    dtype: Dtype = "float32",
    *,
    prompts: Sequence[tuple[int, ...]] = ((1, 2, 3, 4, 5, 6),),
    budget: Callable[[], float] = lambda: 3600.0,
    **parts: Any,
) -> TinyRun:
    """A run with prompts of the kind prose, `p-1` and so on; `parts` replace parts of the plan."""
    plan = small_plan(**{"speed": {"ks": (2, 4), "new_tokens": 16}, **parts})
    plan = plan.model_copy(update={"pair": plan.pair.model_copy(update={"dtype": dtype})})
    return TinyRun(plan, models, [prompt(f"p-{number}", ids) for number, ids in enumerate(prompts, 1)], budget)
