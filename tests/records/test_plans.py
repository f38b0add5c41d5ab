"""Plans: the shipped ones are what the design says, and a faulty one is refused with its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from small_bench import small_repository
from speclab.errors import InputError
from speclab.prompts.kinds import KINDS
from speclab.prompts.prompt import select
from speclab.prompts.read import read_prompts
from speclab.records.plan import EXPERIMENTS
from speclab.records.plans import find_plan, plan_names, read_plan
from speclab.records.repository import find_repository

ROOT = Path(__file__).parent.parent.parent


def test_the_plans_are_shipped() -> None:
    """Their names are those of the files."""
    assert plan_names(ROOT) == ("cpu", "exercises", "gpu", "quick")


@pytest.mark.parametrize(
    ("name", "prompts", "tokens", "rounds", "ks", "lengths", "cycles", "distribution", "budget"),
    [
        ("quick", 6, 32, 1, (1, 2, 4), (1, 2, 3, 5, 9, 17, 33), 15, (1, 1), 60),
        ("cpu", 24, 48, 1, (1, 2, 4, 8), (*range(1, 10), 13, 17, 25, 33), 15, (2, 1), 160),
        ("exercises", 12, 48, 1, (2, 4), (1, 3, 5), 10, (1, 1), 60),
        ("gpu", 24, 64, 3, (1, 2, 3, 4, 6, 8), (*range(1, 10), 17, 33, 65), 45, (2, 3), 25),
    ],
)
def test_shipped_plan(
    name: str,
    prompts: int,
    tokens: int,
    rounds: int,
    ks: tuple[int, ...],
    lengths: tuple[int, ...],
    cycles: int,
    distribution: tuple[int, int],
    budget: int,
) -> None:
    """Sizes, and that every number the prediction needs is timed."""
    plan = find_plan(name, ROOT).plan
    assert len(plan.prompts) == prompts
    assert (plan.speed.new_tokens, plan.speed.rounds, plan.speed.ks) == (tokens, rounds, ks)
    assert (plan.timing.lengths, plan.timing.cycles) == (lengths, cycles)
    assert (plan.distribution.contexts_per_kind, plan.distribution.seeds) == distribution
    assert plan.budget_minutes == budget
    assert {1, *(k + 1 for k in ks)} <= set(lengths)


@pytest.mark.parametrize("name", ["quick", "cpu", "gpu"])
def test_prompts_of_a_shipped_plan_are_there_in_all_kinds(name: str) -> None:
    """As many of each kind, and neighbours of different kinds, so that drift meets all kinds alike."""
    plan = find_plan(name, ROOT).plan
    kinds = [prompt.kind for prompt in select(read_prompts(ROOT / "research" / "prompts"), plan.prompts)]
    assert {kind: kinds.count(kind) for kind in KINDS} == dict.fromkeys(KINDS, len(kinds) // len(KINDS))
    assert all(len(set(kinds[start : start + 6])) == 6 for start in range(0, len(kinds), 6))


def test_a_plan_can_measure_some_experiments_alone() -> None:
    """In the order that all are measured in; without a word of it, all that it has a part for."""
    quick = find_plan("quick", ROOT).plan
    some = quick.model_copy(update={"measures": ("exactness", "timing")})
    assert some.experiments == ("timing", "exactness")
    assert quick.experiments == EXPERIMENTS
    assert quick.model_copy(update={"margins": None}).experiments == EXPERIMENTS[:-1]


def test_fallback_of_the_card_is_the_other_pair_on_the_card() -> None:
    """Only the plan for a card has a fallback; it computes in the same dtype on the same device."""
    plan = find_plan("gpu", ROOT).plan
    assert plan.fallback is not None
    assert (
        (plan.fallback.dtype, plan.fallback.device) == (plan.pair.dtype, plan.pair.device) == ("float16", "cuda")
    )
    assert plan.fallback.target == find_plan("cpu", ROOT).plan.pair.target
    assert find_plan("quick", ROOT).plan.fallback is None


@pytest.mark.parametrize("name", ["quick", "cpu", "gpu"])
def test_margins_are_those_of_the_passes_that_check(name: str) -> None:
    """Over k + 1 tokens at k = 4 and 8 among others; the plan for a card measures what the processor's does."""
    plan = find_plan(name, ROOT).plan
    assert plan.margins is not None
    assert {5, 9} <= set(plan.margins.lengths)
    assert 1 not in plan.margins.lengths
    assert plan.experiments[-1] == "margins"
    assert (plan.margins == find_plan("cpu", ROOT).plan.margins) == (name != "quick")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("cycles = 3", "cycles = ", "is not TOML"),
        ("cycles = 3", "cycles = 0", "timing.cycles"),
        ("cycles = 3", "cycles = true", "timing.cycles"),
        ("cycles = 3", "cycles = 3\nspeed = 4", "timing.speed: Extra inputs"),
        ("cycles = 3", "cycles = nan", "timing.cycles"),
        ('name = "tiny"', 'name = "small"', "names its plan 'small'"),
        ('"bfloat16"', '"int4"', "pair.dtype"),
        ('"prose-1",', "", "prompts"),
        ('"prose-1"', '"code-1"', "prompts must name at least one, and each once"),
    ],
)
def test_faulty_plan(tmp_path: Path, before: str, after: str, said: str) -> None:
    """One line with the file, the place and what stands there."""
    path = small_repository(tmp_path) / "research" / "plans" / "tiny.toml"
    text = path.read_text("utf-8")
    assert before in text
    changed = text.replace(before, after)
    if after == "":
        changed = changed.replace('"code-1",', "")
    path.write_text(changed, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_plan(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["nope", "../tiny", "", "TINY", "tiny.toml"])
def test_unknown_plan(tmp_path: Path, name: str) -> None:
    """A name never becomes a path; the message lists the plans there are."""
    with pytest.raises(InputError, match="take one of: tiny"):
        find_plan(name, small_repository(tmp_path))


def test_repository_is_found_from_inside(tmp_path: Path) -> None:
    """From any folder within it, and not from outside."""
    inner = small_repository(tmp_path / "clone") / "docs" / "deep"
    inner.mkdir(parents=True)
    assert find_repository(inner) == tmp_path / "clone"
    with pytest.raises(InputError, match="run this command inside a clone"):
        find_repository(tmp_path)
