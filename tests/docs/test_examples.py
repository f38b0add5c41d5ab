"""The Python that pages show runs, one page as one session, on tiny models in the place of real ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from small_models import TOKENS, small_tokenizer
from tiny import disturbed, tiny_llama

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = ("lab/from-python.md",)


@pytest.mark.parametrize("page", PAGES)
def test_shown_python_runs(page: str) -> None:
    """Every block in order; assertions in them hold."""
    target = tiny_llama(1, vocabulary=len(TOKENS), context=256)
    names: dict[str, Any] = {
        "target": target,
        "draft": disturbed(target, 0.05),
        "ids": [3, 4, 5, 6],
        "input_ids": torch.tensor([[3, 4, 5, 6]]),
        "tokenizer": small_tokenizer(TOKENS),
    }
    blocks = FENCE.findall((DOCS / page).read_text("utf-8"))
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)  # noqa: S102 - our own pages
    assert names["output"].shape[1] > 4
    assert names["guessed"].iterations[0].proposed
