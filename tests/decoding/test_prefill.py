"""A cache serves one generation, and may start from a prefill."""

from __future__ import annotations

import pytest

from scripted import Never
from speclab.decoding.generation import collect
from speclab.decoding.loop import plain, speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY
from speclab.errors import InputError
from tables import counting


def test_used_cache_is_refused() -> None:
    """A cache serves one generation, even where its length happens to fit the next prompt."""
    target, draft = counting(), DraftModel(counting())
    options = {"k": 2, "sampling": GREEDY, "source": Never(), "max_new_tokens": 4}
    first = collect(speculative(target, draft, [1, 2, 3], **options))  # type: ignore[arg-type]
    assert first.ids == (4, 5, 6, 7)
    with pytest.raises(InputError, match="a cache that was used is consumed"):
        collect(speculative(target, draft, [1, 2, 3], **options))  # type: ignore[arg-type]
    other = [9, 8, 7, 6, 5, 4, 3]
    assert target.length == len(other) - 1
    with pytest.raises(InputError, match="a cache that was used is consumed"):
        collect(plain(target, other, sampling=GREEDY, source=Never(), max_new_tokens=4))


def test_prefilled_cache_is_taken_over() -> None:
    """One prefill, two arms: copies of a cache that holds the prompt but its last token."""
    base = counting()
    base.feed([1, 2])
    for _ in range(2):
        arm = collect(plain(base.fork(), [1, 2, 3], sampling=GREEDY, source=Never(), max_new_tokens=2))
        assert arm.ids == (4, 5)
    assert base.ids == [1, 2]
