"""Why a real model's output leaves plain's: rounding in bfloat16 is excused, a planted fault is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from speclab.backends.hf.model import HFModel
from speclab.experiments.divergence import Divergence
from speclab.experiments.speed import Speed
from speclab.models.load import load_model
from speclab.records.rows import DivergenceCell
from tiny import disturbed
from tiny_pair import Around, OneTooLong, OneTooShort, tiny_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from speclab.decoding.protocols import Model
    from speclab.models.load import LoadedModel
    from speclab.records.plan import Dtype

pytestmark = pytest.mark.integration

UNSURE = " chemistsamination Literature incur crawl Levels Tank British Learners properties immortoit"
"""Tokens drawn at random: logits are small after them, and what rounding changes is many times their spacing."""
PROSE = "The lighthouse keeper wrote in his log every evening, and"
NOISE = 0.1
"""Of the draft, in units of each weight matrix's own spread."""
PATHS = ("plain's path", "the arm's path")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """How many threads share a product decides where it is rounded."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def loaded() -> dict[Dtype, LoadedModel]:
    """The real model in both dtypes."""
    dtypes: tuple[Dtype, ...] = ("bfloat16", "float32")
    return {dtype: load_model("smollm2-135m-instruct", dtype=dtype) for dtype in dtypes}


def pair(
    loaded: dict[Dtype, LoadedModel], target: type[Around] = Around
) -> Callable[[Dtype], tuple[Model, Model]]:
    """The real target, or one with a fault around it, and a disturbed copy that drafts."""
    drafts = {dtype: disturbed(each.module, NOISE) for dtype, each in loaded.items()}

    def make(dtype: Dtype) -> tuple[Model, Model]:
        vocabulary = loaded[dtype].model.vocabulary
        target_model, draft = (
            HFModel(each, vocabulary=vocabulary) for each in (loaded[dtype].module, drafts[dtype])
        )
        return target(target_model), draft

    return make


def measured(
    models: Callable[[Dtype], tuple[Model, Model]], ids: list[int], ks: tuple[int, ...], new_tokens: int
) -> DivergenceCell:
    """Speed and divergence on one prompt, as a run makes them, with the rerun in float32."""
    speed = {"ks": ks, "new_tokens": new_tokens}
    # Without time left no block is repeated, whatever disturbed it.
    done = tiny_run(models, "bfloat16", prompts=(tuple(ids),), speed=speed, budget=lambda: 0.0)
    found = done.run(Speed()).run(Divergence()).cells["divergence.p-1"]
    assert isinstance(found, DivergenceCell)
    assert set(done.reloads) == ({"float32"} if found.differences else set())
    return found


def test_what_the_shape_of_a_pass_changes_is_never_a_bug(loaded: dict[Dtype, LoadedModel]) -> None:
    """In bfloat16 the output differs from plain's; in float32 both paths favour one token, far within a gap."""
    ids = loaded["float32"].tokenizer(UNSURE)["input_ids"]
    found = measured(pair(loaded), ids, (4,), 16)
    assert [each.identical for each in found.comparisons if each.arm == "plain_again"] == [True]
    if not found.differences:
        pytest.skip("on this processor passes over one, five and nine tokens decide alike: nothing differs")
    for each in found.differences:
        assert each.verdict in {"tie", "shape numerics"}
        exact = {way.name: way for way in each.float32}
        plain, arm = (exact[name] for name in PATHS)
        assert plain.favours == arm.favours
        assert abs(plain.plain_logit - arm.plain_logit) < 1e-3


@pytest.mark.parametrize("fault", [OneTooLong, OneTooShort])
def test_a_cache_off_by_one_is_a_bug(loaded: dict[Dtype, LoadedModel], fault: type[Around]) -> None:
    """Rounding in bfloat16 does not hide it."""
    ids = loaded["float32"].tokenizer(PROSE)["input_ids"]
    found = measured(pair(loaded, fault), ids, (4,), 6)
    assert [each.verdict for each in found.differences] == ["bug"]
